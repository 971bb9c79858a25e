"""The load: 100,000 issues, 10,000 of them in the hot project, each with two labels, assignees and a milestone.

The database generates it: one statement per table, the same text on both engines.
"""

from bench.bulk import issues_in_bulk
from bench.databases import open_database
from mujina.accounts.credentials import operations as credentials
from mujina.accounts.users import operations as users
from mujina.accounts.users.params import CreateUser
from mujina.kernel import clock
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.permissions.actor import SYSTEM

TOKEN = "bench-token"
HOT = 1
PROJECTS = 10
ISSUES = 100_000
PEOPLE = 20

NUMBERS = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :most)"


async def seed(url: str) -> None:
    """Fill the database; project 1 is the hot one, and root's token is `TOKEN`."""
    await people_and_projects(url, PROJECTS)
    async with issues_in_bulk(url) as tx:
        await issues(tx, ISSUES, PROJECTS)
        await numbers(tx)
        await labels_and_assignees(tx)


async def people_and_projects(url: str, count: int) -> None:
    """Create the users and this many projects of root."""
    async with open_database(url) as database:
        await people(database)
        async with database.transaction() as tx:
            await projects(tx, count)


async def people(database: Database) -> None:
    """Create root, who has the token, and a few other users."""
    async with database.transaction() as tx:
        root = CreateUser(
            email="root@example.org", username="root", name="Root", admin=True, skip_confirmation=True,
            password="never used",
        )  # fmt: skip
        await credentials.create_token(
            tx, SYSTEM, await users.create(tx, SYSTEM, root, None), "bench", ["api"], token=TOKEN
        )
        for n in range(1, PEOPLE):
            person = CreateUser(
                email=f"p{n}@example.org", username=f"person{n}", name=f"Person {n}", skip_confirmation=True,
                password="never used",
            )  # fmt: skip
            await users.create(tx, SYSTEM, person, None)


async def projects(tx: Tx, count: int) -> None:
    """Create this many projects of root, each with a milestone and three labels."""
    now = clock.now()
    await tx.run(
        f"""
        INSERT INTO projects (namespace_id, name, name_folded, path, path_folded, visibility, creator_id,
            created_at, updated_at, last_activity_at)
        {NUMBERS} SELECT 1, 'project' || CAST(n AS text), 'project' || CAST(n AS text), 'project' || CAST(n AS text),
            'project' || CAST(n AS text), 'private', 1, :now, :now, :now FROM numbers
        """,
        most=count, now=now,
    )  # fmt: skip
    await tx.run(
        "INSERT INTO routes (path_folded, path, project_id) SELECT 'root/' || path, 'root/' || path, id FROM projects"
    )
    await tx.run(
        """INSERT INTO milestones (iid, project_id, title, title_folded, created_at, updated_at)
           SELECT 1, id, 'first', 'first', :now, :now FROM projects""",
        now=now,
    )  # fmt: skip
    for title in ("bug", "ui", "later"):
        await tx.run(
            """INSERT INTO labels (project_id, title, title_folded, color, created_at, updated_at)
               SELECT id, :title, :title, '#428BCA', :now, :now FROM projects""",
            title=title, now=now,
        )  # fmt: skip


async def issues(tx: Tx, count: int, of: int) -> None:
    """Create this many issues, evenly in `of` projects."""
    await tx.run(
        f"""
        INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, author_id,
            milestone_id, created_at, updated_at)
        {NUMBERS} SELECT 1 + (n - 1) / :share, 1 + (n - 1) % :share, 'Issue ' || CAST(n AS text), 'issue ' || CAST(n AS text),
            :text, :text, 1 + n % :people, 1 + (n - 1) / :share,
            '2018-01-' || CAST(10 + n % 20 AS text) || 'T10:00:00.000Z', '2018-02-01T10:00:00.000Z' FROM numbers
        """,
        most=count, share=count // of, people=PEOPLE, text="what happened, and what should have. " * 12,
    )  # fmt: skip


async def labels_and_assignees(tx: Tx) -> None:
    """Give each issue two labels and one or two assignees."""
    await tx.run(
        """INSERT INTO issue_labels (issue_id, label_id)
           SELECT i.id, l.id FROM issues i JOIN labels l ON l.project_id = i.project_id WHERE (i.id + l.id) % 3 <> 0
           ORDER BY i.id, l.id"""
    )
    await tx.run(
        """INSERT INTO issue_assignees (issue_id, user_id)
           SELECT i.id, 1 + (i.id + second.n) % :people FROM issues i
           JOIN (SELECT 0 AS n UNION ALL SELECT 1) second ON second.n = 0 OR i.id % 2 = 0
           ORDER BY i.id""",
        people=PEOPLE,
    )


async def numbers(tx: Tx) -> None:
    """Set the iid counter of each project."""
    await tx.run(
        """INSERT INTO iids (owner_kind, owner_id, noun, last)
           SELECT 'project', project_id, 'issue', max(iid) FROM issues GROUP BY project_id"""
    )
