"""Who a request is: tokens in every place they may stand, and `sudo`."""

import pytest

from tests.harness.client import Raw


def header(**headers):
    return Raw(headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_a_token_may_stand_in_many_places(cast):
    token = cast.guest.token
    places = [
        header(Private_Token=token),
        header(PRIVATE_TOKEN=token),
        header(Authorization=f"Bearer {token}"),
        header(Authorization=f"bearer {token}"),
        Raw(query=f"private_token={token}"),
        Raw(query=f"access_token={token}"),
    ]
    assert [cast.anonymous.get("/user", place).json["id"] for place in places] == [cast.guest.id] * len(places)
    assert cast.anonymous.post("/projects", name="x", private_token=token).status == 201


@pytest.mark.parametrize("path", ["/user", "/projects", "/version"])
def test_a_token_that_is_not_known_is_refused_even_where_none_is_needed(cast, path):
    for place in (header(Private_Token="nonsense"), header(Authorization="Bearer nonsense")):
        answer = cast.anonymous.get(path, place)
        assert (answer.status, answer.json) == (401, {"message": "401 Unauthorized"})


def test_the_caller_is_authenticated_before_the_path_is_read(cast):
    """A segment that is no number is a parameter; digits that a path demands belong to the path itself."""
    for path in ("/user/keys/x", f"/projects/{cast.public.id}/issues/x", "/geo_nodes/x", "/user/emails/%FF"):
        for caller in (cast.anonymous, cast.anonymous.with_token("nonsense")):
            answer = caller.get(path)
            assert (answer.status, answer.json) == (401, {"message": "401 Unauthorized"}), path
    assert cast.root.get("/user/keys/x").json == {"error": "key_id is invalid"}
    assert cast.root.get("/user/emails/%FF").json == {"error": "email_id is invalid"}
    for segment in ("x", "-1", "1%20", "%C2%B2"):
        answer = cast.anonymous.get(f"/users/{segment}/keys")
        assert (answer.status, answer.json) == (404, {"error": "404 Not Found"}), segment
    assert cast.anonymous.get("/users/%31/keys").status == 401


def test_an_empty_token_is_none(cast):
    assert cast.anonymous.get("/projects", Raw(query="private_token=")).status == 200


def test_the_parameter_is_read_before_the_header(cast):
    assert cast.guest.get("/user", Raw(query="private_token=nonsense")).status == 401
    assert cast.guest.get("/user", header(Authorization="Bearer nonsense")).status == 401


def test_a_blocked_person_is_told_so(cast):
    answer = cast.blocked.get("/user")
    assert (answer.status, answer.json) == (403, {"message": "403 Forbidden - User is blocked"})


def test_a_token_reaches_as_far_as_its_scope(cast):
    assert cast.read_user.get("/user").status == 200
    assert cast.read_user.get("/users").status == 200
    refused = cast.read_user.get("/projects")
    assert refused.status == 403
    assert refused.json == {
        "error": "insufficient_scope",
        "error_description": "The request requires higher privileges than provided by the access token.",
        "scope": "api",
    }


def test_an_administrator_acts_as_another_user(cast):
    for name in (str(cast.guest.id), cast.guest.username):
        assert cast.root.get("/user", header(Sudo=name)).json["id"] == cast.guest.id
        seen = cast.root.get("/user", sudo=name).json
        assert (seen["id"], "is_admin" in seen) == (cast.guest.id, False)
    assert cast.root.get(f"/projects/{cast.private.id}", sudo=cast.stranger.username).status == 404


def test_sudo_is_refused_with_its_own_words(cast):
    ordinary = cast.guest.get("/user", sudo=cast.owner.username)
    assert (ordinary.status, ordinary.json) == (403, {"message": "403 Forbidden - Must be admin to use sudo"})
    nobody = cast.root.get("/user", sudo="nobody.here")
    assert (nobody.status, nobody.json) == (404, {"message": "404 User with ID or username 'nobody.here' Not Found"})
    assert cast.anonymous.get("/user", sudo="root").status == 401


def test_an_invalid_sudo_never_acts_as_the_administrator(cast):
    """Whatever its form: a parameter that is misread must not leave the administrator's own rights."""
    for query in ("sudo[]=guest", "sudo[id]=1", "sudo[]=", "sudo[][a]=b"):
        answer = cast.root.get("/user", Raw(query=query))
        assert (answer.status, answer.json) == (400, {"error": "sudo is invalid"}), query
    for value in (["guest"], {"id": 1}, [], {}, True, 1.5):
        answer = cast.root.post("/groups", name="x", path="x", sudo=value)
        assert (answer.status, answer.json) == (400, {"error": "sudo is invalid"}), value
    assert cast.anonymous.get("/user", Raw(query="sudo[]=guest")).status == 401


def test_sudo_to_a_blocked_person_works(cast):
    assert cast.root.get("/user", sudo=cast.blocked.username).json["id"] == cast.blocked.id
