"""Null in a body: as blank text for what the object requires, as if absent for anything else."""

import pytest

from mujina.kernel.http.params import UNSET, fields_of
from tests.architecture.samples import by_noun
from tests.harness.composed import ROUTES

WRITES = by_noun(route for route in ROUTES if route.verb in ("POST", "PUT"))
CLEARED_BY_NULL = {("labels", "priority"), ("epics", "start_date"), ("epics", "end_date")}
"""The family's clients remove the priority of a label and the dates of an epic with null."""
REQUIRED_BY_THE_OBJECT = {
    "title", "name", "path", "body", "note", "message", "content", "code", "new_name", "color", "email", "username",
    "target_branch", "url", "ref", "cron", "cron_timezone", "environment_scope", "value",
}  # fmt: skip
REQUIRED_BY_SOME_OBJECTS = {("triggers", "description"), ("pipeline_schedules", "description")}


def test_null_for_an_optional_parameter_is_as_if_absent():
    offenders = [
        f"{route.verb} {route.path} {field.name}"
        for routes in WRITES.values()
        for route in routes
        for declared in route.params.values()
        for field in fields_of(declared)
        if not field.required and not cleared_by_null(route, field) and not may_be_null(route, field)
    ]
    assert offenders == []


def cleared_by_null(route, field):
    return is_listed(route, field, CLEARED_BY_NULL)


def is_listed(route, field, fields):
    return any(noun in route.segments and name == field.name for noun, name in fields)


def may_be_null(route, field):
    if field.form.null_is_blank:
        return field.name in REQUIRED_BY_THE_OBJECT or is_listed(route, field, REQUIRED_BY_SOME_OBJECTS)
    return field.read(None) is UNSET


@pytest.mark.parametrize("noun", WRITES)
def test_null_for_a_required_text_is_answered_as_blank_text(noun, world):
    for route in world.visit(WRITES[noun]):
        for declared in route.params.values():
            for field in fields_of(declared):
                if field.form.null_is_blank or (field.required and field.form.schema == {"type": "string"}):
                    params, answers = world.params(route), []
                    for value in (None, ""):
                        answer = world.ask(world.cast.root, route, {**params, field.name: value})
                        answers.append((answer.status, answer.json if answer.status >= 400 else None))
                    assert answers[0] == answers[1], f"{route.verb} {route.path} {field.name}"
