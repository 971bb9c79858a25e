"""Protected branches as a resource; whom they stop is in `tests/git/test_push.py`."""

import pytest

from mujina.code.protected_branches.rules import Protection
from tests.harness.cases import ANYTHING, Case, Has, cases, differences
from tests.harness.client import Raw

HERE = "/projects/{private.id}/protected_branches"
MASTERS = Has(access_level=40, access_level_description="Masters", user_id=None, group_id=None, deploy_key_id=None)
DEVELOPERS = Has(access_level=30, access_level_description="Developers + Masters", user_id=None, group_id=None)
NOBODY = Has(access_level=0, access_level_description="No one", user_id=None, group_id=None)

CASES = [
    Case("master", f"GET {HERE}", 200, [], statements=5),
    Case("developer", f"GET {HERE}", 403, {"message": "403 Forbidden"}),
    Case("stranger", f"GET {HERE}", 404, {"message": "404 Project Not Found"}),
    Case("anonymous", "GET /projects/{public.id}/protected_branches", 401),
    Case("master", f"GET {HERE}/nothing", 404, {"message": "404 Protected Branch Not Found"}),
    Case("master", f"POST {HERE}", 201,
         Has(name="master", push_access_levels=[MASTERS], merge_access_levels=[MASTERS], allow_force_push=False,
             unprotect_access_levels=[], code_owner_approval_required=False),
         {"name": "master"}, events=["protected_branch.created"]),
    Case("master", f"POST {HERE}", 201,
         Has(name="*-stable", push_access_levels=[NOBODY], merge_access_levels=[DEVELOPERS]),
         {"name": "*-stable", "push_access_level": 0, "merge_access_level": 30}),
    Case("master", f"POST {HERE}", 400, {"error": "push_access_level does not have a valid value"},
         {"name": "x", "push_access_level": 50}),
    Case("master", f"POST {HERE}", 400, ANYTHING),
    Case("master", f"POST {HERE}", 400, {"message": {"name": ["can't be blank"]}}, {"name": ""}),
    Case("master", f"POST {HERE}", 400, {"error": "allowed_to_push is invalid"},
         {"name": "x", "allowed_to_push": [{"access_level": 7}]}),
    Case("master", f"POST {HERE}", 400, {"error": "allowed_to_merge is invalid"},
         {"name": "x", "allowed_to_merge": [{"user_id": 1, "group_id": 1}]}),
    Case("developer", f"POST {HERE}", 403, ANYTHING, {"name": "x"}, events=[]),
    Case("master", f"DELETE {HERE}/nothing", 404, {"message": "404 Protected Branch Not Found"}),
    Case("developer", f"DELETE {HERE}/nothing", 403),
]  # fmt: skip


@cases(CASES)
def test_each_call_requires_its_permission(case, cast):
    case.holds(cast)


@pytest.fixture
def here(cast):
    return f"/projects/{cast.private.id}/protected_branches"


def test_a_name_is_protected_once(cast, here):
    assert cast.master.post(here, name="release/*").status == 201
    again = cast.master.post(here, name="release/*")
    assert (again.status, again.json) == (409, {"message": "Protected branch 'release/*' already exists"})


def test_a_pattern_with_a_slash_is_found_by_its_encoded_name(cast, here):
    made = cast.master.post(here, name="release/*").json
    assert cast.master.get(f"{here}/release%2F*").json == made
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.master.delete(f"{here}/release%2F*", long_ago).status == 412
    assert cast.master.delete(f"{here}/release%2F*").status == 204
    assert cast.events()[-1] == "protected_branch.deleted"
    assert cast.master.get(here).json == []


def test_the_list_is_by_name_and_paged(cast, here):
    for name in ("c", "a", "b"):
        cast.master.post(here, name=name)
    listed = cast.master.get(here, per_page=2)
    assert [branch["name"] for branch in listed.json] == ["a", "b"]
    assert listed.headers["X-Total"] == "3"


def test_people_and_groups_may_be_let_through_one_by_one(cast, here):
    made = cast.master.post(
        here, name="x", push_access_level=40, allowed_to_push=[{"user_id": cast.developer.id}],
        allowed_to_merge=[{"group_id": cast.guild.id}, {"access_level": 30}],
    )  # fmt: skip
    person = Has(access_level=None, access_level_description="Developer", user_id=cast.developer.id, group_id=None)
    group = Has(access_level=None, access_level_description="Guild", user_id=None, group_id=cast.guild.id)
    assert differences([MASTERS, person], made.json["push_access_levels"]) == []
    assert differences([group, DEVELOPERS], made.json["merge_access_levels"]) == []


@pytest.mark.parametrize("grant", ["user_id", "group_id"])
def test_users_without_access_cannot_be_granted_a_protected_branch(cast, here, grant):
    holder = cast.stranger.id if grant == "user_id" else 9_999
    refused = cast.master.post(here, name="x", allowed_to_push=[{grant: holder}])
    assert refused.status == 400
    assert list(refused.json["message"]) == ["allowed_to_push"]
    assert cast.master.get(here).json == []


@pytest.mark.parametrize(
    ("pattern", "covered", "free"),
    [
        ("master", ["master"], ["Master", "master2", "x/master"]),
        ("*", ["a", "a/b"], []),
        ("release/*", ["release/1", "release/1/2", "release/"], ["release", "my-release/1"]),
        ("*-stable", ["1-stable", "-stable"], ["stable", "1-stable-2"]),
        ("a*b*c", ["abc", "axbxbxc", "abbc"], ["ab", "acb", "abcd"]),
        ("a.c", ["a.c"], ["abc"]),
        ("a**b", ["ab", "axb"], ["a"]),
    ],
)
def test_a_star_stands_for_any_text(pattern, covered, free):
    protection = Protection(1, pattern, False, False, False, False, False)
    assert [name for name in [*covered, *free] if protection.covers(name)] == covered


def test_no_pattern_takes_long():
    protection = Protection(1, "*a" * 100, False, False, False, False, False)
    assert not protection.covers("a" * 20_000 + "b")
