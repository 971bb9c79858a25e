"""GET /avatar."""

from tests.harness.cases import Case, cases


@cases([
    Case("anonymous", "GET /avatar", 200, {"avatar_url": None}, {"email": "guest@example.org"}),
    Case("guest", "GET /avatar", 200, {"avatar_url": None}, {"email": "nobody@example.org", "size": 40}),
    Case("guest", "GET /avatar", 400, {"error": "email is missing", "message": '400 (Bad request) "email" not given'}),
])  # fmt: skip
def test_every_address_gets_the_same_response(case, cast):
    case.holds(cast)


def test_a_public_address_shows_the_avatar(cast):
    cast.run("UPDATE users SET avatar = 'me.png' WHERE id = :id", id=cast.guest.id)
    assert cast.anonymous.get("/avatar", email="guest@example.org").json == {"avatar_url": None}
    cast.run("UPDATE emails SET is_public = TRUE WHERE user_id = :id", id=cast.guest.id)
    shown = cast.anonymous.get("/avatar", email="Guest@example.org").json["avatar_url"]
    assert shown == f"http://mujina.test/uploads/-/system/user/avatar/{cast.guest.id}/me.png"
