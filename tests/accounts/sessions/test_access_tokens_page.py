from datetime import timedelta

import pytest

from mujina.kernel import clock
from tests.accounts.sessions.conftest import PASSWORD

PAGE = "/profile/personal_access_tokens"


def make(visitor, name="ci", scopes=("api",), **more):
    visitor.open(PAGE)
    return visitor.send(PAGE, personal_access_token={"name": name, "scopes": list(scopes), **more})


def test_a_token_is_made_and_shown_once(signed_in, client):
    assert make(signed_in).status == 200
    token = signed_in.field("created-personal-access-token")
    assert client.with_token(token).get("/user").json["username"] == "reporter"
    assert token not in signed_in.open(PAGE).text
    assert "ci" in signed_in.page.text


def test_a_token_is_valid_until_its_expiration_date(signed_in, client, cast):
    tomorrow = clock.later(timedelta(days=1))[:10]
    assert make(signed_in, expires_at=tomorrow).status == 200
    token = client.with_token(signed_in.field("created-personal-access-token"))
    assert tomorrow in signed_in.open(PAGE).text
    assert token.get("/user").status == 200
    cast.run("UPDATE access_tokens SET expires_on = :today WHERE name = 'ci'", today=clock.today())
    assert token.get("/user").status == 401


@pytest.mark.parametrize("days", [0, -1, -3000])
def test_an_expiration_date_that_is_not_in_the_future_is_refused(signed_in, days):
    answer = make(signed_in, expires_at=clock.later(timedelta(days=days))[:10])
    assert answer.status == 422
    assert "Expiration date must be in the future" in answer.text
    assert ">ci<" not in signed_in.open(PAGE).text


def test_missing_parameters_are_named(signed_in):
    answer = make(signed_in, name="", scopes=())
    assert answer.status == 422
    assert "Token name can&#39;t be blank" in answer.text
    assert "Scopes can&#39;t be blank" in answer.text


def test_only_administrators_get_tokens_that_act_as_others(signed_in, visitor):
    assert make(signed_in, scopes=("api", "sudo")).status == 422
    signed_in.sign_in("root", PASSWORD)
    visitor.open("/users/sign_in")
    visitor.cookie = ""
    visitor.sign_in("root", PASSWORD)
    assert make(visitor, scopes=("api", "sudo")).status == 200


def test_a_revoked_token_fails_on_the_next_request(signed_in, client):
    make(signed_in)
    token = client.with_token(signed_in.field("created-personal-access-token"))
    question = signed_in.links(f"{PAGE}/revoke?id=")[-1]
    asked = signed_in.open(question)
    assert (asked.status, "Revoke the token “ci”?" in asked.text) == (200, True)
    assert token.get("/user").status == 200
    assert signed_in.send(f"{PAGE}/revoke", id=signed_in.field("id")).status == 303
    assert token.get("/user").status == 401
    assert signed_in.open(question).status == 404


def test_another_persons_token_is_not_ours_to_revoke(signed_in, known):
    signed_in.open(PAGE)
    for id in range(1, 5):
        signed_in.send(f"{PAGE}/revoke", id=id)
        signed_in.open(PAGE)
    assert known.root.get("/user").status == 200
