from tests.harness.cases import Case, Has, cases
from tests.harness.creation import chain, make_group, make_project
from tests.harness.statements import statements


@cases(
    [
        Case("anonymous", "GET /groups/{team.id}", 200, Has(full_path="company/department/team")),
        Case("anonymous", "GET /groups/company%2Fdepartment%2Fteam", 200),
        Case("anonymous", "GET /groups/Company%2Fdepartment%2FTEAM", 200),
        Case("read_user", "GET /groups/{team.id}", 403),
        Case("blocked", "GET /groups/{team.id}", 403),
        Case("owner", "GET /groups/999999", 404, {"message": "404 Group Not Found"}),
        Case("owner", "GET /groups/{private.encoded}", 404, {"message": "404 Group Not Found"}),
        Case("owner", "GET /groups/owner", 404, {"message": "404 Group Not Found"}),
    ]
)
def test_all_callers_see_a_public_group(case, cast):
    case.holds(cast)


def seen(cast, group):
    return {person.name for person in cast.people if person.get(f"/groups/{group['id']}").status == 200}


def test_a_private_group_is_not_found_for_other_users(cast):
    group = make_group(cast.owner, "secret")
    answer = cast.stranger.get(f"/groups/{group['id']}")
    assert (answer.status, answer.json) == (404, {"message": "404 Group Not Found"})
    assert seen(cast, group) == {"root", "owner"}


def test_signed_in_users_who_are_not_external_see_an_internal_group(cast):
    group = make_group(cast.owner, "services", visibility="internal")
    assert {"stranger", "expired", "left"} <= seen(cast, group)
    assert not {"anonymous", "external", "read_user", "blocked"} & seen(cast, group)


def test_a_private_group_is_seen_from_inside_and_from_above(cast):
    top, middle, bottom = chain(cast.owner, "top", "middle", "bottom")
    cast.owner.post(f"/groups/{middle['id']}/members", user_id=cast.stranger.id, access_level=10)
    for group in (top, middle, bottom):
        assert seen(cast, group) == {"root", "owner", "stranger"}
    project = make_project(cast.owner, "deep", namespace_id=bottom["id"])
    cast.owner.post(f"/projects/{project['id']}/members", user_id=cast.guest.id, access_level=10)
    assert "guest" in seen(cast, bottom)
    cast.owner.post(f"/projects/{project['id']}/share", group_id=cast.guild.id, group_access=10)
    assert "shared" in seen(cast, bottom)


def test_sharing_a_project_does_not_show_the_group_it_is_shared_with(cast):
    invited = make_group(cast.owner, "invited")
    cast.owner.post(f"/projects/{cast.public.id}/share", group_id=invited["id"], group_access=10)
    assert seen(cast, invited) == {"root", "owner"}


def test_dots_in_a_path_may_be_encoded(cast):
    make_group(cast.owner, "grp.sub")
    assert cast.owner.get("/groups/grp%2Esub").json["path"] == "grp.sub"
    assert cast.owner.get("/groups/grp.sub").json["path"] == "grp.sub"


def test_a_group_is_shown_with_its_projects(cast):
    group = cast.owner.get(f"/groups/{cast.team.id}").json
    assert [project["path"] for project in group["projects"]] == ["private", "internal", "public"]
    assert all("permissions" not in project for project in group["projects"])
    assert [project["path"] for project in cast.anonymous.get(f"/groups/{cast.team.id}").json["projects"]] == ["public"]
    assert group["shared_projects"] == []


def test_a_group_is_shown_with_the_projects_shared_with_it(cast):
    group = cast.shared.get(f"/groups/{cast.guild.id}").json
    assert [project["path"] for project in group["shared_projects"]] == ["private", "internal", "public"]
    assert group["shared_projects"][0]["shared_with_groups"] == [
        {"group_id": cast.guild.id, "group_name": "Guild", "group_access_level": 20}
    ]
    stranger = cast.stranger.get(f"/groups/{cast.guild.id}").json
    assert [project["path"] for project in stranger["shared_projects"]] == ["internal", "public"]


def test_archived_projects_are_shown(cast):
    cast.owner.post(f"/projects/{cast.private.id}/archive")
    assert len(cast.owner.get(f"/groups/{cast.team.id}").json["projects"]) == 3


def test_a_group_takes_as_many_statements_whatever_its_number_of_projects(cast):
    group = make_group(cast.owner, "growing")
    make_project(cast.owner, "first", namespace_id=group["id"])
    with statements(cast.database) as one:
        cast.owner.get(f"/groups/{group['id']}")
    for number in range(5):
        make_project(cast.owner, f"p{number}", namespace_id=group["id"])
    with statements(cast.database) as many:
        assert len(cast.owner.get(f"/groups/{group['id']}").json["projects"]) == 6
    assert many.count == one.count <= 7
