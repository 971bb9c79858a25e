"""Who lets in the jobs of which projects; what that opens is tested with job tokens."""

import pytest

from tests.harness.cases import Case, Has, cases

SCOPE = "/projects/{private.id}/job_token_scope"


@pytest.fixture
def scope(cast):
    return SCOPE.format(**cast.names)


@cases(
    [
        Case("anonymous", f"GET {SCOPE}", 401),
        Case("stranger", f"GET {SCOPE}", 404, {"message": "404 Project Not Found"}),
        Case("developer", f"GET {SCOPE}", 403),
        Case("developer", f"PATCH {SCOPE}", 403, params={"enabled": True}),
        Case("developer", f"GET {SCOPE}/allowlist", 403),
        Case("developer", f"POST {SCOPE}/groups_allowlist", 403, params={"target_group_id": 1}),
        Case("developer", f"DELETE {SCOPE}/allowlist/1", 403),
        Case("master", f"GET {SCOPE}", 200, {"inbound_enabled": False, "outbound_enabled": False}),
        Case("master", f"PATCH {SCOPE}", 400, Has(error="enabled is missing")),
        Case("master", f"POST {SCOPE}/allowlist", 400, Has(error="target_project_id is missing")),
        Case("master", f"POST {SCOPE}/allowlist", 404, {"message": "404 Project Not Found"}, {"target_project_id": 9999}),
        Case("master", f"POST {SCOPE}/groups_allowlist", 404, {"message": "404 Group Not Found"}, {"target_group_id": 9999}),
        Case("master", f"DELETE {SCOPE}/allowlist/9999", 404, {"message": "404 Project Not Found"}),
        Case("master", f"DELETE {SCOPE}/groups_allowlist/9999", 404, {"message": "404 Group Not Found"}),
        Case("master", f"GET {SCOPE}/groups_allowlist", 200, []),
    ]
)  # fmt: skip
def test_the_scope_is_for_those_who_manage_the_project(case, cast):
    case.holds(cast)


def test_the_limit_is_switched_on_and_off_and_audited(cast, scope):
    for enabled in (True, True, False):
        assert cast.master.patch(scope, enabled=enabled).status == 204
        assert cast.master.get(scope).json == {"inbound_enabled": enabled, "outbound_enabled": False}
    assert cast.events()[-2:] == ["job_token_scope.updated"] * 2
    entry = cast.owner.get(f"/projects/{cast.private.id}/audit_events").json[0]
    assert (entry["details"]["change"], entry["details"]["from"], entry["details"]["to"]) == (
        "inbound_enabled", True, False,
    )  # fmt: skip


def test_projects_are_put_on_the_allowlist_and_taken_off(cast, scope):
    allowlist = f"{scope}/allowlist"
    assert [each["id"] for each in cast.master.get(allowlist).json] == [cast.private.id]
    made = cast.master.post(allowlist, target_project_id=cast.public.id)
    assert (made.status, made.json) == (
        201, {"source_project_id": cast.private.id, "target_project_id": cast.public.id},
    )  # fmt: skip
    for twice in (cast.public.id, cast.private.id):
        again = cast.master.post(allowlist, target_project_id=twice)
        assert (again.status, again.json) == (400, {"message": {"target_project": ["is already in the allowlist"]}})
    listed = cast.master.get(allowlist)
    assert ([each["id"] for each in listed.json], listed.headers["X-Total"]) == ([cast.private.id, cast.public.id], "2")
    assert listed.json[1]["path_with_namespace"] == cast.public.path
    assert [each["id"] for each in cast.master.get(allowlist, per_page=1, page=2).json] == [cast.public.id]
    assert cast.master.delete(f"{allowlist}/{cast.public.id}").status == 204
    assert cast.master.delete(f"{allowlist}/{cast.public.id}").status == 404
    assert [each["id"] for each in cast.master.get(allowlist).json] == [cast.private.id]


def test_groups_are_put_on_the_allowlist_and_taken_off(cast, scope):
    allowlist = f"{scope}/groups_allowlist"
    made = cast.master.post(allowlist, target_group_id=cast.team.id)
    assert (made.status, made.json) == (201, {"source_project_id": cast.private.id, "target_group_id": cast.team.id})
    again = cast.master.post(allowlist, target_group_id=cast.team.id)
    assert (again.status, again.json) == (400, {"message": {"target_group": ["is already in the allowlist"]}})
    (listed,) = cast.master.get(allowlist).json
    assert (set(listed), listed["id"]) == ({"id", "web_url", "name"}, cast.team.id)
    assert cast.master.get(allowlist, per_page=1, page=2).json == []
    assert cast.master.delete(f"{allowlist}/{cast.team.id}").status == 204
    assert cast.master.get(allowlist).json == []


def test_a_project_that_one_may_not_read_is_neither_added_nor_listed(cast, scope):
    secret = cast.stranger.post("/projects", name="secret", visibility="private").json["id"]
    allowlist = f"{scope}/allowlist"
    assert cast.master.post(allowlist, target_project_id=secret).status == 404
    assert cast.root.post(allowlist, target_project_id=secret).status == 201
    assert [each["id"] for each in cast.master.get(allowlist).json] == [cast.private.id]
    assert [each["id"] for each in cast.root.get(allowlist).json] == [cast.private.id, secret]
    assert cast.stranger.delete(f"/projects/{secret}").status == 204
    assert [each["id"] for each in cast.root.get(allowlist).json] == [cast.private.id]
