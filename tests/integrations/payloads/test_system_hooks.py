"""Every event of system hooks, once, to a hook with all flags off."""

import pytest

from mujina.accounts.keys.operations import follow_directory
from mujina.workspaces.members.operations import delete_expired
from tests.harness.public_keys import ssh_key
from tests.harness.visitor import Visitor


@pytest.fixture
def names(hooks):
    """The names of the events that a request is told as."""
    hooks.add("", repository_update_events=False)

    def told(answer):
        assert answer.status in {200, 201, 204}, answer
        return [body["event_name"] for body in hooks.bodies()]

    return told


def test_every_event_of_a_user_is_told_once(hooks, names):
    root = hooks.cast.root
    person = {"email": "new@example.org", "username": "newcomer", "name": "New", "reset_password": True}
    user = root.post("/users", **person)
    assert names(user) == ["user_create"]
    here = f"/users/{user.json['id']}"
    assert names(root.put(here, username="renamed")) == ["user_rename"]
    assert names(root.put(here, bio="x")) == []
    key = root.post(f"{here}/keys", title="A key", key=ssh_key("one"))
    assert names(key) == ["key_create"]
    assert names(root.delete(f"{here}/keys/{key.json['id']}")) == ["key_destroy"]
    assert names(root.delete(here)) == ["user_destroy"]


def test_the_bot_of_a_token_comes_and_goes_as_any_user(hooks, names):
    tokens = f"/projects/{hooks.cast.private.id}/access_tokens"
    token = hooks.cast.master.post(tokens, name="Bot", scopes=["api"])
    assert names(token) == ["user_create", "user_add_to_team"]
    assert names(hooks.cast.master.delete(f"{tokens}/{token.json['id']}")) == ["user_destroy"]


def test_every_event_of_a_group_is_told_once(hooks, names):
    root, guest = hooks.cast.root, hooks.cast.guest
    group = root.post("/groups", name="Club", path="club")
    assert names(group) == ["group_create", "user_add_to_group"]
    club = f"/groups/{group.json['id']}"
    assert names(root.put(club, name="Other")) == []
    assert names(root.put(club, path="other")) == ["group_rename"]
    assert names(root.post(f"{club}/members", user_id=guest.id, access_level=30)) == ["user_add_to_group"]
    assert names(root.put(f"{club}/members/{guest.id}", access_level=40)) == []
    assert names(root.delete(f"{club}/members/{guest.id}")) == ["user_remove_from_group"]
    assert names(root.delete(club)) == ["group_destroy"]


def test_every_event_of_a_project_is_told_once(hooks, names):
    root, guest = hooks.cast.root, hooks.cast.guest
    project = root.post("/projects", name="Mine")
    assert names(project) == ["project_create", "user_add_to_team"]
    mine = f"/projects/{project.json['id']}"
    assert names(root.put(mine, name="Yours")) == ["project_update"]
    assert names(root.put(mine, path="yours")) == ["project_rename"]
    assert names(root.post(f"{mine}/members", user_id=guest.id, access_level=30)) == ["user_add_to_team"]
    assert names(root.delete(f"{mine}/members/{guest.id}")) == ["user_remove_from_team"]
    deploy = root.post(f"{mine}/deploy_keys", title="A key", key=ssh_key("two"))
    assert names(deploy) == ["deploykey_create"]
    assert names(root.delete(f"{mine}/deploy_keys/{deploy.json['id']}")) == ["deploykey_destroy"]
    moved = root.post(f"/groups/{hooks.cast.guild.id}/projects/{project.json['id']}")
    assert names(moved) == ["project_transfer"]
    assert names(root.delete(mine)) == ["project_destroy"]


def test_a_fork_is_told_once_and_what_goes_with_its_owner_by_its_path(hooks, names):
    root, group = hooks.cast.root, hooks.cast.root.post("/groups", name="Club", path="club").json
    inner = root.post("/groups", name="Inner", path="inner", parent_id=group["id"]).json
    hooks.bodies()
    fork = root.post(f"/projects/{hooks.cast.public.id}/fork", namespace=inner["id"])
    assert names(fork) == ["project_create"]
    audited = [
        each["details"].get("add")
        for each in root.get("/audit_events", entity_type="Project", entity_id=fork.json["id"]).json
    ]
    assert audited == ["project"]
    assert root.delete(f"/groups/{group['id']}").status == 204
    bodies = hooks.bodies()
    told = {body["event_name"]: body for body in bodies}
    gone = sorted(body["full_path"] for body in bodies if body["event_name"] == "group_destroy")
    assert gone == ["club", "club/inner"]
    path = f"club/inner/{fork.json['path']}"
    assert (told["project_destroy"]["path_with_namespace"], told["project_destroy"]["path"]) == (
        path,
        fork.json["path"],
    )
    person = root.post("/users", email="new@example.org", username="newcomer", name="New", reset_password=True).json
    root.post("/projects", name="Own", sudo="newcomer")
    hooks.bodies()
    root.delete(f"/users/{person['id']}")
    told = {body["event_name"]: body for body in hooks.bodies()}
    assert told["project_destroy"]["path_with_namespace"] == "newcomer/own"


def test_keys_of_a_directory_have_names_of_their_own(hooks):
    cast = hooks.cast
    hooks.add("", repository_update_events=False)

    def follow(lines):
        cast.transact(lambda tx: follow_directory(tx, cast.guest.id, "LDAP - sshPublicKey", lines))

    for number, (lines, name) in enumerate([([ssh_key("one")], "ldapkey_create"), ([], "ldapkey_destroy")]):
        follow(lines)
        # Jobs run with the next request that enqueues one.
        assert cast.guest.post("/user/keys", title="A key", key=ssh_key(f"own {number}")).status == 201
        assert sorted(body["event_name"] for body in hooks.bodies()) == ["key_create", name]


def test_a_membership_that_expires_is_told_and_audited(hooks):
    cast = hooks.cast
    hooks.add("", repository_update_events=False)
    cast.run("UPDATE members SET expires_on = '2001-01-01' WHERE user_id = :id", id=cast.guest.id)
    cast.transact(delete_expired)
    assert cast.guest.post("/user/keys", title="A key", key=ssh_key("one")).status == 201
    gone = [body for body in hooks.bodies() if body.get("user_username") == "guest"]
    assert {(body["event_name"], body["access_level"]) for body in gone} == {("user_remove_from_team", "Guest")}
    assert {body["project_id"] for body in gone} == {cast.private.id, cast.internal.id, cast.public.id}
    log = cast.owner.get(f"/projects/{cast.private.id}/audit_events").json
    [entry] = [each for each in log if each["details"]["target_details"] == "guest" and "remove" in each["details"]]
    assert (entry["author_id"], entry["details"]["remove"], entry["details"]["as"]) == (-1, "user_access", "Guest")


def test_a_blocked_user_who_signs_in_is_told(hooks):
    root = hooks.cast.root
    password = "correct horse battery"
    user = root.post(
        "/users", email="new@example.org", username="newcomer", name="New", password=password, skip_confirmation=True
    ).json["id"]  # fmt: skip
    assert root.post(f"/users/{user}/block").status == 201
    hooks.add("", repository_update_events=False)
    visitor = Visitor(hooks.cast.anonymous)
    assert visitor.sign_in("newcomer", "wrong").status == visitor.sign_in("newcomer", password).status == 422
    [body] = hooks.bodies()
    assert (body["event_name"], body["username"], body["state"]) == ("user_failed_login", "newcomer", "blocked")
