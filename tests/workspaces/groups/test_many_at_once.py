"""Sixteen clients in one tree: whatever they do at the same moment, the tree stays a tree."""

import asyncio
from random import Random

import pytest

from mujina.accounts.paths.operations import move, rename
from mujina.accounts.paths.rules import lock_trees
from mujina.kernel.http.params import Ref
from tests.harness.creation import make_group, make_project, new_user

CLIENTS, CHANGES = 16, 12


@pytest.mark.commits
@pytest.mark.parametrize("seed", [1, 2])
def test_sixteen_clients_change_one_tree_and_it_stays_whole(cast, seed, thorough):
    changes = CHANGES if thorough else CHANGES // 3
    top = make_group(cast.root, "top", visibility="public")
    aside = make_group(cast.root, "aside", visibility="internal")
    for number in range(4):
        child = make_group(cast.root, f"child{number}", parent_id=top["id"], visibility="public")
        make_project(cast.root, f"project{number}", namespace_id=child["id"])
    crowd = [Visitor(cast, Random(seed * 100 + number), top["id"], aside["id"]) for number in range(CLIENTS)]

    async def all_at_once():
        return await asyncio.gather(*(visitor.visit(changes) for visitor in crowd))

    statuses = [status for visit in cast.root.loop.run_until_complete(all_at_once()) for status in visit]
    assert len(statuses) == CLIENTS * changes
    assert not [status for status in statuses if status >= 500]
    assert sum(status < 300 for status in statuses) > len(statuses) // 12
    look_for_orphans(cast)


class Visitor:
    """Does one thing after another to whatever it finds in the tree."""

    def __init__(self, cast, random, top, aside):
        self.cast = cast
        self.random = random
        self.roots = [top, aside]
        self.names = 0

    async def visit(self, number):
        deeds = [self.create_group, self.create_group, self.create_project, self.rename_group, self.rename_top,
                 self.rename_project, self.transfer, self.move_group, self.hide, self.delete_group,
                 self.delete_project]  # fmt: skip
        return [await self.random.choice(deeds)() for _ in range(number)]

    async def ask(self, verb, address, **params):
        return (await self.cast.root.exchange(verb, address, params=params)).status

    async def found(self, table):
        """The id of anything there is, or that was there a moment ago."""
        async with self.cast.database.reading() as tx:
            if table == "projects":
                ids = await tx.values("SELECT id FROM projects ORDER BY id")
            else:
                ids = await tx.values("SELECT id FROM namespaces WHERE kind = 'group' ORDER BY id")
        return self.random.choice([*ids[-12:], *self.roots])

    def name(self):
        # Few names for many clients: they are to get into each other's way.
        return f"n{self.random.randrange(12)}"

    async def create_group(self):
        name = self.name()
        return await self.ask("POST", "/groups", name=name, path=name, parent_id=await self.found("groups"))

    async def create_project(self):
        return await self.ask("POST", "/projects", name=self.name(), namespace_id=await self.found("groups"))

    async def rename_group(self):
        name = self.name()
        return await self.ask("PUT", f"/groups/{await self.found('groups')}", name=name, path=name)

    async def move_group(self):
        target = {"group_id": await self.found("groups")} if self.random.random() < 0.8 else {}
        return await self.ask("POST", f"/groups/{await self.found('groups')}/transfer", **target)

    async def rename_top(self):
        name = self.name()
        return await self.ask("PUT", f"/groups/{self.random.choice(self.roots)}", name=name, path=name)

    async def rename_project(self):
        name = self.name()
        return await self.ask("PUT", f"/projects/{await self.found('projects')}", name=name, path=name)

    async def transfer(self):
        return await self.ask("POST", f"/groups/{await self.found('groups')}/projects/{await self.found('projects')}")

    async def hide(self):
        return await self.ask("PUT", f"/groups/{await self.found('groups')}", visibility="private")

    async def delete_group(self):
        group = await self.found("groups")
        return 200 if group in self.roots else await self.ask("DELETE", f"/groups/{group}")

    async def delete_project(self):
        return await self.ask("DELETE", f"/projects/{await self.found('projects')}")


def look_for_orphans(cast):
    spaces = {
        id_: (parent, path, name, full_name)
        for id_, parent, path, name, full_name in cast.rows(
            "SELECT id, parent_id, path, name, full_name FROM namespaces WHERE deleted_at IS NULL"
        )
    }
    projects = cast.rows("SELECT id, namespace_id, path, visibility FROM projects WHERE deleted_at IS NULL")
    routes = cast.rows("SELECT path_folded, path, namespace_id, project_id FROM routes")
    paths = {}

    def full_path(id_):
        parent, path, *_ = spaces[id_]
        return path if parent is None else f"{full_path(parent)}/{path}"

    for id_, (parent, _, name, full_name) in spaces.items():
        paths[full_path(id_)] = (id_, None)
        assert full_name == (name if parent is None else f"{spaces[parent][3]} / {name}")
    for id_, home, path, _ in projects:
        paths[f"{full_path(home)}/{path}"] = (None, id_)
    assert len(paths) == len(spaces) + len(projects), "two things at one path"
    assert {path: (namespace, project) for _, path, namespace, project in routes} == paths
    assert all(folded == path.lower() for folded, path, *_ in routes)
    look_at_the_closure(cast, spaces)
    look_at_visibility(cast, spaces, projects)
    look_at_the_counts(cast)


def look_at_the_closure(cast, spaces):
    tree = {(group, ancestor): depth for group, ancestor, depth in
            cast.rows("SELECT group_id, ancestor_id, depth FROM group_tree")}  # fmt: skip
    expected = {}
    for (id_,) in cast.rows("SELECT g.id FROM groups g JOIN namespaces n ON n.id = g.id WHERE n.deleted_at IS NULL"):
        ancestor, depth = id_, 0
        while ancestor is not None:
            expected[id_, ancestor] = depth
            ancestor, depth = spaces[ancestor][0], depth + 1
    assert tree == expected


def look_at_visibility(cast, spaces, projects):
    order = ["private", "internal", "public"]
    groups = dict(cast.rows("SELECT id, visibility FROM groups"))
    for id_, (parent, *_) in spaces.items():
        if parent is not None:
            assert order.index(groups[id_]) <= order.index(groups[parent])
    for _, home, _, visibility in projects:
        if home in groups:
            assert order.index(visibility) <= order.index(groups[home])


def look_at_the_counts(cast):
    counted = cast.rows(
        """SELECT namespace_id, visibility, archived, count(*) FROM projects WHERE deleted_at IS NULL
           GROUP BY namespace_id, visibility, archived""",
    )
    kept = cast.rows(
        """SELECT namespace_id, visibility, archived, CAST(sum(n) AS bigint) FROM project_counts
           GROUP BY namespace_id, visibility, archived HAVING sum(n) <> 0""",
    )
    assert sorted(kept) == sorted(counted)


@pytest.mark.commits
@pytest.mark.parametrize("engine", ["postgres"])  # SQLite has one writer at a time: nothing moves meanwhile
def test_a_rename_waits_for_the_tree_the_project_was_moved_to_meanwhile(cast, engine):
    home, elsewhere = make_group(cast.root, "home"), make_group(cast.root, "elsewhere")
    project = make_project(cast.root, "wanderer", namespace_id=home["id"])

    async def story():
        async with cast.database.transaction() as renaming_elsewhere:
            await lock_trees(renaming_elsewhere, Ref.of(elsewhere["id"]))
            async with cast.database.transaction() as moving:
                await lock_trees(moving, Ref.of(home["id"]))
                renaming = asyncio.create_task(
                    cast.root.exchange("PUT", f"/projects/{project['id']}", params={"path": "settler"})
                )
                await asyncio.sleep(0.2)
                await moving.run(
                    "UPDATE projects SET namespace_id = :to WHERE id = :id", to=elsewhere["id"], id=project["id"]
                )
                await move(moving, "home/wanderer", "elsewhere/wanderer")
            await asyncio.sleep(0.2)
            await rename(renaming_elsewhere, elsewhere["id"], "there", "there")
        return (await renaming).json["path_with_namespace"]

    assert cast.root.loop.run_until_complete(story()) == "there/settler"
    assert cast.root.get("/projects/there%2Fsettler").json["id"] == project["id"]


@pytest.mark.commits
def test_one_of_many_concurrent_claims_of_a_path_succeeds(cast):
    async def all_at_once():
        claims = [cast.owner.exchange("POST", "/groups", params={"name": f"g{n}", "path": "only"}) for n in range(16)]
        return await asyncio.gather(*claims)

    answers = cast.owner.loop.run_until_complete(all_at_once())
    assert sorted(answer.status for answer in answers) == [201] + [400] * 15
    refusals = [answer.json for answer in answers if answer.status == 400]
    assert all(refusal == {"message": {"path": ["has already been taken"]}} for refusal in refusals)


@pytest.mark.commits
def test_one_of_the_owners_who_leave_at_once_stays(cast):
    group = make_group(cast.owner, "leaving")
    crowd = [cast.owner, cast.guest, cast.reporter, cast.developer]
    for person in crowd[1:]:
        cast.owner.post(f"/groups/{group['id']}/members", user_id=person.id, access_level=50)

    async def all_at_once():
        leaves = [each.exchange("DELETE", f"/groups/{group['id']}/members/{each.id}", params={}) for each in crowd]
        return await asyncio.gather(*leaves)

    statuses = sorted(answer.status for answer in cast.owner.loop.run_until_complete(all_at_once()))
    assert statuses == [204, 204, 204, 403]


@pytest.mark.commits
def test_a_group_keeps_an_owner_though_one_leaves_while_the_other_is_deleted(cast):
    pairs = [(new_user(cast, f"leaves{number}"), new_user(cast, f"goes{number}")) for number in range(4)]
    groups = [make_group(stays, f"of-{stays.username}") for stays, _ in pairs]
    for (stays, goes), group in zip(pairs, groups, strict=True):
        assert stays.post(f"/groups/{group['id']}/members", user_id=goes.id, access_level=50).status == 201

    async def all_at_once():
        changes = [
            change
            for (stays, goes), group in zip(pairs, groups, strict=True)
            for change in (
                stays.exchange("DELETE", f"/groups/{group['id']}/members/{stays.id}", params={}),
                cast.root.exchange("DELETE", f"/users/{goes.id}", params={}),
            )
        ]
        return await asyncio.gather(*changes)

    statuses = {answer.status for answer in cast.root.loop.run_until_complete(all_at_once())}
    assert statuses <= {204, 403, 409}
    owners = [cast.root.get(f"/groups/{group['id']}/members").json for group in groups]
    assert [len(found) for found in owners] == [1] * len(groups)
