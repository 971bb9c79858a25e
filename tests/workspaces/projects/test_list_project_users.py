def test_all_users_with_access_are_listed(cast):
    answer = cast.guest.get(f"/projects/{cast.private.id}/users", per_page=100)
    names = {user["username"] for user in answer.json}
    present = {"owner", "master", "developer", "reporter", "guest", "inherited", "shared", "blocked"}
    assert {getattr(cast, name).username for name in present} <= names
    assert names.isdisjoint({cast.stranger.username, cast.expired.username, cast.left.username})
    assert answer.headers["X-Total"] == str(len(names))
    assert sorted(answer.json[0]) == ["avatar_url", "id", "name", "state", "username", "web_url"]


def test_the_users_are_searched(cast):
    found = cast.guest.get(f"/projects/{cast.private.id}/users", search=cast.reporter.username).json
    assert [user["id"] for user in found] == [cast.reporter.id]


def test_the_users_of_a_hidden_project_are_hidden(cast):
    assert cast.stranger.get(f"/projects/{cast.private.id}/users").status == 404
