"""What two people want at the same moment, one of them gets."""

import asyncio

import pytest

from mujina.accounts.users.removing.ghost import ghost


def at_once(cast, *asked):
    """Each `(who, verb, path, params)` at the same moment; the statuses."""

    async def ask():
        answers = await asyncio.gather(*(who.exchange(verb, path, params=params) for who, verb, path, params in asked))
        return [answer.status for answer in answers]

    statuses = cast.root.loop.run_until_complete(ask())
    assert max(statuses) < 500, statuses
    return statuses


@pytest.mark.commits
def test_one_name_and_address_make_one_person(cast):
    ann = {"email": "ann@example.org", "username": "ann", "name": "Ann", "reset_password": True}
    statuses = at_once(cast, *[(cast.root, "POST", "/users", ann)] * 8)
    assert sorted(statuses) == [201] + [409] * 7
    assert len(cast.root.get("/users", username="ann").json) == 1


@pytest.mark.commits
def test_a_name_is_a_persons_or_a_groups(cast):
    ann = {"email": "ann@example.org", "username": "ann", "name": "Ann", "reset_password": True}
    group = {"name": "Ann", "path": "ann"}
    statuses = at_once(cast, *[(cast.root, "POST", "/users", ann), (cast.root, "POST", "/groups", group)] * 4)
    assert statuses.count(201) == 1


@pytest.mark.commits
def test_an_address_is_one_persons_first_or_anothers_second(cast):
    new = {"email": "new@example.org"}
    statuses = at_once(
        cast,
        (cast.guest, "POST", "/user/emails", new),
        (cast.root, "PUT", f"/users/{cast.reporter.id}", {**new, "skip_reconfirmation": True}),
        (cast.developer, "POST", "/user/emails", new),
        (cast.root, "POST", "/users", {**new, "username": "n", "name": "N", "reset_password": True}),
    )
    assert len([status for status in statuses if status < 300]) == 1


@pytest.mark.commits
def test_administrators_who_remove_each_other_leave_one(cast):
    people = [cast.root, cast.guest, cast.reporter, cast.developer]
    for person in people[1:]:
        assert cast.root.put(f"/users/{person.id}", admin=True).status == 200
    ways = [("POST", "/block", {}), ("PUT", "", {"admin": False}), ("DELETE", "", {})]
    at_once(
        cast,
        *[
            (person, ways[n][0], f"/users/{other.id}{ways[n][1]}", ways[n][2])
            for person in people
            for n, other in enumerate(each for each in people if each is not person)
        ],
    )
    left = "SELECT count(*) FROM users u WHERE u.admin AND u.state = 'active' AND u.deleted_at IS NULL"
    assert cast.value(left) >= 1


@pytest.mark.commits
def test_deleted_people_share_one_ghost(cast):
    issues = f"/projects/{cast.public.id}/issues"
    people = [cast.stranger, cast.guest, cast.reporter, cast.developer]
    for person in people:
        assert person.post(issues, title="Mine").status == 201
    assert at_once(cast, *[(cast.root, "DELETE", f"/users/{person.id}", {}) for person in people]) == [204] * 4
    ghosts = [each for each in cast.root.get("/users", search="Ghost User").json if each["name"] == "Ghost User"]
    assert len(ghosts) <= 1


@pytest.mark.commits
def test_transactions_that_need_the_first_ghost_create_one(database, loop):
    async def need():
        async with database.transaction() as tx:
            found = await ghost(tx)
            await asyncio.sleep(0)
            return found

    async def all_at_once():
        return await asyncio.gather(*(need() for _ in range(6)))

    assert len(set(loop.run_until_complete(all_at_once()))) == 1


@pytest.mark.commits
@pytest.mark.parametrize("hard", [False, True], ids=["given", "erased"])
def test_users_who_share_issues_are_removed_at_once(cast, hard):
    """Each is assigned to what the others wrote, and has commented on it."""
    people = [cast.reporter, cast.developer, cast.left]
    issues = f"/projects/{cast.private.id}/issues"
    cast.root.post(f"/projects/{cast.private.id}/members", user_id=cast.left.id, access_level=30)
    written = [
        cast.root.post(issues, title=f"{person.id}", assignee_ids=[each.id for each in people], sudo=person.id).json[
            "iid"
        ]
        for _ in range(3)
        for person in people
    ]
    for person in people:
        for iid in written:
            person.post(f"{issues}/{iid}/notes", body="Mine too")
    removals = [(cast.root, "DELETE", f"/users/{person.id}", {"hard_delete": hard}) for person in people]
    assert at_once(cast, *removals) == [204] * 3
    left = {issue["iid"] for issue in cast.root.get(issues, per_page=100).json}
    assert (left & set(written)) == (set() if hard else set(written))
