"""A client learns who signed in, and can check that we said so."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256

from mujina.kernel import clock
from tests.accounts.oauth.conftest import BACK, App, bearer, consent
from tests.harness.client import Raw


@pytest.fixture
def asker(known, client):
    """A client that only wants to know who somebody is."""
    made = known.root.post("/applications", name="Asker", redirect_uri=BACK, scopes="openid").json
    return App(client, made["application_id"], made["secret"])


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def number(part):
    return int.from_bytes(decoded(part))


def checked(token, keys):
    """The claims of a token that one of these keys has signed."""
    head, claims, signature = token.split(".")
    (key,) = (key for key in keys if key["kid"] == json.loads(decoded(head))["kid"])
    public = RSAPublicNumbers(number(key["e"]), number(key["n"])).public_key()
    public.verify(decoded(signature), f"{head}.{claims}".encode(), PKCS1v15(), SHA256())
    return json.loads(decoded(claims))


def test_the_discovery_document_describes_the_provider(client):
    told = client.get("//.well-known/openid-configuration")
    assert told.headers["Access-Control-Allow-Origin"] == "*"
    assert told.json["issuer"] == "http://mujina.test"
    assert told.json["jwks_uri"] == "http://mujina.test/oauth/discovery/keys"
    assert (told.json["response_types_supported"], told.json["subject_types_supported"]) == (["code"], ["public"])


def test_the_token_says_who_signed_in_for_this_client_and_who_says_so(signed_in, asker, client, known):
    told = asker.exchange(consent(signed_in, asker, nonce="n-1")).json
    keys = client.get("//oauth/discovery/keys").json["keys"]
    claims = checked(told["id_token"], keys)
    assert claims.pop("exp") - claims["iat"] == 120
    assert abs(claims.pop("iat") - clock.seconds(clock.now())) < 60
    assert claims == {"iss": "http://mujina.test", "sub": str(known.reporter.id), "aud": asker.uid, "nonce": "n-1"}
    assert client.get("//oauth/discovery/keys").json["keys"] == keys


def test_userinfo_shows_the_claims_of_the_user(signed_in, asker, client, known):
    token = asker.exchange(consent(signed_in, asker)).json["access_token"]
    known.owner.post(f"/groups/{known.team.id}/members", user_id=known.reporter.id, access_level=10)
    expected = {
        "sub": str(known.reporter.id), "name": "Reporter", "nickname": "reporter", "email": "reporter@example.org",
        "email_verified": True, "profile": "http://mujina.test/reporter", "picture": None,
        "groups": [known.team.path],
    }  # fmt: skip
    shown = Raw(headers={"Authorization": f"Bearer {token}"})
    assert client.get("//oauth/userinfo", shown).json == client.post("//oauth/userinfo", shown).json == expected
    assert bearer(client, token).json["error"] == "insufficient_scope"


def test_user_info_requires_a_valid_token_with_the_scope(tokens, client, known):
    def ask(authorization):
        answer = client.get("//oauth/userinfo", Raw(headers={"Authorization": authorization} if authorization else {}))
        return answer.status, answer.json.get("error")

    assert "id_token" not in tokens
    assert ask(f"Bearer {tokens['access_token']}") == (403, "insufficient_scope")
    assert ask("") == (401, "invalid_token")
    assert ask("Bearer nope") == (401, None)
    known.root.post(f"/users/{known.reporter.id}/block")
    assert ask(f"Bearer {tokens['access_token']}") == (403, None)


@pytest.mark.parametrize(
    ("website", "claimed"),
    [
        ("https://example.org/", "https://example.org/"),
        ("http://a.b", "http://a.b"),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_a_website_is_an_address_of_the_web_or_absent(signed_in, asker, client, known, website, claimed):
    known.root.put(f"/users/{known.reporter.id}", website_url=website)
    token = asker.exchange(consent(signed_in, asker)).json["access_token"]
    claims = client.get("//oauth/userinfo", Raw(headers={"Authorization": f"Bearer {token}"})).json
    assert claims.get("website") == claimed
    assert ("website" in claims) == (claimed is not None)
