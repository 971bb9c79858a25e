"""Real parts: an OAuth library and a browser against the running program."""

from typing import Any
from urllib.parse import urlencode

import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.harness.chromium import chromium, new_context, submit
from tests.harness.running import RunningServer
from tests.harness.visitor import TOKEN

PASSWORD = "a canary in the mine"
BACK = "https://app.example/back"


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("MUJINA_ROOT_PASSWORD", PASSWORD)
    monkeypatch.setenv("MUJINA_LOG_REQUESTS", "true")
    monkeypatch.setenv("MUJINA_LOG_LEVEL", "debug")
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path / 'mujina.db'}")
    server.start()
    yield server
    server.kill()


def register(server):
    said = {"name": "Library", "redirect_uri": BACK, "scopes": "api read_user openid"}
    headers = {"Private-Token": server.token}
    return requests.post(f"{server.url}/api/v4/applications", said, headers=headers, timeout=60).json()


def log(server):
    return server.data.with_suffix(".1.log").read_text()


def sign_in(server):
    browser = requests.Session()
    page = browser.get(f"{server.url}/users/sign_in", timeout=60).text
    said = {"user[login]": "root", "user[password]": PASSWORD, "authenticity_token": TOKEN.search(page)[1]}
    assert browser.post(f"{server.url}/users/sign_in", said, timeout=60).ok
    return browser


def test_a_library_runs_the_code_flow_with_pkce_and_nothing_secret_is_logged(server):
    made = register(server)
    client: Any = OAuth2Session(
        made["application_id"], made["secret"], scope="api openid", redirect_uri=BACK, code_challenge_method="S256"
    )
    verifier = generate_token(48)
    address, state = client.create_authorization_url(f"{server.url}/oauth/authorize", code_verifier=verifier)
    browser = sign_in(server)
    form = TOKEN.search(browser.get(address, timeout=60).text)[1]
    said = {"authenticity_token": form}
    answer = browser.post(address, said, allow_redirects=False, timeout=60)
    token = client.fetch_token(
        f"{server.url}/oauth/token", authorization_response=answer.headers["Location"], state=state,
        code_verifier=verifier,
    )  # fmt: skip
    assert client.get(f"{server.url}/api/v4/user").json()["username"] == "root"
    offered = client.get(f"{server.url}/.well-known/openid-configuration").json()
    keys = KeySet.import_key_set(client.get(offered["jwks_uri"]).json())
    claims = jwt.decode(token["id_token"], keys).claims
    assert (claims["iss"], claims["aud"]) == (offered["issuer"], made["application_id"])
    assert client.get(offered["userinfo_endpoint"]).json()["sub"] == claims["sub"]
    fresh = client.refresh_token(f"{server.url}/oauth/token", refresh_token=token["refresh_token"])
    assert client.get(f"{server.url}/api/v4/user").json()["username"] == "root"
    assert client.revoke_token(f"{server.url}/oauth/revoke", token=fresh["access_token"]).json() == {}
    assert client.get(f"{server.url}/api/v4/user").status_code == 401
    lines = log(server)
    secrets = [PASSWORD, made["secret"], token["access_token"], token["refresh_token"], fresh["access_token"], verifier]
    assert [secret for secret in [*secrets, *browser.cookies.values()] if secret in lines] == []


def test_a_person_signs_in_makes_a_token_and_consents_in_a_browser_without_javascript(server):
    made = register(server)
    with chromium() as browser:
        context = new_context(browser, java_script_enabled=False, base_url=server.url)
        page = context.new_page()
        page.goto("/profile/personal_access_tokens")
        page.get_by_label("Username or email").fill("root")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        submit(page, "Sign in")

        page.get_by_label("Token name").fill("a robot")
        page.get_by_label("api do everything").check()
        submit(page, "Create token")
        token = page.get_by_label("Your new personal access token").input_value()
        assert page.get_by_role("cell", name="a robot").count() == 1

        api = context.request
        assert api.get("/api/v4/user").json()["username"] == "root"
        assert api.get("/api/v4/user", headers={"Private-Token": token}).ok
        assert api.post("/api/v4/projects", data={"name": "p"}).status == 401
        form = page.locator("meta[name=csrf-token]").get_attribute("content")
        assert api.post("/api/v4/projects", data={"name": "p"}, headers={"X-CSRF-Token": form}).status == 201

        asked = {"client_id": made["application_id"], "redirect_uri": BACK, "response_type": "code", "state": "s"}
        page.goto(f"/oauth/authorize?{urlencode(asked)}")
        with page.expect_request(f"{BACK}**") as redirected:
            page.get_by_role("button", name="Authorize").click()
        assert "code=" in redirected.value.url

        page = context.new_page()  # the first one shows that the client is away
        page.goto("/profile")
        page.locator(".account summary").click()
        submit(page, "Sign out")
        assert page.get_by_role("heading", name="Sign in").count() == 1
        assert api.get("/api/v4/user").status == 401
