"""The push rule of a project as a resource; what it refuses is in `tests/git/test_push_rules.py`."""

import pytest

from tests.harness.cases import ANYTHING, Case, Has, cases

NOTHING = Has(
    commit_message_regex="", branch_name_regex="", author_email_regex="", file_name_regex="", deny_delete_tag=False,
    member_check=False, prevent_secrets=False, max_file_size=0,
)  # fmt: skip

NAMES = (
    "deny_delete_tag, member_check, prevent_secrets, commit_message_regex, branch_name_regex, author_email_regex, "
    "file_name_regex, max_file_size"
)

CASES = [
    Case("master", "GET /projects/{private.id}/push_rule", 200, None, statements=4),
    Case("developer", "GET /projects/{private.id}/push_rule", 403, {"message": "403 Forbidden"}),
    Case("stranger", "GET /projects/{private.id}/push_rule", 404, {"message": "404 Project Not Found"}),
    Case("anonymous", "GET /projects/{public.id}/push_rule", 401),
    Case("master", "POST /projects/{private.id}/push_rule", 201, Has(NOTHING, member_check=True),
         {"member_check": "true"}, events=["push_rule.created"]),
    Case("master", "POST /projects/{private.id}/push_rule", 201, Has(max_file_size=5, file_name_regex="exe$"),
         {"max_file_size": 5, "file_name_regex": "exe$"}),
    Case("master", "POST /projects/{private.id}/push_rule", 400,
         {"error": f"{NAMES} are missing, at least one parameter must be provided"}),
    Case("master", "POST /projects/{private.id}/push_rule", 400,
         {"message": {"max_file_size": ["must be greater than or equal to 0"]}}, {"max_file_size": -1}),
    Case("master", "POST /projects/{private.id}/push_rule", 400, {"error": "member_check is invalid"},
         {"member_check": "perhaps"}),
    Case("master", "POST /projects/{private.id}/push_rule", 400, ANYTHING, {"file_name_regex": "x" * 600}),
    Case("developer", "POST /projects/{private.id}/push_rule", 403, ANYTHING, {"member_check": True}, events=[]),
    Case("master", "PUT /projects/{private.id}/push_rule", 404, {"message": "404 Push Rule Not Found"},
         {"member_check": True}),
    Case("developer", "PUT /projects/{private.id}/push_rule", 403, ANYTHING, {"member_check": True}),
    Case("master", "DELETE /projects/{private.id}/push_rule", 204, None, events=[]),
    Case("developer", "DELETE /projects/{private.id}/push_rule", 403),
]  # fmt: skip


@cases(CASES)
def test_each_call_requires_its_permission(case, cast):
    case.holds(cast)


@pytest.fixture
def rule(cast):
    return cast.master.post(f"/projects/{cast.private.id}/push_rule", commit_message_regex="^Fix").json


def test_a_rule_shows_exactly_these_fields(cast, rule):
    assert list(rule) == [
        "id", "project_id", "commit_message_regex", "branch_name_regex", "author_email_regex", "file_name_regex",
        "deny_delete_tag", "member_check", "prevent_secrets", "max_file_size", "created_at",
    ]  # fmt: skip
    assert cast.master.get(f"/projects/{cast.private.id}/push_rule").json == rule
    assert rule["project_id"] == cast.private.id


def test_a_project_has_one_rule(cast, rule):
    again = cast.master.post(f"/projects/{cast.private.id}/push_rule", member_check=True)
    assert (again.status, again.json) == (422, {"error": "Project push rule exists"})


def test_an_edit_leaves_alone_what_it_does_not_name(cast, rule):
    edited = cast.master.put(f"/projects/{cast.private.id}/push_rule", prevent_secrets=True)
    assert (edited.status, edited.json) == (200, rule | {"prevent_secrets": True})
    assert cast.events()[-1] == "push_rule.updated"


def test_an_empty_pattern_asks_for_nothing(cast, rule):
    edited = cast.master.put(f"/projects/{cast.private.id}/push_rule", commit_message_regex="")
    assert edited.json["commit_message_regex"] == ""


def test_a_removed_rule_is_gone_and_removing_it_again_is_the_same(cast, rule):
    here = f"/projects/{cast.private.id}/push_rule"
    assert cast.master.delete(here).status == 204
    assert cast.events()[-1] == "push_rule.deleted"
    assert cast.master.get(here).json is None
    assert cast.master.delete(here).status == 204


@pytest.mark.parametrize("name", ["commit_message_regex", "branch_name_regex", "author_email_regex", "file_name_regex"])
@pytest.mark.parametrize("pattern", ["(", "(?=ahead)", r"(a)\1", "a{1001}", "[z-a]"])
def test_a_pattern_that_cannot_be_matched_safely_is_refused_by_name(cast, name, pattern):
    refused = cast.master.post(f"/projects/{cast.private.id}/push_rule", **{name: pattern})
    assert refused.status == 400
    assert list(refused.json["message"]) == [name]
    assert cast.master.get(f"/projects/{cast.private.id}/push_rule").json is None
