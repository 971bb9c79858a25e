"""Null in a body: as blank text for what the object requires, as if absent for anything else."""

import pytest

from mujina.app import ROUTES
from mujina.kernel.params import UNSET, fields_of

WRITES = [route for route in ROUTES if route.verb in ("POST", "PUT")]
CLEARED_BY_NULL = {"priority"}
"""The family's clients remove the priority of a label with null."""
REQUIRED_BY_THE_OBJECT = {
    "title", "name", "path", "body", "message", "content", "code", "new_name", "color", "email", "username",
}  # fmt: skip

every_write = pytest.mark.parametrize("route", WRITES, ids=lambda route: f"{route.verb} {route.path}")


@every_write
def test_null_for_an_optional_parameter_is_as_if_absent(route):
    for declared in route.params.values():
        for field in fields_of(declared):
            if field.required or field.name in CLEARED_BY_NULL:
                continue
            if field.form.null_is_blank:
                assert field.name in REQUIRED_BY_THE_OBJECT
            else:
                assert field.read(None) is UNSET, field.name


@every_write
def test_null_for_a_required_text_is_answered_as_blank_text(route, world):
    for declared in route.params.values():
        for field in fields_of(declared):
            if field.form.null_is_blank or (field.required and field.form.schema == {"type": "string"}):
                params, answers = world.params(route), []
                for value in (None, ""):
                    answer = world.ask(world.cast.root, route, {**params, field.name: value})
                    answers.append((answer.status, answer.json if answer.status >= 400 else None))
                assert answers[0] == answers[1], field.name
