import pytest


@pytest.fixture
def mine(cast):
    for name in ("private", "public"):
        cast.guest.post("/projects", name=f"my {name}", visibility=name)


@pytest.mark.parametrize(("who", "seen"), [("guest", 2), ("stranger", 1), ("anonymous", 1), ("root", 2)])
def test_the_projects_of_a_user_that_the_caller_may_see_are_listed(cast, mine, who, seen):
    by_id = getattr(cast, who).get(f"/users/{cast.guest.id}/projects")
    by_name = getattr(cast, who).get(f"/users/{cast.guest.username.upper()}/projects/")
    assert len(by_id.json) == len(by_name.json) == seen
    assert by_id.headers["X-Total"] == str(seen)


def test_an_unknown_user_is_not_found(cast):
    assert cast.guest.get("/users/999999/projects").json == {"message": "404 User Not Found"}
