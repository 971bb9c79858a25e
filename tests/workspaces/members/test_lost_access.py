"""Users who lose access because a project, group or share changed are unassigned, as removed members are."""

import pytest

from mujina.kernel.http.params import Ref
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import operations as groups
from mujina.workspaces.groups.rules import find_group
from tests.harness.creation import drain, make_group, make_project


@pytest.fixture
def world(cast):
    """A public project in a group, in which a developer of the group is assigned to a confidential issue."""
    group = make_group(cast.owner, "home", visibility="public")
    project = make_project(cast.owner, "thing", namespace_id=group["id"], visibility="public")
    return group, project, f"/projects/{project['id']}"


def assign(cast, here, person, **more):
    """A confidential issue of this person, of which they have a todo and a subscription; and of one who stays."""
    issue = cast.owner.post(
        f"{here}/issues", title="Secret", confidential=True, assignee_ids=[person.id, cast.owner.id], **more
    ).json
    at = f"{here}/issues/{issue['iid']}"
    assert person.get(at).status == 200
    # A participant is subscribed without a row: the second request stores one.
    assert [person.post(f"{at}/{verb}").status for verb in ("unsubscribe", "subscribe")] == [201, 201]
    return at


def left(cast, at, person):
    """Whether the person is assigned, reads the issue, has a todo about it, and is subscribed."""
    issue = cast.owner.get(at).json
    todos = [
        todo
        for todo in person.get("/todos", state="pending").json
        if todo["target"]["id"] == issue["id"] and todo["project"]
    ]
    subscriptions = "SELECT count(*) FROM subscriptions WHERE user_id = :user_id AND subject_id = :id"
    subscribed = cast.value(subscriptions, user_id=person.id, id=issue["id"])
    assigned = [each["id"] for each in issue["assignees"]]
    assert cast.owner.id in assigned
    return person.id in assigned, person.get(at).status, len(todos), subscribed


@pytest.mark.parametrize("how", ["project", "personal", "group"])
def test_a_transfer_ends_the_assignments_of_those_who_lose_access(cast, world, how):
    group, _, here = world
    person, stays = cast.stranger, cast.guest
    if how == "group":
        top = make_group(cast.owner, "top", visibility="public")
        cast.owner.post(f"/groups/{group['id']}/transfer", group_id=top["id"])
        cast.root.post(f"/groups/{top['id']}/members", user_id=person.id, access_level=30)
    else:
        cast.root.post(f"/groups/{group['id']}/members", user_id=person.id, access_level=30)
    # One who was never a member may be assigned in a public project, and stays so.
    at = assign(cast, here, person)
    other = assign(cast, here, stays)
    if how == "group":
        assert cast.owner.post(f"/groups/{group['id']}/transfer").status == 201
    elif how == "personal":
        assert cast.owner.put(f"{here}/transfer", namespace=cast.owner.username).status == 200
    else:
        target = make_group(cast.owner, "target", visibility="public")
        assert cast.owner.put(f"{here}/transfer", namespace=target["id"]).status == 200
    assert left(cast, at, person) == (False, 404, 0, 1)
    assert left(cast, other, stays)[:2] == (True, 200)


def test_a_member_of_both_groups_keeps_everything(cast, world):
    group, _, here = world
    target = make_group(cast.owner, "target", visibility="public")
    for each in (group, target):
        cast.root.post(f"/groups/{each['id']}/members", user_id=cast.stranger.id, access_level=20)
    at = assign(cast, here, cast.stranger)
    cast.owner.put(f"{here}/transfer", namespace="target")
    assert left(cast, at, cast.stranger) == (True, 200, 1, 1)


@pytest.mark.parametrize("how", ["unshared", "expired", "locked", "deleted", "left", "moved", "moved away"])
def test_the_end_of_a_share_ends_the_assignments_that_it_allowed(cast, world, how):
    group, _, here = world
    above = make_group(cast.root, "above", visibility="private")
    band = make_group(cast.root, "band", visibility="private", parent_id=above["id"])
    source = above if how == "moved away" else band
    cast.root.post(f"/groups/{source['id']}/members", user_id=cast.stranger.id, access_level=30)
    cast.root.post(f"{here}/share", group_id=band["id"], group_access=30)
    at = assign(cast, here, cast.stranger)
    match how:
        case "unshared":
            assert cast.owner.delete(f"{here}/share/{band['id']}").status == 204
        case "expired":
            cast.run("UPDATE project_shares SET expires_on = '2018-01-01'")
            cast.transact(lambda tx: enqueue(tx, "members.forget_expired", ""))
            drain(cast)
        case "locked":
            assert cast.owner.put(f"/groups/{group['id']}", share_with_group_lock=True).status == 200
        case "left":
            assert cast.stranger.delete(f"/groups/{band['id']}/members/{cast.stranger.id}").status == 204
        case "moved":
            top = make_group(cast.owner, "top", visibility="public", share_with_group_lock=True)
            assert cast.owner.post(f"/groups/{group['id']}/transfer", group_id=top["id"]).status == 201
        case "moved away":
            assert cast.root.post(f"/groups/{band['id']}/transfer").status == 201
        case _:
            assert cast.root.delete(f"/groups/{band['id']}").status == 204
    assert left(cast, at, cast.stranger) == (False, 404, 0, 1)


@pytest.mark.parametrize(
    "how", ["unshared", "expired", "locked", "deleted", "left", "project moved", "group moved", "moved away"]
)
def test_the_end_of_a_share_of_a_group_above_ends_the_assignments_that_it_allowed(cast, how):
    top = make_group(cast.owner, "top", visibility="public")
    group = make_group(cast.owner, "home", visibility="public", parent_id=top["id"])
    here = f"/projects/{make_project(cast.owner, 'thing', namespace_id=group['id'], visibility='public')['id']}"
    above = make_group(cast.owner, "above", visibility="private")
    band = make_group(cast.owner, "band", visibility="private", parent_id=above["id"])
    source = above if how == "moved away" else band
    cast.root.post(f"/groups/{source['id']}/members", user_id=cast.stranger.id, access_level=30)
    assert cast.owner.post(f"/groups/{top['id']}/share", group_id=band["id"], group_access=30).status == 201
    at = assign(cast, here, cast.stranger)
    match how:
        case "unshared":
            assert cast.owner.delete(f"/groups/{top['id']}/share/{band['id']}").status == 204
        case "expired":
            cast.run("UPDATE group_shares SET expires_on = '2018-01-01'")
            cast.transact(lambda tx: enqueue(tx, "members.forget_expired", ""))
            drain(cast)
            assert cast.value("SELECT count(*) FROM group_shares") == 0
        case "locked":
            assert cast.owner.put(f"/groups/{top['id']}", share_with_group_lock=True).status == 200
        case "left":
            assert cast.stranger.delete(f"/groups/{band['id']}/members/{cast.stranger.id}").status == 204
        case "project moved":
            assert cast.owner.put(f"{here}/transfer", namespace=cast.owner.username).status == 200
        case "group moved":
            assert cast.owner.post(f"/groups/{group['id']}/transfer").status == 201
        case "moved away":
            assert cast.owner.post(f"/groups/{band['id']}/transfer").status == 201
        case _:
            assert cast.owner.delete(f"/groups/{band['id']}").status == 204
    assert left(cast, at, cast.stranger) == (False, 404, 0, 1)


def test_the_members_of_a_deleted_group_are_known_until_what_they_had_has_ended(cast, world):
    _, _, here = world
    band = make_group(cast.root, "band", visibility="private")
    cast.root.post(f"/groups/{band['id']}/members", user_id=cast.stranger.id, access_level=30)
    cast.root.post(f"{here}/share", group_id=band["id"], group_access=30)
    at = assign(cast, here, cast.stranger)

    async def remove(tx):
        actor = Actor(cast.root.id, admin=True)
        await groups.remove(tx, actor, await find_group(tx, actor, Ref.of(band["id"]), lock=True))
        await tx.run("UPDATE jobs SET ready_at = '2999-01-01T00:00:00.000Z' WHERE task = 'lost_access.end'")

    def members():
        known = "SELECT count(*) FROM members WHERE source_kind = 'group' AND source_id = :id"
        return cast.value(known, id=band["id"])

    def run(task):
        cast.run("UPDATE jobs SET ready_at = '2018-01-01T00:00:00.000Z' WHERE task = :task", task=task)
        drain(cast)

    cast.transact(remove)
    drain(cast)
    assert (left(cast, at, cast.stranger)[0], members()) == (True, 2)
    run("lost_access.end")
    assert (left(cast, at, cast.stranger), members()) == ((False, 404, 0, 1), 2)
    run("groups.remove")
    assert members() == 0


def test_a_lowered_visibility_ends_what_outsiders_had(cast, world):
    group, project, here = world
    fork_home = make_group(cast.owner, "forks", visibility="public")
    fork, between, last = (
        make_project(cast.owner, name, namespace_id=fork_home["id"], visibility="public")["id"]
        for name in ("fork", "between", "last")
    )
    for one, source in ((fork, project["id"]), (between, project["id"]), (last, between)):
        assert cast.root.post(f"/projects/{one}/fork/{source}").status == 201
    assert cast.owner.delete(f"/projects/{between}").status == 204
    drain(cast)
    places = [assign(cast, at, cast.stranger) for at in (here, f"/projects/{fork}", f"/projects/{last}")]
    cast.owner.post(f"/groups/{group['id']}/-/epics", title="Epic")
    assert cast.stranger.post(f"/groups/{group['id']}/-/epics/1/notes", body="x").status == 201
    assert cast.owner.post(f"/groups/{group['id']}/-/epics/1/notes", body=f"@{cast.stranger.username}").status == 201
    assert len(cast.stranger.get("/todos").json) == 4
    assert cast.owner.put(here, visibility="private").status == 200
    assert [left(cast, at, cast.stranger) for at in places] == [(False, 404, 0, 0)] * 3
    assert cast.owner.put(f"/groups/{group['id']}", visibility="private").status == 200
    assert cast.value("SELECT count(*) FROM todos WHERE user_id = :id", id=cast.stranger.id) == 0
    # What is public again brings nothing back.
    cast.owner.put(f"/groups/{group['id']}", visibility="public")
    cast.owner.put(here, visibility="public")
    assert left(cast, places[0], cast.stranger)[:2] == (False, 404)


def test_a_user_who_becomes_external_or_an_ordinary_user_loses_what_they_had(cast):
    project = make_project(cast.owner, "inside", visibility="internal")
    group = make_group(cast.owner, "inner", visibility="internal")
    at = assign(cast, f"/projects/{project['id']}", cast.stranger)
    kept = assign(cast, f"/projects/{cast.public.id}", cast.stranger)
    epic = f"/groups/{group['id']}/-/epics/1"
    cast.owner.post(f"/groups/{group['id']}/-/epics", title="Epic")
    assert [cast.stranger.post(f"{epic}/{verb}").status for verb in ("todo", "subscribe")] == [201, 201]
    assert cast.root.put(f"/users/{cast.stranger.id}", external=True).status == 200
    assert left(cast, at, cast.stranger) == (False, 404, 0, 0)
    assert cast.rows("SELECT 1 FROM todos WHERE user_id = :id AND target_kind = 'epic'", id=cast.stranger.id) == []
    subscriptions = "SELECT 1 FROM subscriptions WHERE user_id = :id AND subject_kind = 'epic'"
    assert cast.rows(subscriptions, id=cast.stranger.id) == []
    assert left(cast, kept, cast.stranger)[:2] == (True, 200)
    cast.root.put(f"/users/{cast.guest.id}", admin=True)
    cast.owner.put(f"/projects/{project['id']}", visibility="private")
    at = assign(cast, f"/projects/{project['id']}", cast.guest)
    cast.root.put(f"/users/{cast.guest.id}", admin=False)
    assert left(cast, at, cast.guest) == (False, 404, 0, 0)
