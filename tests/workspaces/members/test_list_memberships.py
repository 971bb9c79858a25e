"""GET /users/:id/memberships."""

from tests.harness.cases import Case, cases


@cases([
    Case("guest", "GET /users/{guest.id}/memberships", 403),
    Case("root", "GET /users/999999/memberships", 404, {"message": "404 User Not Found"}),
    Case("root", "GET /users/{stranger.id}/memberships", 200, []),
    Case("root", "GET /users/{expired.id}/memberships", 200, []),
    Case("root", "GET /users/{owner.id}/memberships", 400, {"error": "type does not have a valid value"}, {"type": "x"}),
])  # fmt: skip
def test_only_administrators_list_memberships(case, cast):
    case.holds(cast)


def test_projects_and_groups_are_listed(cast):
    cast.owner.post(f"/projects/{cast.private.id}/members", user_id=cast.stranger.id, access_level=20)
    cast.owner.post(f"/groups/{cast.team.id}/members", user_id=cast.stranger.id, access_level=10)
    here = f"/users/{cast.stranger.id}/memberships"
    listed = cast.root.get(here).json
    assert [(each["source_type"], each["source_id"], each["access_level"]) for each in listed] == [
        ("Namespace", cast.team.id, 10), ("Project", cast.private.id, 20),
    ]  # fmt: skip
    assert listed[1]["source_name"] == cast.owner.get(f"/projects/{cast.private.id}").json["name"]
    assert cast.root.get(here, type="Project").json == listed[1:]
    second = cast.root.get(here, per_page=1, page=2)
    assert (second.json, second.headers["X-Total"]) == (listed[1:], "2")
