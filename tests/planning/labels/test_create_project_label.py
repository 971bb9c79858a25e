"""POST /projects/:id/labels."""

import pytest

from tests.harness.cases import Case, Has, cases

RED = {"name": "bug", "color": "#ff0000"}


@cases([
    Case("anonymous", "POST /projects/{public.id}/labels", 401, params=RED),
    Case("stranger", "POST /projects/{private.id}/labels", 404, params=RED),
    Case("stranger", "POST /projects/{public.id}/labels", 403, params=RED),
    Case("guest", "POST /projects/{private.id}/labels", 403, {"message": "403 Forbidden"}, RED, events=[]),
    Case("reporter", "POST /projects/{private.id}/labels", 201, Has(name="bug", color="#ff0000"), RED,
         events=["label.created"]),
    Case("shared", "POST /projects/{private.id}/labels", 201, params=RED),
    Case("reporter", "POST /projects/{private.id}/labels", 400,
         {"message": '400 (Bad request) "color" not given', "error": "color is missing"}, {"name": "bug"}),
    Case("reporter", "POST /projects/{private.id}/labels", 400, {"message": {"title": ["is invalid"]}},
         RED | {"name": "a,b"}),
    Case("reporter", "POST /projects/{private.id}/labels", 400, {"message": {"title": ["can't be blank"]}},
         RED | {"name": " "}),
    Case("reporter", "POST /projects/{private.id}/labels", 400,
         {"message": {"title": ["is too long (maximum is 255 characters)"]}}, RED | {"name": "x" * 256}),
    Case("reporter", "POST /projects/{private.id}/labels", 400, {"error": "priority is invalid"},
         RED | {"priority": "high"}),
    Case("reporter", "POST /projects/{private.id}/labels", 400,
         {"message": {"priority": ["must be greater than or equal to 0"]}}, RED | {"priority": -1}),
])  # fmt: skip
def test_creating_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("#abc", "#abc"),
        ("#A1b2C3", "#A1b2C3"),
        ("red", "#FF0000"),
        ("RebeccaPurple", "#663399"),
        (" #123456 ", "#123456"),
    ],
)
def test_a_color_is_a_code_or_a_name_of_css(cast, label, given, stored):
    assert label("bug", color=given)["color"] == stored


@pytest.mark.parametrize("color", ["", "123456", "#12345", "#12", "#gggggg", "reddish", "#1234567"])
def test_other_colors_are_refused(cast, color):
    answer = cast.reporter.post(f"/projects/{cast.private.id}/labels", name="bug", color=color)
    assert (answer.status, answer.json) == (400, {"message": {"color": ["must be a valid color code"]}})


@pytest.mark.parametrize("of", ["private", "team", "company"])
def test_a_name_that_can_be_used_here_already_is_a_conflict(cast, label, of):
    label("bug", of=of)
    answer = cast.reporter.post(f"/projects/{cast.private.id}/labels", **RED)
    assert (answer.status, answer.json) == (409, {"message": "Label already exists"})
    assert cast.reporter.post(f"/projects/{cast.private.id}/labels", name="Bug", color="red").status == 201
