"""Personal access tokens: their users, and administrators, list, show and revoke them."""

from dataclasses import replace

from tests.harness.cases import Case, cases


@cases([
    Case("anonymous", "GET /personal_access_tokens", 401),
    Case("anonymous", "GET /personal_access_tokens/self", 401),
    Case("guest", "GET /personal_access_tokens?user_id={owner.id}", 401, {"message": "401 Unauthorized"}),
    Case("guest", "GET /personal_access_tokens/999999", 401, {"message": "401 Unauthorized"}),
    Case("root", "GET /personal_access_tokens/999999", 404, {"message": "404 Personal Access Token Not Found"}),
    Case("read_user", "GET /personal_access_tokens", 403),
    Case("read_user", "GET /personal_access_tokens/self", 200),
])  # fmt: skip
def test_tokens_of_others_are_for_administrators(case, cast):
    case.holds(cast)


def test_users_see_their_own_tokens_and_administrators_all(cast):
    [token] = cast.guest.get("/personal_access_tokens").json
    assert cast.guest.get("/personal_access_tokens/self").json == token
    assert cast.guest.get(f"/personal_access_tokens/{token['id']}").json == token
    assert set(token) == {
        "id", "name", "revoked", "created_at", "description", "scopes", "user_id", "last_used_at", "active",
        "expires_at",
    }  # fmt: skip
    assert (token["user_id"], token["active"], token["scopes"]) == (cast.guest.id, True, ["api"])
    assert cast.root.get("/personal_access_tokens", user_id=cast.guest.id).json == [token]
    assert int(cast.root.get("/personal_access_tokens").headers["X-Total"]) > 5
    for query, found in {
        "state=active": 1, "state=inactive": 0, "revoked=true": 0, "search=no_such%25": 0, f"search={token['name']}": 1,
        "created_before=2001-01-01": 0, "created_after=2001-01-01": 1, "expires_before=2001-01-01": 0,
    }.items():  # fmt: skip
        assert len(cast.guest.get(f"/personal_access_tokens?{query}").json) == found, query


def test_a_token_for_repositories_reads_files(cast):
    project = cast.owner.post("/projects", name="described", initialize_with_readme=True).json["id"]
    tokens, file = f"/users/{cast.owner.id}/personal_access_tokens", f"/projects/{project}/repository/files/README.md"
    for scope in ("read_repository", "write_repository"):
        reader = replace(cast.owner, token=cast.root.post(tokens, name="x", scopes=[scope]).json["token"])
        for path in (file, f"{file}/raw", f"{file}/blame"):
            assert reader.get(path, ref="master").status == 200
        assert reader.get(f"/projects/{project}").status == 403
        assert reader.put(file, branch="master", content="x", commit_message="x").status == 403


def test_lists_of_tokens_are_sorted(cast):
    def names(path, sort):
        tokens = cast.root.get(path, user_id=cast.guest.id, sort=sort).json
        return "".join(token["name"] for token in tokens if len(token["name"]) == 1)

    people, owned = f"/users/{cast.guest.id}/personal_access_tokens", f"/projects/{cast.private.id}/access_tokens"
    for path, rest in ((people, {}), (owned, {"access_level": 10})):
        for name, expires_at in (("b", "2999-01-02"), ("A", None), ("c", "2999-01-01")):
            assert cast.root.post(path, name=name, scopes=["read_user"], expires_at=expires_at, **rest).status == 201
    cast.run("UPDATE access_tokens SET last_used_at = expires_on WHERE name IN ('b', 'c')")
    for path in ("/personal_access_tokens", owned):
        for sort, found in {
            "created_asc": "bAc", "created_desc": "cAb", "name_asc": "Abc", "expires_asc": "cbA", "last_used_desc": "bcA",
        }.items():  # fmt: skip
            assert names(path, sort) == found, sort
    assert cast.guest.get("/personal_access_tokens", sort="size_asc").status == 400


def test_a_revoked_token_fails_from_the_next_request_on(cast):
    [token] = cast.guest.get("/personal_access_tokens").json
    assert cast.owner.delete(f"/personal_access_tokens/{token['id']}").status == 401
    assert cast.guest.delete(f"/personal_access_tokens/{token['id']}").status == 204
    assert cast.guest.get("/user").status == 401
    assert cast.root.get(f"/personal_access_tokens/{token['id']}").json["revoked"] is True
    assert cast.root.delete(f"/personal_access_tokens/{token['id']}").status == 204
    assert cast.stranger.delete("/personal_access_tokens/self").status == 204
    assert cast.stranger.get("/personal_access_tokens/self").status == 401
