"""A tree of groups with projects and people, large or a hundredth of it: what lists cost must hardly tell them apart."""

from mujina.accounts.credentials import operations as credentials
from mujina.accounts.users import operations as users
from mujina.accounts.users.params import CreateUser
from mujina.kernel import clock
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Database, Tx, Value
from mujina.kernel.permissions.actor import SYSTEM

MEMBER = "bench-member-token"
"""The token of a person who is a developer at the root of the tree."""
ADMIN = "bench-admin-token"
ROOT = "g0"
"""The path of the group at the root."""
BRANCHES = 10
"""Subgroups of a group."""
EPICS = 10
"""Epics of each group."""


async def plant(database: Database, groups: int, projects: int, people: int) -> None:
    """Fill the database with these numbers of rows; the member is person 2, the root of the tree group 1."""
    async with database.transaction() as tx:
        for n in range(people):
            person = CreateUser(
                email=f"p{n}@example.org",
                username=f"person{n}",
                name=f"Person {n}",
                admin=n == 0,
                skip_confirmation=True,
                password="never used",
            )
            user_id = await users.create(tx, SYSTEM, person, None)
            if n < 2:
                await credentials.create_token(tx, SYSTEM, user_id, "bench", ["api"], token=MEMBER if n else ADMIN)
        first = await tx.value("SELECT max(id) + 1 FROM namespaces")
        await _groups(tx, first, groups)
        await _projects(tx, first, groups, projects)
        await _epics(tx, first, groups)
        await _epic_issues(tx, groups)
        await tx.run(
            """INSERT INTO members (source_kind, source_id, user_id, level, expires_on, created_at, updated_at)
               VALUES ('group', :id, 2, 30, :never, :now, :now)""",
            id=first, never=NEVER, now=clock.now(),
        )  # fmt: skip


async def _groups(tx: Tx, first: int, count: int) -> None:
    paths: dict[int, str] = {}
    above: dict[int, list[int]] = {}
    rows: list[dict[str, Value]] = []
    for n in range(count):
        id_, parent = first + n, first + (n - 1) // BRANCHES if n else None
        paths[id_] = f"{paths[parent]}/g{n}" if parent else f"g{n}"
        above[id_] = [id_, *(above[parent] if parent else [])]
        rows.append({"id": id_, "parent": parent, "name": f"g{n}", "path": paths[id_], "now": clock.now()})
    await tx.run_each(
        """INSERT INTO namespaces (id, kind, name, name_folded, path, path_folded, full_name, parent_id, created_at, updated_at)
           VALUES (:id, 'group', :name, :name, :name, :name, :path, :parent, :now, :now)""",
        rows,
    )
    await tx.run_each("INSERT INTO groups (id, visibility) VALUES (:id, 'private')", rows)
    await tx.run_each("INSERT INTO routes (path_folded, path, namespace_id) VALUES (:path, :path, :id)", rows)
    await tx.run_each(
        "INSERT INTO group_tree (group_id, ancestor_id, depth) VALUES (:group, :ancestor, :depth)",
        [{"group": g, "ancestor": a, "depth": d} for g, chain in above.items() for d, a in enumerate(chain)],
    )


async def _projects(tx: Tx, first: int, groups: int, count: int) -> None:
    rows: list[dict[str, Value]] = [
        {"home": first + n % groups, "name": f"p{n}x", "now": clock.now()} for n in range(count)
    ]
    await tx.run_each(
        """INSERT INTO projects (namespace_id, name, name_folded, path, path_folded, visibility, creator_id,
               runners_token, created_at, updated_at, last_activity_at)
           VALUES (:home, :name, :name, :name, :name, 'private', 1, '', :now, :now, :now)""",
        rows,
    )
    await tx.run(
        """INSERT INTO routes (path_folded, path, project_id)
           SELECT r.path || '/' || p.path, r.path || '/' || p.path, p.id FROM projects p
           JOIN routes r ON r.namespace_id = p.namespace_id"""
    )


async def _epics(tx: Tx, first: int, groups: int) -> None:
    await tx.run_each(
        """INSERT INTO epics (group_id, iid, title, title_folded, author_id, created_at, updated_at)
           VALUES (:group, :iid, :title, :title, 1, :now, :now)""",
        [
            {"group": first + n, "iid": iid, "title": f"e{iid}", "now": clock.now()}
            for iid in range(1, EPICS + 1)
            for n in range(groups)
        ],
    )


async def _epic_issues(tx: Tx, count: int) -> None:
    """As many issues as there are groups, in ten projects, all in the first epic of the root."""
    await tx.run_each(
        """INSERT INTO issues (project_id, iid, title, title_folded, author_id, created_at, updated_at)
           SELECT 1 + :n % 10, 1 + :n / 10, :title, :title, 1, :now, :now""",
        [{"n": n, "title": f"i{n}", "now": clock.now()} for n in range(count)],
    )
    await tx.run(
        """INSERT INTO epic_issues (epic_id, issue_id, project_id, relative_position)
           SELECT 1, i.id, i.project_id, i.id * 1000 FROM issues i"""
    )
