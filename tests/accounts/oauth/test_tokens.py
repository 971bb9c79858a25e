import asyncio
import base64

import pytest

from mujina.accounts.oauth.grants import refresh
from mujina.accounts.oauth.params import TokenRequest
from mujina.kernel import clock
from tests.accounts.oauth.conftest import BACK, PASSWORD, PKCE, VERIFIER, bearer, consent, post
from tests.harness.client import Raw
from tests.harness.statements import statements


def test_a_code_becomes_tokens(signed_in, app, client):
    answer = app.exchange(consent(signed_in, app))
    told = answer.json
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    assert told["token_type"] == "bearer"
    assert told["expires_in"] == 7200
    assert told["scope"] == "api"
    assert len(told["access_token"]) == len(told["refresh_token"]) == 64
    assert bearer(client, told["access_token"]).json["username"] == "reporter"
    assert client.get("/user", access_token=told["access_token"]).json["username"] == "reporter"


def test_a_token_costs_one_statement(tokens, client, database):
    with statements(database) as used:
        assert bearer(client, tokens["access_token"], "/version").status == 200
    assert used.count == 1


def test_scopes_hold(signed_in, app, client):
    token = app.exchange(consent(signed_in, app, scope="read_user")).json["access_token"]
    assert bearer(client, token).status == 200
    assert bearer(client, token, "/projects").json["error"] == "insufficient_scope"


def test_a_code_is_good_once_and_its_second_use_ends_what_came_of_the_first(signed_in, app, client):
    code = consent(signed_in, app)
    told = app.exchange(code).json
    assert app.exchange(code).json["error"] == "invalid_grant"
    assert bearer(client, told["access_token"]).status == 401
    assert app.refresh(told["refresh_token"]).status == 401


def test_the_client_must_prove_that_it_asked(signed_in, app):
    assert app.exchange(consent(signed_in, app, **PKCE)).status == 401
    assert app.exchange(consent(signed_in, app, **PKCE), code_verifier="x" * 43).status == 401
    assert app.exchange(consent(signed_in, app, **PKCE), code_verifier=VERIFIER).status == 200


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"redirect_uri": "https://app.example/other"}, "invalid_grant"),
        ({"code": "0" * 64}, "invalid_grant"),
        ({"grant_type": "implicit"}, "unsupported_grant_type"),
        ({"grant_type": ""}, "invalid_request"),
    ],
)
def test_an_invalid_exchange_gets_401_with_its_error(signed_in, app, wrong, error):
    said = {"code": consent(signed_in, app)} | wrong
    answer = app.exchange(**said)
    assert (answer.status, answer.json["error"]) == (401, error)
    assert f'error="{error}"' in answer.headers["WWW-Authenticate"]
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_client_shows_its_secret_in_the_form_or_the_header(signed_in, app, client):
    said = {"grant_type": "authorization_code", "code": consent(signed_in, app), "redirect_uri": BACK}
    assert (
        post(client, "/oauth/token", client_id=app.uid, client_secret="wrong", **said).json["error"] == "invalid_client"
    )
    assert post(client, "/oauth/token", **said).json["error"] == "invalid_client"
    coded = base64.b64encode(f"{app.uid}:{app.secret}".encode()).decode()
    assert post(client, "/oauth/token", {"Authorization": f"Basic {coded}"}, **said).status == 200


def test_refreshing_gives_a_new_pair_and_ends_the_old(tokens, app, client):
    fresh = app.refresh(tokens["refresh_token"]).json
    assert bearer(client, fresh["access_token"]).status == 200
    assert bearer(client, tokens["access_token"]).status == 401


def test_a_refresh_token_that_comes_again_ends_the_whole_family(tokens, app, client):
    fresh = app.refresh(tokens["refresh_token"]).json
    assert app.refresh(tokens["refresh_token"]).json["error"] == "invalid_grant"
    assert bearer(client, fresh["access_token"]).status == 401
    assert app.refresh(fresh["refresh_token"]).status == 401


@pytest.mark.commits
def test_one_of_several_refreshes_at_once_succeeds_and_the_others_end_the_family(tokens, app, known):
    pair = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}

    async def all_at_once():
        return await asyncio.gather(*(send(app, "/oauth/token", **pair) for _ in range(6)))

    answers = app.client.loop.run_until_complete(all_at_once())
    assert sorted(answer.status for answer in answers) == [200, 401, 401, 401, 401, 401]
    assert known.value("SELECT count(*) FROM oauth_tokens WHERE NOT revoked") == 0


@pytest.mark.commits
def test_a_pair_that_is_refreshed_while_its_family_ends_ends_with_it(tokens, app, known):
    async def revoke_meanwhile():
        async with known.database.transaction() as tx:
            application_id = await tx.value("SELECT t.application_id FROM oauth_tokens t")
            assert await refresh(tx, application_id, TokenRequest(refresh_token=tokens["refresh_token"]))
            revoking = asyncio.create_task(send(app, "/oauth/revoke", token=tokens["access_token"]))
            await asyncio.sleep(0.2)
        return await revoking

    assert app.client.loop.run_until_complete(revoke_meanwhile()).status == 200
    assert known.value("SELECT count(*) FROM oauth_tokens WHERE NOT revoked") == 0


async def send(app, path, **params):
    form = Raw.form(client_id=app.uid, client_secret=app.secret, **params)
    return await app.client.exchange("POST", f"/{path}", form)


def test_refreshing_never_widens(signed_in, app):
    told = app.exchange(consent(signed_in, app, scope="read_user")).json
    assert app.refresh(told["refresh_token"], scope="api").status == 401


def test_a_token_lasts_two_hours_and_can_be_refreshed_afterward(tokens, app, client, known):
    known.run("UPDATE oauth_tokens SET expires_at = :now", now=clock.now())
    answer = bearer(client, tokens["access_token"])
    assert (answer.status, answer.json["error"]) == (401, "invalid_token")
    assert "expired" in answer.json["error_description"]
    assert app.refresh(tokens["refresh_token"]).status == 200


@pytest.mark.parametrize("deed", ["block", "delete"])
def test_blocked_and_deleted_users_are_rejected_at_every_entry_point(tokens, app, client, known, deed):
    path = f"/users/{known.reporter.id}"
    known.root.post(f"{path}/block") if deed == "block" else known.root.delete(path)
    assert bearer(client, tokens["access_token"]).status == (403 if deed == "block" else 401)
    assert app.refresh(tokens["refresh_token"]).status == 401
    assert app.post("/oauth/introspect", token=tokens["access_token"]).json == {"active": False}


def grant(client, **said):
    return post(client, "/oauth/token", grant_type="password", **said)


def test_a_password_becomes_tokens_with_or_without_a_client(known, client, app):
    told = grant(client, username="reporter", password=PASSWORD).json
    assert bearer(client, told["access_token"]).json["username"] == "reporter"
    assert app.post("/oauth/token", grant_type="password", username="reporter", password=PASSWORD).status == 200
    assert post(client, "/oauth/token", grant_type="refresh_token", refresh_token=told["refresh_token"]).status == 200


def test_a_password_that_is_wrong_or_not_enough_becomes_nothing(known, client):
    assert grant(client, username="reporter", password="wrong").json["error"] == "invalid_grant"
    assert grant(client, username="blocked", password=PASSWORD).json["error"] == "invalid_grant"
    assert grant(client, username="reporter", password=PASSWORD, scope="bogus").json["error"] == "invalid_scope"
    known.run("UPDATE users SET two_factor_enabled = TRUE WHERE id = :id", id=known.reporter.id)
    assert grant(client, username="reporter", password=PASSWORD).json["error"] == "invalid_grant"


def test_ten_wrong_passwords_lock_the_account_at_every_entry_point(known, client, visitor):
    for _ in range(10):
        grant(client, username="reporter", password="wrong")
    assert grant(client, username="reporter", password=PASSWORD).status == 401
    assert visitor.sign_in("reporter", PASSWORD).status == 422


def test_the_token_of_a_client_without_a_user_is_rejected_by_the_api(app, client):
    told = app.post("/oauth/token", grant_type="client_credentials").json
    assert "refresh_token" not in told
    assert bearer(client, told["access_token"]).status == 401


def test_a_client_revokes_what_it_holds_and_learns_nothing_else(tokens, app, client):
    assert app.post("/oauth/revoke", token="f" * 64).json == {}
    assert post(client, "/oauth/revoke", token=tokens["access_token"]).json == {}
    assert bearer(client, tokens["access_token"]).status == 200
    assert app.post("/oauth/revoke", token=tokens["refresh_token"]).json == {}
    assert bearer(client, tokens["access_token"]).status == 401


def test_a_client_introspects_its_token(tokens, app, client, known):
    told = app.post("/oauth/introspect", token=tokens["access_token"]).json
    assert told["active"] is True
    assert (told["username"], told["scope"], told["client_id"]) == ("reporter", "api", app.uid)
    assert told["exp"] - told["iat"] == 7200
    assert post(client, "/oauth/introspect", token=tokens["access_token"]).status == 401
    made = known.root.post("/applications", name="Other", redirect_uri=BACK, scopes="api").json
    other = {"client_id": made["application_id"], "client_secret": made["secret"]}
    assert post(client, "/oauth/introspect", token=tokens["access_token"], **other).json == {"active": False}


def test_a_token_tells_about_itself(tokens, app, client, known):
    raw = Raw(headers={"Authorization": f"Bearer {tokens['access_token']}"})
    told = client.get("//oauth/token/info", raw).json
    assert told["resource_owner_id"] == known.reporter.id
    assert told["scopes"] == ["api"]
    assert told["application"] == {"uid": app.uid}
    assert 0 < told["expires_in_seconds"] <= 7200
    assert client.get("//oauth/token/info").status == 401
