"""The check of users against a real directory: blocked, let in again, followed; and what never changes anything."""

from contextlib import asynccontextmanager

from mujina.accounts.ldap.user_sync import sync_users
from tests.harness.directory_world import PASSWORD
from tests.harness.public_keys import ssh_key


def people(world, *uids, **attributes):
    """Users who have signed in once."""
    for uid in uids:
        world.tree.person(uid, PASSWORD, **attributes)
    world.tree.flush()
    for uid in uids:
        world.sign_in(uid)
        assert world.answer.status == 303


def many(world, number):
    """`number` users with an identity in the directory, as an administrator makes them."""
    for n in range(number):
        dn = world.tree.person(f"p{n}")
        made = world.default.root.post(
            "/users", username=f"p{n}", name=f"P{n}", email=f"p{n}@corp.example", password="some-password-1",
            skip_confirmation=True, provider="ldapmain", extern_uid=dn,
        )  # fmt: skip
        assert made.status == 201
    world.tree.flush()


class Overtaken:
    """The database of a run whose first change something else precedes."""

    def __init__(self, database, change):
        self.database = database
        self.change = change

    def __getattr__(self, name):
        return getattr(self.database, name)

    @asynccontextmanager
    async def transaction(self):
        async with self.database.transaction() as tx:
            if self.change:
                await tx.run(self.change)
                self.change = ""
            yield tx


def test_a_user_whom_the_directory_loses_is_blocked_until_it_has_them_again(world):
    people(world, "jo")
    jo, root = world.user("jo"), world.default.root
    token = root.post(f"/users/{jo['id']}/impersonation_tokens", name="t", scopes=["api"]).json["token"]
    browser = world.sign_in("jo")
    world.tree.rename(f"uid=jo,{world.tree.people}", "uid=jo", below=world.tree.groups)
    world.tree.flush()
    assert world.check_users(dry_run=True).changes == ["block jo"]
    # Meanwhile a later answer came: the earlier one no longer counts.
    overtaken = Overtaken(world.database, "UPDATE identities SET checked_at = checked_at || '0'")
    assert world.run(sync_users(overtaken, world.directory())).changes == []
    assert world.user("jo")["state"] == "active"
    assert world.check_users().changes == ["block jo"]
    assert world.user("jo")["state"] == "blocked"
    assert world.check_users().changes == []
    assert world.value("SELECT CASE WHEN checked_at > blocked_at THEN 1 END FROM identities") == 1  # not due again
    assert [each["username"] for each in root.get("/users", blocked=True).json] == ["jo", "blocked"]
    assert world.default.anonymous.with_token(token).get("/user").status == 403
    assert browser.open("/profile").status == 302
    here = f"/users/{jo['id']}"
    for verb, done in (("block", "modified"), ("unblock", "unblocked")):
        answer = root.post(f"{here}/{verb}")
        assert (answer.status, answer.json) == (
            403, {"message": f"403 Forbidden - LDAP blocked users cannot be {done} by the API"},
        )  # fmt: skip
    world.tree.rename(f"uid=jo,{world.tree.groups}", "uid=jo", below=world.tree.people)
    world.tree.flush()
    assert world.check_users().changes == ["unblock jo"]
    assert world.user("jo")["state"] == "active"
    assert world.check_users().changes == []


def test_without_an_identity_an_administrator_may_lift_the_block(world):
    people(world, "jo")
    jo, root = world.user("jo"), world.default.root
    world.tree.delete(f"uid=jo,{world.tree.people}")
    world.tree.flush()
    world.check_users()
    assert root.delete(f"/users/{jo['id']}/identities/ldapother").status == 404
    assert root.delete(f"/users/{jo['id']}/identities/ldapmain").status == 204
    assert world.default.guest.delete(f"/users/{jo['id']}/identities/ldapmain").status == 403
    assert root.post(f"/users/{jo['id']}/unblock").json is True
    assert world.user("jo")["identities"] == []


def test_the_filter_the_disabled_bit_and_a_sign_in_decide_too(world):
    people(world, "jo", "ann", title="staff")
    strict = world.directory(user_filter="(title=staff)", active_directory=True)
    world.tree.change(f"uid=jo,{world.tree.people}", title="guest")
    world.tree.change(f"uid=ann,{world.tree.people}", userAccountControl="514")
    world.tree.flush()
    assert world.check_users(directory=strict).changes == ["block jo", "block ann"]
    assert "Access denied for your LDAP account." in world.sign_in("ann", to=world.client(strict)).page.text
    world.tree.change(f"uid=jo,{world.tree.people}", title="staff")
    world.tree.change(f"uid=ann,{world.tree.people}", userAccountControl="512")
    world.tree.flush()
    world.sign_in("ann", to=world.client(strict))
    assert world.answer.status == 303
    assert world.check_users(directory=strict).changes == ["unblock jo"]


def test_identity_and_address_follow_the_directory(world):
    people(world, "jo", "ann")
    world.tree.rename(f"uid=jo,{world.tree.people}", "uid=josephine")
    world.tree.change(f"uid=ann,{world.tree.people}", mail=["ann@new.example", "ann@corp.example"])
    world.tree.flush()
    assert world.check_users().changes == ["update jo (name in the directory)", "update ann (email)"]
    jo, ann = world.user("jo"), world.user("ann")
    assert jo["identities"][0]["extern_uid"].startswith("uid=josephine,")
    assert ann["email"] == "ann@new.example"
    world.tree.rename(f"uid=josephine,{world.tree.people}", "uid=j2")
    world.tree.change(f"uid=j2,{world.tree.people}", mail="j2@corp.example")
    world.tree.change(f"uid=ann,{world.tree.people}", mail="reporter@example.org")  # another account's
    world.tree.flush()
    found = ["update jo (name in the directory, email)"]  # what cannot be changed is no change
    assert world.check_users(dry_run=True).changes == found
    assert world.check_users().changes == found
    assert (world.user("jo")["email"], world.user("ann")["email"]) == ("j2@corp.example", "ann@new.example")
    assert world.check_users().changes == []


def test_an_account_is_not_taken_over_by_its_address(world):
    people(world, "jo")
    jo, root = world.user("jo"), world.default.root
    world.tree.delete(f"uid=jo,{world.tree.people}")
    eve = world.tree.person("eve", PASSWORD, mail="jo@corp.example")
    world.tree.flush()
    found = ["block jo (another entry has the address: an administrator may link it)"]
    assert world.check_users(dry_run=True).changes == found
    assert world.check_users().changes == found
    assert world.sign_in("eve").cookie is None or world.answer.status != 303
    assert (world.user("jo")["state"], world.user("jo")["identities"]) == ("blocked", jo["identities"])
    assert root.put(f"/users/{jo['id']}", provider="ldapmain", extern_uid=eve).status == 200
    assert world.check_users().changes == ["unblock jo"]
    # Without the directory's own id, the login tells whether it is the same person.
    world.run(_forget_ids(world.database))
    world.tree.rename(f"uid=eve,{world.tree.people}", "cn=moved")
    world.tree.flush()
    assert world.check_users(dry_run=True).changes == found
    world.tree.change(f"cn=moved,{world.tree.people}", uid="Jo")
    world.tree.flush()
    assert world.check_users().changes == ["update jo (name in the directory)"]


async def _forget_ids(database, username="jo"):
    """As for users who have not signed in since an administrator linked them."""
    async with database.transaction() as tx:
        await tx.run(
            "UPDATE identities SET entry_uuid = NULL WHERE user_id IN (SELECT id FROM users WHERE username = :name)",
            name=username,
        )


def test_an_odd_entry_hinders_no_other_user(world):
    people(world, "jo", "ann", "zoe", "bob")
    world.run(_forget_ids(world.database, "zoe"))
    here = world.tree.people
    world.tree.rename(f"uid=jo,{here}", "uid=both")
    world.tree.change(f"uid=both,{here}", mail=["jo@corp.example", "ann@corp.example"])
    world.tree.delete(f"uid=ann,{here}")
    world.tree.rename(f"uid=zoe,{here}", "uid=zoe1")
    world.tree.person("zoe2", mail="zoe@corp.example")
    world.tree.delete(f"uid=bob,{here}")
    world.tree.flush()
    report = world.check_users()
    assert report.changes == ["update jo (name in the directory)", "block ann", "block bob"]
    assert (report.outcome, report.summary) == (
        "failed", "1 of 4 users: zoe: a user's name is gone, and several entries have their address",
    )  # fmt: skip
    assert [world.user(each)["state"] for each in ("jo", "ann", "zoe", "bob")] == [
        "active", "blocked", "active", "blocked",
    ]  # fmt: skip


def test_keys_of_the_directory_come_and_go_and_those_added_by_hand_stay(world):
    first, second, own = (ssh_key(name) for name in ("one", "two", "three"))
    directory = world.directory(ssh_key_attribute="sshPublicKey")
    world.tree.person("jo", PASSWORD, sshPublicKey=[first, "no key at all"])
    world.tree.flush()
    world.sign_in("jo", to=world.client(directory))
    jo, root = world.user("jo"), world.default.root
    assert root.post(f"/users/{jo['id']}/keys", title="LDAP - sshPublicKey", key=own).status == 201
    assert world.check_users(directory=directory).changes == []
    world.tree.change(f"uid=jo,{world.tree.people}", sshPublicKey=[second])
    world.tree.flush()
    assert [(key["title"], key["key"]) for key in root.get(f"/users/{jo['id']}/keys").json] == [
        ("LDAP - sshPublicKey", first), ("LDAP - sshPublicKey", own),
    ]  # fmt: skip
    assert world.check_users(directory=directory).changes == ["update jo (SSH keys)"]
    assert {key["key"] for key in root.get(f"/users/{jo['id']}/keys").json} == {second, own}
    # One that is in use already is not promised again and again.
    world.tree.change(f"uid=jo,{world.tree.people}", sshPublicKey=[second, own])
    world.tree.flush()
    assert world.check_users(directory=directory).changes == []


def test_a_run_that_would_block_more_than_a_fifth_waits_for_a_confirmation(world):
    many(world, 10)
    for n in range(6):
        world.tree.delete(f"uid=p{n},{world.tree.people}")
    world.tree.flush()
    report = world.check_users()
    assert (report.outcome, len(report.changes)) == ("waiting", 6)
    assert "--confirm" in report.summary
    assert world.value("SELECT outcome FROM ldap_runs") == "waiting"
    assert [each["username"] for each in world.default.root.get("/users", blocked=True).json] == ["blocked"]
    metrics = world.default.anonymous.get("//-/metrics").text
    assert 'mujina_ldap_runs_total{kind="users",outcome="waiting",provider="ldapmain"}' in metrics
    # Five at a time, they do not add up unnoticed either.
    world.tree.person("p5")
    world.tree.flush()
    assert world.check_users().outcome == "done"
    world.tree.delete(f"uid=p5,{world.tree.people}")
    world.tree.flush()
    assert world.check_users(due=True).changes == []
    assert world.check_users().outcome == "waiting"
    assert world.check_users(confirm=True).outcome == "done"
    assert len(world.default.root.get("/users", blocked=True).json) == 7
    # What was confirmed no longer counts.
    world.tree.delete(f"uid=p6,{world.tree.people}")
    world.tree.flush()
    assert world.check_users().changes == ["block p6"]


def test_the_last_administrator_is_never_blocked(world):
    people(world, "jo")
    jo, root = world.user("jo"), world.default.root
    assert root.put(f"/users/{jo['id']}", admin=True).status == 200
    assert root.put(f"/users/{root.id}", provider="ldapmain", extern_uid="uid=nobody,o=x").status == 200
    world.tree.delete(f"uid=jo,{world.tree.people}")
    world.tree.flush()
    assert len(world.check_users().changes) == 1
    left = "SELECT count(*) FROM users WHERE admin AND state = 'active'"
    assert world.value(left) == 1
    assert world.value("SELECT count(*) FROM users WHERE admin AND state = 'ldap_blocked'") == 1
