"""GET P/starrers, P/groups, P/storage and /users/:id/starred_projects."""

from tests.harness.cases import ANYTHING, Case, cases


@cases([
    Case("anonymous", "GET /projects/{public.id}/starrers", 200, []),
    Case("stranger", "GET /projects/{private.id}/starrers", 404, {"message": "404 Project Not Found"}),
    Case("stranger", "GET /projects/{private.id}/groups", 404, {"message": "404 Project Not Found"}),
    Case("owner", "GET /projects/{private.id}/storage", 403),
    Case("root", "GET /projects/{private.id}/storage", 200, ANYTHING),
    Case("anonymous", "GET /users/guest/starred_projects", 200, []),
    Case("guest", "GET /users/nobody/starred_projects", 404, {"message": "404 User Not Found"}),
    Case("guest", "GET /projects/{private.id}/groups", 400, {"error": "skip_groups is invalid"}, {"skip_groups": "x"}),
])  # fmt: skip
def test_each_call_requires_its_permission(case, cast):
    case.holds(cast)


def test_stars_are_listed_on_both_sides(cast):
    for project in (cast.private, cast.public):
        cast.guest.post(f"/projects/{project.id}/star")
    cast.reporter.post(f"/projects/{cast.private.id}/star")
    starrers = cast.guest.get(f"/projects/{cast.private.id}/starrers").json
    assert [each["user"]["id"] for each in starrers] == [cast.reporter.id, cast.guest.id]
    assert starrers[0]["starred_since"].endswith("Z")
    found = cast.guest.get(f"/projects/{cast.private.id}/starrers", search="guest").json
    assert [each["user"]["id"] for each in found] == [cast.guest.id]
    starred = f"/users/{cast.guest.username}/starred_projects"
    assert {each["id"] for each in cast.reporter.get(starred).json} == {cast.private.id, cast.public.id}
    assert [each["id"] for each in cast.anonymous.get(starred, simple=True).json] == [cast.public.id]
    second = cast.guest.get(f"/users/{cast.guest.id}/starred_projects", per_page=1, page=2)
    assert (len(second.json), second.headers["X-Total"]) == (1, "2")


def test_the_groups_of_a_project_are_those_above_and_those_it_is_shared_with(cast):
    here = f"/projects/{cast.private.id}/groups"
    above = {cast.company.id, cast.department.id, cast.team.id}
    assert {group["id"] for group in cast.owner.get(here).json} == above
    assert {group["id"] for group in cast.root.get(here, with_shared=True).json} == above | {cast.guild.id}
    skipped = cast.root.get(here, skip_groups=[cast.team.id, cast.company.id]).json
    assert [group["id"] for group in skipped] == [cast.department.id]
    assert set(skipped[0]) == {"id", "name", "avatar_url", "web_url", "full_name", "full_path"}


def test_the_storage_names_no_folder_of_the_machine(cast):
    shown = cast.root.get(f"/projects/{cast.private.id}/storage").json
    assert shown == {"project_id": cast.private.id, "repository_storage": "default"} | {
        "created_at": shown["created_at"], "disk_path": shown["disk_path"],
    }  # fmt: skip
    assert shown["disk_path"].startswith("@hashed/")


@cases([
    Case("anonymous", "GET /namespaces/company/exists", 401),
    Case("stranger", "GET /namespaces/company/exists", 200, {"exists": True, "suggests": ["company1"]}),
    Case("stranger", "GET /namespaces/Company/exists", 200, {"exists": True, "suggests": ["Company1"]}),
    Case("stranger", "GET /namespaces/unheard-of/exists", 200, {"exists": False, "suggests": []}),
    Case("stranger", "GET /namespaces/department/exists", 404, {"message": "404 Namespace Not Found"},
         {"parent_id": 999_999}),
])  # fmt: skip
def test_a_path_is_checked_before_it_is_used(case, cast):
    case.holds(cast)


def test_a_path_below_a_group_is_checked_for_those_who_see_the_group(cast):
    made = cast.root.get(f"/groups/{cast.department.id}").json
    here = f"/namespaces/{made['path']}/exists"
    assert cast.inherited.get(here, parent_id=cast.company.id).json["exists"] is True
    assert cast.inherited.get("/namespaces/other/exists", parent_id=cast.company.id).json["exists"] is False
    assert cast.stranger.get(here, parent_id=cast.company.id).status == 404
