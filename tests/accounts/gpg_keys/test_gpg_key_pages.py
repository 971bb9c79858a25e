"""The page of one's GPG keys, and the keys of a user as text."""

from tests.harness.browsers import browser_of


def test_gpg_keys_are_added_exported_removed_and_revoked(client, database, loop, cast, made):
    guest = browser_of(cast.guest, database, client)
    assert "You have no GPG keys." in guest.open("/profile/gpg_keys").text
    refused = guest.send("/profile/gpg_keys", gpg_key={"key": "not a key"})
    assert (refused.status, "not a key" in refused.text) == (422, True)
    for verb in ("remove", "revoke"):
        assert guest.send("/profile/gpg_keys", gpg_key={"key": made("guest")}).status == 303
        [key] = cast.guest.get("/user/gpg_keys").json
        guest.open("/profile/gpg_keys")
        exported = browser_of(cast.anonymous, database, client).open(f"/{cast.guest.username}.gpg")
        assert (exported.status, key["key"] in exported.text) == (200, True)
        assert client.get(f"//{cast.blocked.username}.gpg").status == 404
        assert guest.open(f"/profile/gpg_keys/{verb}", id=key["id"]).status == 200
        assert guest.send(f"/profile/gpg_keys/{verb}", id=key["id"] + 1).status == 404
        assert guest.send(f"/profile/gpg_keys/{verb}", id=key["id"]).status == 303
        assert cast.guest.get("/user/gpg_keys").json == []
