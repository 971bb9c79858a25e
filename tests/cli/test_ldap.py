"""`mujina ldap`, on a real directory."""

import pytest

from mujina.accounts.users.params import EditUser
from mujina.accounts.users.rules import find_user_named
from mujina.accounts.users.sign_in import identities
from tests.cli.command import mujina
from tests.harness.databases import in_transaction
from tests.harness.slapd import ADMIN, ADMIN_PASSWORD

PASSWORD = "open-sesame-of-tests"


@pytest.fixture
def instance(migrated_url, tmp_path, slapd, loop):
    """An empty instance with a directory, and the tree of the directory."""
    tree = slapd.tree()
    (tmp_path / "mujina.toml").write_text(
        f"[ldap.main]\nurl = '{slapd.url}'\nbase = '{tree.people}'\ngroup_base = '{tree.groups}'\nbind_dn = '{ADMIN}'\n"
    )
    environment = {
        "MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": migrated_url,
        "MUJINA_LDAP_MAIN_BIND_PASSWORD": ADMIN_PASSWORD,
    }  # fmt: skip

    def run(*arguments, **more):
        result = mujina(*arguments, **environment | more)
        assert ADMIN_PASSWORD not in result.out + result.err
        return result

    return run, tree


@pytest.mark.usefixtures("set_edition")
def test_a_directory_is_checked_and_users_are_synchronized(instance):
    run, tree = instance
    tree.person("jo", PASSWORD)
    tree.group("dev", f"uid=jo,{tree.people}")
    tree.flush()
    assert run("user", "create", "ann", "--email", "ann@corp.example").code == 0
    checked = run("ldap", "check")
    assert checked.code == 0
    assert "users: jo" in checked.out
    assert "groups: dev" in checked.out
    assert "users who are not in the directory: 0" in checked.out
    assert run("ldap", "check", "other").error == "There is no directory other: see `mujina config show`."
    synchronized = run("ldap", "sync-users")
    assert synchronized.out.endswith("ldapmain users: done: 0 users checked, 0 blocked\n")
    assert run("ldap", "sync-groups", "--dry-run").out.endswith("ldapmain groups: done: 0 groups, 0 changes\n")
    assert run("ldap", "sync-groups", "--group", "nowhere").error == "There is no group nowhere."
    assert "ldapmain   users" in run("ldap", "status").out
    assert run("ldap", "rename-provider", "ldapmain", "ldapnew").error == "No user and no group knows ldapmain."
    assert "is not the name of a provider" in run("ldap", "rename-provider", "ldapmain", "New").error
    shown = run("config", "show").out
    assert "ldap.main.bind_password" in shown
    # A lower edition has no links to groups, and the same rights.
    core = {"MUJINA_EDITION": "core", "MUJINA_LDAP_MAIN_ADMIN_GROUP": "dev"}
    rights = run("ldap", "sync-groups", "--confirm", **core)
    assert (rights.code, "administrators: done" in rights.out, "groups:" in rights.out) == (0, True, False)
    one = run("ldap", "sync-groups", "--group", "nowhere", **core)
    assert one.error == "This edition has no links to groups of a directory."


def test_a_dry_run_lists_what_the_run_does_and_a_provider_is_renamed(instance, migrated_url, loop):
    run, tree = instance
    tree.person("ann", PASSWORD)
    tree.flush()
    for name in ("ann", "bob"):
        assert run("user", "create", name, "--email", f"{name}@corp.example").code == 0
    in_transaction(migrated_url, lambda tx: link_users(tx, tree))
    assert run("ldap", "sync-users", "--dry-run").out == "block bob\nldapmain users: done: 1 changes\n"
    assert "active" in next(line for line in run("user", "list").out.splitlines() if "bob" in line)
    checked = run("ldap", "check")
    assert (checked.code, "PROBLEM  users who are not in the directory: 1" in checked.out) == (1, True)
    done = run("ldap", "sync-users").out
    assert done.endswith("block bob\nldapmain users: done: 2 users checked, 1 blocked\n")
    assert "ldap_blocked" in next(line for line in run("user", "list").out.splitlines() if "bob" in line)
    for uid in ("bob1", "bob2"):
        tree.person(uid, mail="bob@corp.example")
    tree.flush()
    unclear = run("ldap", "check")
    assert (unclear.code, "PROBLEM  1 of 2 users: bob: a user's name is gone" in unclear.out) == (1, True)
    renamed = run("ldap", "rename-provider", "ldapmain", "ldapnew")
    assert renamed.out == "Renamed ldapmain to ldapnew in 2 identities and 0 links.\n"


async def link_users(tx, tree):
    for name in ("ann", "bob"):
        user = await find_user_named(tx, name)
        await identities.put(tx, user.id, EditUser(provider="ldapmain", extern_uid=f"uid={name},{tree.people}"))


def test_a_directory_in_trouble_is_told_in_a_sentence(instance):
    run, _ = instance
    wrong = run("ldap", "check", MUJINA_LDAP_MAIN_BIND_PASSWORD="wrong-password")
    assert wrong.code == 1
    assert "PROBLEM  the search account was rejected: invalid credentials (code 49)" in wrong.out
    down = run("ldap", "sync-users", MUJINA_LDAP_MAIN_URL="ldap://127.0.0.1:1")
    assert down.code == 1
    assert "ldapmain users: failed: it could not be reached" in down.out
    assert "failed" in run("ldap", "status").out


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("USER_FILTER", "(uid=jo", "ldap.main: user_filter: a parenthesis is not closed."),
        ("BASE", "nowhere", "ldap.main: base: 'nowhere' is not a part of a name."),
        ("CA_FILE", "/nowhere.pem", "ldap.main: ca_file: [Errno 2] No such file or directory."),
        ("BIND_PASSWORD", "", "ldap.main: bind_password is needed with bind_dn."),
        (
            "TIMEOUT",
            "0",
            "MUJINA_LDAP_MAIN_TIMEOUT: ldap.main.timeout must be a number of seconds from 1 to 300, not '0'.",
        ),
    ],
)
def test_settings_that_cannot_work_end_every_command(tmp_path, key, value, sentence):
    (tmp_path / "mujina.toml").write_text("[ldap.main]\nurl = 'ldap://x'\nbase = 'o=x'\nbind_dn = 'cn=x,o=x'\n")
    environment = {
        "MUJINA_DATA": str(tmp_path),
        "MUJINA_LDAP_MAIN_BIND_PASSWORD": "a-password",
        f"MUJINA_LDAP_MAIN_{key}": value,
    }
    assert mujina("serve", **environment).error == sentence
