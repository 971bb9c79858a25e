"""PUT /projects/:id/transfer, and where projects and groups may be transferred to."""

from tests.harness.cases import Case, Has, cases
from tests.harness.creation import chain, make_group, make_project

AT = "PUT /projects/{private.id}/transfer"


@cases([
    Case("anonymous", AT, 401, params={"namespace": "guild"}),
    Case("owner", AT, 400, Has(error="namespace is missing")),
    Case("master", AT, 403, {"message": "403 Forbidden"}, {"namespace": "guild"}, events=[]),
    Case("stranger", AT, 404, {"message": "404 Project Not Found"}, {"namespace": "guild"}),
    Case("owner", AT, 404, {"message": "404 Namespace Not Found"}, {"namespace": "guild"}, events=[]),
    Case("owner", AT, 404, {"message": "404 Namespace Not Found"}, {"namespace": "stranger"}, events=[]),
    Case("owner", AT, 404, {"message": "404 Namespace Not Found"}, {"namespace": "999999"}, events=[]),
    Case("owner", f"{AT}?namespace={{team.id}}", 400, {"message": "Transfer failed, please contact an admin."}, events=[]),
    Case("owner", AT, 200, Has(path_with_namespace="owner/private"), {"namespace": "owner"}, events=["project.transferred"]),
    Case("root", f"{AT}?namespace={{guild.id}}", 200, Has(path_with_namespace="guild/private"), events=["project.transferred"]),
    Case("anonymous", "GET /projects/{public.id}/transfer_locations", 401),
    Case("master", "GET /projects/{private.id}/transfer_locations", 403),
    Case("anonymous", "GET /groups/{team.id}/transfer_locations", 401),
    Case("master", "GET /groups/{team.id}/transfer_locations", 403),
])  # fmt: skip
def test_owners_move_a_project(case, cast):
    case.holds(cast)


def test_a_project_moves_between_groups_and_users(cast):
    one, two = make_group(cast.owner, "one"), make_group(cast.owner, "two", visibility="private")
    project = make_project(cast.owner, "thing", namespace_id=one["id"])
    here = f"/projects/{project['id']}"
    cast.owner.post(f"/groups/{one['id']}/labels", name="bug", color="red")
    cast.owner.post(f"{here}/issues", title="x", labels="bug")
    cast.root.post(f"/groups/{one['id']}/members", user_id=cast.stranger.id, access_level=40)
    # A member who may not create projects, and one whose limit is reached, are refused.
    cast.root.post(f"/groups/{two['id']}/members", user_id=cast.guest.id, access_level=30)
    cast.root.post(f"/groups/{one['id']}/members", user_id=cast.guest.id, access_level=50)
    assert cast.guest.put(f"{here}/transfer", namespace="two").status == 403
    cast.root.put(f"/users/{cast.guest.id}", projects_limit=0)
    assert cast.guest.put(f"{here}/transfer", namespace=cast.guest.username).status == 403
    moved = cast.owner.put(f"{here}/transfer", namespace="owner")
    assert (moved.status, moved.json["namespace"]["kind"]) == (200, "user")
    listed = cast.owner.get(f"{here}/members").json
    assert [(each["username"], each["access_level"]) for each in listed] == [("owner", 40)]
    assert cast.stranger.get(here).status == 404
    assert cast.owner.get(f"{here}/issues").json[0]["labels"] == ["bug"]
    cast.owner.put(here, visibility="public")
    back = cast.owner.put(f"{here}/transfer", namespace="TWO").json
    assert (back["path_with_namespace"], back["visibility"]) == ("two/thing", "private")
    make_project(cast.owner, "thing", namespace_id=one["id"])
    taken = cast.owner.put(f"{here}/transfer", namespace=one["id"])
    assert (taken.status, "same path in target namespace" in taken.json["message"]) == (400, True)


def test_locations_are_where_a_transfer_may_succeed(cast):
    top, low = chain(cast.owner, "top", "low", visibility="internal")
    make_group(cast.owner, "hidden", visibility="private")
    other = make_group(cast.owner, "other", visibility="public")
    project = make_project(cast.owner, "thing", namespace_id=low["id"])

    def paths(answer):
        assert answer.status == 200, answer
        return [each["full_path"] for each in answer.json]

    here = f"/projects/{project['id']}/transfer_locations"
    found = cast.owner.get(here)
    assert set(found.json[0]) == {"id", "name", "avatar_url", "web_url", "full_name", "full_path"}
    assert {"top", "hidden", "other", cast.team.path} == set(paths(found))
    assert paths(cast.owner.get(here, search="oth")) == ["other"]
    assert (paths(cast.owner.get(here, per_page=1, page=2)) == paths(found)[1:2], found.headers["X-Total"]) == (
        True,
        "4",
    )
    assert paths(cast.owner.get(f"/groups/{low['id']}/transfer_locations")) == ["other", cast.team.path]
    assert paths(cast.owner.get(f"/groups/{top['id']}/transfer_locations", search="low")) == []
    assert "guild" in paths(cast.root.get(here, per_page=100))
    assert cast.owner.post(f"/groups/{low['id']}/transfer", group_id=other["id"]).status == 201
