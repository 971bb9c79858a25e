"""The fragments of `members/access.py`, compared with a brute-force oracle on random worlds."""

from random import Random

import pytest

from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import BELONG_TO_GROUP, READ_GROUP
from mujina.workspaces.members.access import (
    GROUP_LEVEL,
    GROUPS_ABOVE,
    GROUPS_BELONGED_TO,
    GROUPS_REACHED,
    LEVEL_RULES,
    PROJECT_LEVEL,
    group_guest,
    group_guest_each,
)
from mujina.workspaces.members.lists.all_members import ALL_GROUP_MEMBERS, ALL_PROJECT_MEMBERS
from mujina.workspaces.projects.figures import counts
from mujina.workspaces.projects.params import ListProjects
from mujina.workspaces.projects.rules import READ_PROJECT
from tests.workspaces.members.access_oracle import World, built


@pytest.mark.parametrize("seed", range(6))
def test_access_is_what_the_oracle_says(cast, seed):
    world = World(Random(seed))
    cast.transact(lambda tx: built(tx, world))
    cast.transact(lambda tx: compared(tx, world))


async def compared(tx, world):
    for user in world.users:
        bound = Actor(id=user, external=user in world.externals).bound
        levels = await tx.rows(tuple, f"SELECT p.id, {PROJECT_LEVEL} FROM projects p WHERE p.id IN :ids",
                               ids=list(world.projects), **bound)  # fmt: skip
        assert dict(levels) == {project: world.project_level(user, project) for project in world.projects}
        for least, rule in LEVEL_RULES.items():
            reached = await tx.values(
                f"SELECT p.id FROM projects p WHERE p.id IN :ids AND {rule.for_scan}", ids=list(world.projects), **bound
            )
            assert set(reached) == {p for p in world.projects if world.project_level(user, p) >= least}

        levels = await tx.rows(tuple, f"SELECT g.id, {GROUP_LEVEL} FROM groups g WHERE g.id IN :ids",
                               ids=list(world.parents), **bound)  # fmt: skip
        assert dict(levels) == {group: world.group_level(user, group) for group in world.parents}
        reached = await tx.rows(tuple, GROUPS_REACHED, **bound)
        assert highest(reached) == {g: level for g in world.parents if (level := world.group_level(user, g))}
        above = set(await tx.values(GROUPS_ABOVE, **bound))
        assert above == {group for group in world.parents if world.is_above(user, group)}

        projects = await tx.values(
            f"SELECT p.id FROM projects p WHERE p.id IN :ids AND {READ_PROJECT.for_scan}",
            ids=list(world.projects),
            **bound,
        )
        assert set(projects) == {project for project in world.projects if world.sees_project(user, project)}
        groups = await tx.values(
            f"SELECT g.id FROM groups g WHERE g.id IN :ids AND {READ_GROUP.for_scan}", ids=list(world.parents), **bound
        )
        assert set(groups) == {group for group in world.parents if world.sees_group(user, group)}
        await compare_counts(tx, Actor(id=user, external=user in world.externals))
    await compare_members(tx, world)


async def compare_counts(tx, actor):
    """The counts without a scan equal the counts of the rows."""
    for query, rule in ((ListProjects(), READ_PROJECT), (ListProjects(membership=True), LEVEL_RULES[10])):
        seen = f"SELECT count(*) FROM projects p WHERE p.deleted_at IS NULL AND NOT p.archived AND {rule.for_scan}"
        count = counts.count(actor, query)
        assert await tx.value(count.text, **count.bound) == await tx.value(seen, **actor.bound)
    listed = "SELECT g.id FROM groups g JOIN namespaces n ON n.id = g.id WHERE n.deleted_at IS NULL AND"
    collected = await tx.values(f"{listed} {BELONG_TO_GROUP.for_scan}", **actor.bound)
    tested = await tx.values(
        f"{listed} {BELONG_TO_GROUP.assuming({group_guest: group_guest_each}).for_scan}", **actor.bound
    )
    assert sorted(tested) == sorted(collected)
    assert await tx.value(GROUPS_BELONGED_TO, **actor.bound) == len(collected)


async def compare_members(tx, world):
    for project in world.projects:
        found = await tx.rows(tuple, ALL_PROJECT_MEMBERS, project_id=project, today=world.today)
        expected = {user: level for user in world.users if (level := world.project_level(user, project))}
        assert highest((user, level) for user, level, *_ in found) == expected
    for group in world.parents:
        found = await tx.rows(tuple, ALL_GROUP_MEMBERS, group_id=group, today=world.today)
        expected = {user: level for user in world.users if (level := world.group_level(user, group))}
        assert highest((user, level) for user, level, *_ in found) == expected


def highest(rows):
    """The highest level for each key."""
    found = {}
    for key, level in rows:
        found[key] = max(found.get(key, 0), level)
    return found
