"""PATCH /projects/:id/protected_branches/:name; what a force push then does is in `tests/git/test_push.py`."""

import pytest

from tests.harness.cases import Case, cases


@cases([
    Case("developer", "PATCH /projects/{private.id}/protected_branches/stable", 403),
    Case("stranger", "PATCH /projects/{private.id}/protected_branches/stable", 404, {"message": "404 Project Not Found"}),
    Case("master", "PATCH /projects/{private.id}/protected_branches/stable", 404,
         {"message": "404 Protected Branch Not Found"}),
])  # fmt: skip
def test_only_masters_change_a_protection(case, cast):
    case.holds(cast)


@pytest.fixture
def here(cast):
    cast.master.post(f"/projects/{cast.private.id}/protected_branches", name="stable", merge_access_level=30)
    return f"/projects/{cast.private.id}/protected_branches/stable"


def _levels(branch, verb):
    return [level["access_level"] or level["user_id"] for level in branch[f"{verb}_access_levels"]]


def test_force_pushes_are_allowed_and_forbidden(cast, here):
    assert cast.master.patch(here, allow_force_push=True).json["allow_force_push"] is True
    assert cast.events()[-1] == "protected_branch.updated"
    assert cast.master.patch(here).json["allow_force_push"] is True
    assert cast.master.patch(here, allow_force_push=False).json["allow_force_push"] is False
    made = cast.master.post(here.removesuffix("/stable"), name="next", allow_force_push=True)
    assert made.json["allow_force_push"] is True


def test_a_request_that_changes_nothing_records_nothing(cast, here):
    before = cast.events()
    grant = cast.master.get(here).json["push_access_levels"][0]
    assert cast.master.patch(here, allowed_to_push=[{"access_level": grant["access_level"]}]).status == 200
    assert cast.master.get(here).json["push_access_levels"] == [grant]
    assert cast.events() == before


def test_grants_are_added_changed_and_removed(cast, here):
    person = cast.developer.id
    added = cast.master.patch(here, allowed_to_push=[{"user_id": person}, {"user_id": person}]).json
    assert _levels(added, "push") == [40, person]
    assert _levels(added, "merge") == [30]
    first, second = (level["id"] for level in added["push_access_levels"])
    removed = cast.master.patch(here, allowed_to_push=[{"id": first, "_destroy": True}]).json
    assert _levels(removed, "push") == [person]
    changed = cast.master.patch(here, allowed_to_push=[{"id": second, "access_level": 0}]).json
    assert [level["access_level"] for level in changed["push_access_levels"]] == [0]


@pytest.mark.parametrize(
    "entry",
    [{"id": 999_999, "_destroy": True}, {"id": "x"}, {"access_level": 7}, {"access_level": 40, "_destroy": "so"}],
)
def test_a_bad_entry_changes_nothing(cast, here, entry):
    before = cast.master.get(here).json
    refused = cast.master.patch(here, allow_force_push=True, allowed_to_push=[{"access_level": 30}, entry])
    assert (refused.status, refused.json) == (400, {"error": "allowed_to_push is invalid"})
    assert cast.master.get(here).json == before


def test_a_grant_of_another_verb_is_not_removed(cast, here):
    merge = cast.master.get(here).json["merge_access_levels"][0]["id"]
    assert cast.master.patch(here, allowed_to_push=[{"id": merge, "_destroy": True}]).status == 400
