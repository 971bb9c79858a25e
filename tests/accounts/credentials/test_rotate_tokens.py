"""Replacing personal access tokens."""

import asyncio
import re
from dataclasses import replace

import pytest

from mujina.accounts.credentials.operations import rotate
from mujina.accounts.credentials.personal_tokens import find_personal_token
from mujina.kernel.permissions.actor import Actor
from tests.harness.client import Raw


def person_with(person, token):
    return replace(person, token=token)


@pytest.fixture
def rotating(cast):
    """The reporter with a token of their own that an administrator created."""
    made = cast.root.post(
        f"/users/{cast.reporter.id}/personal_access_tokens", name="ci", scopes=["api"], description="For CI",
        expires_at="2999-01-01",
    )  # fmt: skip
    assert (made.status, made.json["description"], made.json["user_id"]) == (201, "For CI", cast.reporter.id), made
    return person_with(cast.reporter, made.json["token"])


def test_a_replaced_token_fails_at_once_and_the_new_one_works(rotating):
    made = rotating.post("/personal_access_tokens/self/rotate")
    assert (made.status, made.json["name"], made.json["scopes"], made.json["active"]) == (200, "ci", ["api"], True)
    assert made.json["expires_at"] is not None
    assert rotating.get("/user").status == 401
    new = person_with(rotating, made.json["token"])
    assert new.get("/user").status == 200
    assert "token" not in new.get("/personal_access_tokens/self").json


def test_a_replaced_token_that_is_used_once_more_ends_those_that_followed(rotating):
    made = rotating.post("/personal_access_tokens/self/rotate", expires_at="2999-01-01").json
    new = person_with(rotating, made["token"])
    assert (made["expires_at"], new.get("/user").status) == ("2999-01-01", 200)
    replayed = rotating.post("/personal_access_tokens/self/rotate")
    assert (replayed.status, replayed.json["error"]) == (401, "invalid_token")
    assert new.get("/user").status == 401


def test_a_revoked_token_named_by_its_id_ends_its_family(cast, rotating):
    old = rotating.get("/personal_access_tokens/self").json["id"]
    new = person_with(rotating, cast.reporter.post(f"/personal_access_tokens/{old}/rotate").json["token"])
    assert new.get("/user").status == 200
    assert cast.reporter.post(f"/personal_access_tokens/{old}/rotate").status == 401
    assert new.get("/user").status == 401
    assert cast.guest.post(f"/personal_access_tokens/{old}/rotate").status == 401
    assert cast.reporter.get("/user").status == 200


@pytest.mark.commits
def test_one_of_several_replacements_at_once_succeeds_and_the_others_end_the_family(cast, rotating):
    async def all_at_once():
        rotate = ("POST", "/personal_access_tokens/self/rotate")
        return await asyncio.gather(*(rotating.exchange(*rotate) for _ in range(6)))

    answers = cast.root.loop.run_until_complete(all_at_once())
    assert sorted(answer.status for answer in answers) == [200, 401, 401, 401, 401, 401]
    assert live_tokens(cast) == 0


@pytest.mark.commits
def test_a_token_that_is_replaced_while_an_older_one_is_used_once_more_ends_with_its_family(cast, rotating):
    old = rotating.get("/personal_access_tokens/self").json["id"]
    new = cast.reporter.post(f"/personal_access_tokens/{old}/rotate").json

    async def replay_meanwhile():
        async with cast.database.transaction() as tx:
            actor = Actor(id=cast.reporter.id)
            assert await rotate(tx, actor, await find_personal_token(tx, actor, new["id"]), None)
            replaying = asyncio.create_task(cast.reporter.exchange("POST", f"/personal_access_tokens/{old}/rotate"))
            await asyncio.sleep(0.2)
        return await replaying

    assert cast.root.loop.run_until_complete(replay_meanwhile()).status == 401
    assert live_tokens(cast) == 0


def live_tokens(cast):
    """How many tokens of the family are valid."""
    return cast.value("SELECT count(*) FROM access_tokens WHERE name = 'ci' AND NOT revoked")


def test_only_tokens_with_the_scope_replace_themselves(cast):
    def made(scope):
        answer = cast.root.post(f"/users/{cast.guest.id}/personal_access_tokens", name="x", scopes=[scope])
        return person_with(cast.guest, answer.json["token"])

    assert made("read_api").post("/personal_access_tokens/self/rotate").status == 403
    assert made("self_rotate").post("/personal_access_tokens/self/rotate").status == 200
    assert made("self_rotate").get("/user").status == 403


def test_users_create_only_tokens_that_open_nothing(cast):
    refused = cast.guest.post("/user/personal_access_tokens", name="x", scopes=["api"])
    assert (refused.status, refused.json) == (400, {"message": {"scopes": ["can only contain available scopes"]}})
    assert cast.guest.post("/user/personal_access_tokens", name="x", scopes=["self_rotate"]).status == 201
    refused = cast.guest.post(f"/users/{cast.guest.id}/personal_access_tokens", name="x", scopes=["api"])
    assert refused.status == 403


def test_a_token_that_reads_changes_nothing(cast):
    made = cast.root.post(f"/users/{cast.owner.id}/personal_access_tokens", name="x", scopes=["read_api"])
    reader = person_with(cast.owner, made.json["token"])
    assert reader.get(f"/projects/{cast.private.id}").status == 200
    assert reader.post("/markdown", text="x").status == 201
    refused = reader.put(f"/projects/{cast.private.id}", description="x")
    assert (refused.status, refused.json["error"]) == (403, "insufficient_scope")


def test_an_impersonation_token_does_not_replace_itself(cast):
    made = cast.root.post(f"/users/{cast.guest.id}/impersonation_tokens", name="x", scopes=["api"]).json
    assert person_with(cast.guest, made["token"]).post("/personal_access_tokens/self/rotate").status == 405


def test_basic_authentication_opens_no_other_route(cast):
    assert cast.anonymous.get("/user", Raw(headers={"Deploy-Token": "gldt-x"})).status == 401


def test_a_token_is_replaced_on_the_page(browse, cast, rotating):
    page, reporter = "/profile/personal_access_tokens", browse("reporter")
    token_id = rotating.get("/personal_access_tokens/self").json["id"]
    assert "Rotate" in reporter.open(page).text
    shown = reporter.send(f"{page}/rotate", id=token_id)
    [value] = re.findall(r'id="created-personal-access-token"[^>]* value="([^"]+)"', shown.text)
    assert rotating.get("/user").status == 401
    assert person_with(rotating, value).get("/user").status == 200
    guest = browse("guest")
    guest.open(page)
    assert guest.send(f"{page}/rotate", id=token_id).status == 404
