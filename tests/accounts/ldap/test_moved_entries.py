"""Entries that are renamed or moved stay the same person; a name that is given to another entry is another person's."""

import pytest

from tests.accounts.ldap.test_sign_in_by_directory import git
from tests.harness.directory_world import PASSWORD

FORMS = ["", "ldapmain"]


@pytest.fixture
def jo(world):
    """A user who has signed in once, and may read the private project."""
    world.tree.person("jo", PASSWORD)
    world.tree.flush()
    world.sign_in("jo")
    assert world.answer.status == 303
    user = world.user("jo")
    world.default.root.post(f"/groups/{world.default.team.id}/members", user_id=user["id"], access_level=30)
    return user


def move(world, **attributes):
    """Give the entry another name, and keep the login."""
    world.tree.rename(f"uid=jo,{world.tree.people}", "cn=moved")
    world.tree.change(f"cn=moved,{world.tree.people}", uid="jo", **attributes)
    world.tree.flush()


@pytest.mark.parametrize("provider", FORMS)
@pytest.mark.parametrize("mail", ["jo@corp.example", "jo@new.example"])
def test_a_person_who_moved_signs_in_to_their_account_by_every_form(world, jo, provider, mail):
    move(world, mail=mail)
    world.sign_in("jo", provider=provider)
    assert world.answer.status == 303
    [found] = world.default.root.get("/users", provider="ldapmain", extern_uid=f"cn=moved,{world.tree.people}").json
    assert (found["id"], world.user("jo")["email"]) == (jo["id"], mail)
    assert world.user("jo1") is None


def test_a_person_who_moved_uses_git_and_is_followed_by_the_check(world, jo):
    move(world, mail="jo@new.example")
    assert git(world, "jo") == 200
    token = world.default.anonymous.post("//oauth/token", grant_type="password", username="jo", password=PASSWORD)
    assert token.status == 200
    assert world.check_users().changes == ["update jo (name in the directory, email)"]
    assert world.user("jo")["identities"][0]["extern_uid"].startswith("cn=moved,")


def test_a_person_who_moved_is_found_although_another_has_their_former_name(world, jo):
    move(world)
    world.tree.person("jo", PASSWORD + "-of-another", mail="other@corp.example", cn="Another Jo")
    world.tree.change(f"uid=jo,{world.tree.people}", uid=["jo", "jo2"])
    world.tree.change(f"cn=moved,{world.tree.people}", uid="joe")
    world.tree.flush()
    assert git(world, "jo") == 200
    assert git(world, "jo", PASSWORD + "-of-another") == 401
    assert world.user("jo")["state"] == "active"


def replace_entry(world):
    """The entry is deleted, and a new person gets its name."""
    world.tree.delete(f"uid=jo,{world.tree.people}")
    world.tree.person("jo", PASSWORD, mail="another@corp.example", cn="Another Jo")
    world.tree.flush()


DOORS = {
    "form": lambda world: world.sign_in("jo"),
    "form of the directory": lambda world: world.sign_in("jo", provider="ldapmain"),
    "git": lambda world: git(world, "jo"),
    "OAuth": lambda world: world.default.anonymous.post(
        "//oauth/token", grant_type="password", username="jo", password=PASSWORD
    ),
    "check": lambda world: world.check_users(),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_name_that_is_given_to_another_entry_opens_no_account(world, jo, door):
    replace_entry(world)
    DOORS[door](world)
    blocked = world.user("jo")
    assert (blocked["id"], blocked["state"], blocked["email"]) == (jo["id"], "blocked", "jo@corp.example")
    assert len(world.default.root.get("/users", search="Another Jo").json) == 0
    assert git(world, "jo") == 401
    # Administrators find it in the audit log, and in the log.
    seen = world.default.root.get("/audit_events", entity_type="User", entity_id=jo["id"]).json
    assert "name_reused_in_directory" in {each["details"].get("change") for each in seen}
    # The check blocks nobody twice, and the new person stays outside until an administrator decides.
    assert world.check_users().changes == []
    world.sign_in("jo")
    assert world.answer.status == 422


def test_an_administrator_gives_the_account_to_the_new_entry_or_takes_the_name_from_it(world, jo):
    replace_entry(world)
    name = f"uid=jo,{world.tree.people}"
    assert world.check_users().changes == ["block jo (another entry has the name: an administrator may link it)"]
    assert world.default.root.put(f"/users/{jo['id']}", provider="ldapmain", extern_uid=name).status == 200
    world.sign_in("jo")
    assert (world.answer.status, world.user("jo")["state"]) == (303, "active")


def test_the_form_of_a_directory_reads_username_and_password(world, jo):
    visitor = world.sign_in("jo", "wrong-password", provider="ldapmain")
    assert visitor.send("/users/auth/ldapmain/callback", username="jo", password=PASSWORD).status == 303


@pytest.mark.parametrize("door", ["form", "form of the directory", "git", "check"])
def test_an_entry_that_got_the_name_of_an_older_account_without_an_id_is_still_its_own_user(world, jo, door):
    """An administrator linked another account to the name before anybody had it: the id of the entry decides."""
    name = f"cn=moved,{world.tree.people}"
    older = world.default.guest.get("/user").json["id"]
    assert world.default.root.put(f"/users/{older}", provider="ldapmain", extern_uid=name).status == 200
    world.value("UPDATE identities SET id = -id WHERE user_id = :id RETURNING id", id=older)
    move(world)
    DOORS[door](world)
    assert world.value("SELECT i.entry_uuid FROM identities i WHERE i.user_id = :id", id=older) is None
    if door == "git":
        assert git(world, "jo") == 200
