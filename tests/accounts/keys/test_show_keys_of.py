from tests.harness.public_keys import ssh_key


def test_everybody_reads_the_keys_of_a_person_as_text(cast, client):
    for name in ("one", "two"):
        assert cast.guest.post("/user/keys", title=name, key=ssh_key(name)).status == 201
    answer = client.get("//Guest.keys")
    assert answer.text == f"{ssh_key('one')}\n{ssh_key('two')}\n"
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "Set-Cookie" not in answer.headers
    cast.root.post(f"/users/{cast.guest.id}/block")
    assert [person.get("//guest.keys").status for person in (cast.anonymous, cast.owner)] == [404, 404]


def test_a_name_may_have_dots_and_no_keys(cast, client):
    cast.root.post("/users", email="a@example.org", username="a.keys", name="A", reset_password=True)
    assert (client.get("//a.keys.keys").status, client.get("//a%2Ekeys.keys").body) == (200, b"")


def test_an_unknown_user_has_no_keys(client):
    for name in ("nobody", "%00", "a%2Fb"):
        assert client.get(f"//{name}.keys").status == 404


def test_strangers_see_no_keys_where_public_is_restricted(cast, client):
    cast.root.put("/application/settings", restricted_visibility_levels=["public"])
    assert client.get("//guest.keys").status == 404
