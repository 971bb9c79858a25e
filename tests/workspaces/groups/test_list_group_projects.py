from tests.harness.cases import Case, cases
from tests.harness.creation import chain, make_group, make_project
from tests.harness.statements import statements


def listed(who, group, **query):
    answer = who.get(f"/groups/{group}/projects", **query)
    assert answer.status == 200, answer
    return [project["path"] for project in answer.json]


def test_each_caller_sees_the_projects_they_may_read(cast):
    for who in ("owner", "inherited", "root", "guest", "shared"):
        assert listed(getattr(cast, who), cast.team.id) == ["public", "internal", "private"]
    for who in ("stranger", "expired", "left"):
        assert listed(getattr(cast, who), cast.team.id) == ["public", "internal"]
    assert listed(cast.external, cast.team.id) == ["public"]
    assert listed(cast.anonymous, cast.team.id) == ["public"]


def test_projects_shared_with_the_group_are_listed(cast):
    assert listed(cast.shared, cast.guild.id) == ["public", "internal", "private"]
    assert listed(cast.stranger, cast.guild.id) == ["public", "internal"]


def test_projects_of_subgroups_are_not_listed(cast):
    assert listed(cast.inherited, cast.company.id) == []


def test_projects_of_subgroups_are_included_and_shared_ones_excluded_on_request(cast):
    for who, seen in (("inherited", 3), ("guest", 3), ("stranger", 2), ("anonymous", 1)):
        expected = ["public", "internal", "private"][:seen]
        assert listed(getattr(cast, who), cast.company.id, include_subgroups=True) == expected
    assert listed(cast.shared, cast.guild.id, with_shared=False) == []
    assert listed(cast.shared, cast.team.id, with_shared=False) == ["public", "internal", "private"]


def test_archived_projects_are_listed_alone(cast):
    cast.owner.post(f"/projects/{cast.private.id}/archive")
    assert listed(cast.owner, cast.team.id) == ["public", "internal"]
    assert listed(cast.owner, cast.team.id, archived=True) == ["private"]


def test_the_filters_of_projects_apply(cast):
    assert listed(cast.owner, cast.team.id, visibility="internal") == ["internal"]
    assert listed(cast.owner, cast.team.id, search="priv") == ["private"]
    assert listed(cast.owner, cast.team.id, order_by="name", sort="asc") == ["internal", "private", "public"]
    assert listed(cast.owner, cast.team.id, owned=True) == ["public", "internal", "private"]
    assert listed(cast.guest, cast.team.id, owned=True) == []
    cast.guest.post(f"/projects/{cast.public.id}/star")
    assert listed(cast.guest, cast.team.id, starred=True) == ["public"]


def test_projects_are_listed_without_permissions_and_in_short_form(cast):
    [project] = cast.owner.get(f"/groups/{cast.team.id}/projects", search="private").json
    assert "permissions" not in project
    [simple] = cast.owner.get(f"/groups/{cast.team.id}/projects", search="private", simple=True).json
    assert sorted(simple) == [
        "http_url_to_repo", "id", "name", "name_with_namespace", "path", "path_with_namespace", "ssh_url_to_repo",
        "web_url",
    ]  # fmt: skip


@cases(
    [
        Case("stranger", "GET /groups/hidden/projects", 404, {"message": "404 Group Not Found"}),
        Case("anonymous", "GET /groups/hidden/projects", 404),
        Case("owner", "GET /groups/hidden/projects", 200, []),
    ]
)
def test_a_hidden_group_is_not_found(case, cast):
    make_group(cast.owner, "hidden")
    case.holds(cast)


def test_the_list_takes_as_many_statements_whatever_its_length(cast):
    *_, group = chain(cast.owner, "top", "bottom")
    make_project(cast.owner, "first", namespace_id=group["id"])
    with statements(cast.database) as one:
        assert len(listed(cast.owner, group["id"])) == 1
    for number in range(9):
        make_project(cast.owner, f"p{number}", namespace_id=group["id"])
    with statements(cast.database) as many:
        assert len(listed(cast.owner, group["id"])) == 10
    assert many.count == one.count <= 7
