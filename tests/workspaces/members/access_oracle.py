"""Random worlds of people, groups, projects, memberships and shares, with the slow and obvious rules of access."""

from random import Random

from mujina.kernel import clock
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.levels import LEVELS, VISIBILITIES

FIRST = 1_000_000
"""Ids beyond those of the cast."""
YESTERDAY = "2018-01-01"


class World:
    """What there is, as plain dictionaries, and what follows from it."""

    def __init__(self, random: Random) -> None:
        self.today = clock.today()
        self.users = [FIRST + n for n in range(8)]
        self.externals = {self.users[-1]}
        self.homes = {FIRST + 100 + n: user for n, user in enumerate(self.users)}  # personal namespace → owner
        self.parents: dict[int, int | None] = {}
        for n in range(16):
            group = FIRST + 200 + n
            self.parents[group] = random.choice([None, *self.parents, *self.parents])
        groups = list(self.parents)
        self.locks = {group for group in groups if random.random() < 0.2}
        self.visibility = {place: random.choice(VISIBILITIES) for place in groups}
        self.projects = {FIRST + 300 + n: random.choice([*groups, *groups, *self.homes]) for n in range(30)}
        self.visibility |= {project: random.choice(VISIBILITIES) for project in self.projects}
        expiries = [NEVER, NEVER, NEVER, "2999-01-01", YESTERDAY, self.today]
        self.members = {
            (kind, random.choice(places), random.choice(self.users)): (random.choice(LEVELS), random.choice(expiries))
            for kind, places, count in (("group", groups, 25), ("project", list(self.projects), 25))
            for _ in range(count)
        }
        self.shares = {
            (random.choice(list(self.projects)), random.choice(groups)): (
                random.choice(LEVELS),
                random.choice(expiries),
            )
            for _ in range(25)
        }
        self.group_shares = {
            (random.choice(groups), random.choice(groups)): (random.choice(LEVELS), random.choice(expiries))
            for _ in range(12)
        }

    def line(self, group: int | None) -> list[int]:
        """The group and all above it."""
        found: list[int] = []
        while group is not None:
            found.append(group)
            group = self.parents[group]
        return found

    def granted(self, kind: str, place: int, user: int) -> int:
        level, expires_on = self.members.get((kind, place, user), (0, NEVER))
        return level if expires_on > self.today else 0

    def member_level(self, user: int, group: int) -> int:
        """The level by membership in the group or above it: this is what a share passes on."""
        return max(self.granted("group", each, user) for each in self.line(group))

    def granted_group(self, user: int, group: int) -> int:
        """The level that was given in this very group, to the person or to a group of theirs."""
        shared = [
            min(cap, self.member_level(user, invited))
            for (each, invited), (cap, expires_on) in self.group_shares.items()
            if each == group and expires_on > self.today and group not in self.locks
        ]
        return max(self.granted("group", group, user), *shared, 0)

    def group_level(self, user: int, group: int) -> int:
        return max(self.granted_group(user, each) for each in self.line(group))

    def project_level(self, user: int, project: int) -> int:
        home = self.projects[project]
        levels = [self.granted("project", project, user)]
        if self.homes.get(home) == user:
            levels.append(50)
        if home in self.parents:
            levels.append(self.group_level(user, home))
        if home not in self.locks:
            levels += [
                min(cap, self.member_level(user, group))
                for (shared, group), (cap, expires_on) in self.shares.items()
                if shared == project and expires_on > self.today
            ]
        return max(levels)

    def is_above(self, user: int, group: int) -> bool:
        """Whether the person was given something inside the group, or in the group itself."""
        if any(self.granted_group(user, each) and group in self.line(each) for each in self.parents):
            return True
        inside = [p for p, home in self.projects.items() if home in self.parents and group in self.line(home)]
        return any(self.granted("project", project, user) or self.invited(user, project) for project in inside)

    def invited(self, user: int, project: int) -> bool:
        return self.projects[project] not in self.locks and any(
            shared == project and expires_on > self.today and self.member_level(user, group)
            for (shared, group), (_, expires_on) in self.shares.items()
        )

    def shown(self, user: int, place: int) -> bool:
        visibility = self.visibility[place]
        return visibility == "public" or (visibility == "internal" and user not in self.externals)

    def sees_project(self, user: int, project: int) -> bool:
        return self.shown(user, project) or self.project_level(user, project) > 0

    def sees_group(self, user: int, group: int) -> bool:
        return self.shown(user, group) or self.group_level(user, group) > 0 or self.is_above(user, group)


async def built(tx: Tx, world: World) -> None:
    """The world stands in the database."""
    now = clock.now()
    await tx.run_each(
        """INSERT INTO users (id, username, username_folded, name, name_folded, email, email_folded, external, created_at,
               updated_at) VALUES (:id, :name, :name, :name, :name, :name, :name, :external, :now, :now)""",
        [{"id": id_, "name": f"u{id_}", "external": id_ in world.externals, "now": now} for id_ in world.users],
    )
    spaces = [(id_, "user", None, owner) for id_, owner in world.homes.items()]
    spaces += [(id_, "group", parent, None) for id_, parent in world.parents.items()]
    await tx.run_each(
        """INSERT INTO namespaces (id, kind, name, name_folded, path, path_folded, full_name, parent_id, owner_id,
               created_at, updated_at)
           VALUES (:id, :kind, :name, :name, :name, :name, :name, :parent_id, :owner_id, :now, :now)""",
        [
            {"id": id_, "kind": kind, "name": f"n{id_}", "parent_id": parent, "owner_id": owner, "now": now}
            for id_, kind, parent, owner in spaces
        ],
    )
    await tx.run_each(
        "INSERT INTO groups (id, visibility, share_with_group_lock) VALUES (:id, :visibility, :lock)",
        [{"id": id_, "visibility": world.visibility[id_], "lock": id_ in world.locks} for id_ in world.parents],
    )
    await tx.run_each(
        "INSERT INTO group_tree (group_id, ancestor_id, depth) VALUES (:id, :ancestor, :depth)",
        [
            {"id": id_, "ancestor": ancestor, "depth": depth}
            for id_ in world.parents
            for depth, ancestor in enumerate(world.line(id_))
        ],
    )
    await tx.run_each(
        """INSERT INTO projects (id, namespace_id, name, name_folded, path, path_folded, visibility, created_at,
               updated_at, last_activity_at) VALUES (:id, :home, :name, :name, :name, :name, :visibility, :now, :now, :now)""",
        [
            {"id": id_, "home": home, "name": f"p{id_}", "visibility": world.visibility[id_], "now": now}
            for id_, home in world.projects.items()
        ],
    )
    await granted(tx, world, now)


async def granted(tx: Tx, world: World, now: str) -> None:
    await tx.run_each(
        """INSERT INTO members (source_kind, source_id, user_id, level, expires_on, created_at, updated_at)
           VALUES (:kind, :place, :user, :level, :expires_on, :now, :now)""",
        [
            {"kind": kind, "place": place, "user": user, "level": level, "expires_on": expires_on, "now": now}
            for (kind, place, user), (level, expires_on) in world.members.items()
        ],
    )
    await tx.run_each(
        """INSERT INTO project_shares (project_id, group_id, cap, expires_on, created_at)
           VALUES (:project, :group, :cap, :expires_on, :now)""",
        [
            {"project": project, "group": group, "cap": cap, "expires_on": expires_on, "now": now}
            for (project, group), (cap, expires_on) in world.shares.items()
        ],
    )
    await tx.run_each(
        """INSERT INTO group_shares (shared_group_id, group_id, cap, expires_on, created_at)
           VALUES (:shared, :group, :cap, :expires_on, :now)""",
        [
            {"shared": shared, "group": group, "cap": cap, "expires_on": expires_on, "now": now}
            for (shared, group), (cap, expires_on) in world.group_shares.items()
        ],
    )
