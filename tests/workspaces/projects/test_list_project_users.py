def test_the_team_are_all_who_have_access_however_they_got_it(cast):
    answer = cast.guest.get(f"/projects/{cast.private.id}/users", per_page=100)
    names = {user["username"] for user in answer.json}
    present = {"owner", "master", "developer", "reporter", "guest", "inherited", "shared", "blocked"}
    assert {getattr(cast, name).username for name in present} <= names
    assert names.isdisjoint({cast.stranger.username, cast.expired.username, cast.left.username})
    assert answer.headers["X-Total"] == str(len(names))
    assert sorted(answer.json[0]) == ["avatar_url", "id", "name", "state", "username", "web_url"]


def test_the_team_is_searched(cast):
    found = cast.guest.get(f"/projects/{cast.private.id}/users", search=cast.reporter.username).json
    assert [user["id"] for user in found] == [cast.reporter.id]


def test_who_may_not_read_the_project_does_not_see_its_team(cast):
    assert cast.stranger.get(f"/projects/{cast.private.id}/users").status == 404
