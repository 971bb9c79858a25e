"""One large project beside a small one: lists at a hundred times their size, far pages of them, one client that hammers the
slowest of them, and issues of one project at one and sixteen connections, with one and two workers.
"""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from bench.databases import open_database
from bench.flood import token_of_another_user
from bench.seed import NUMBERS, people, projects
from bench.servers import Server, mujina
from bench.table import FAR_PAGE_BUDGET, BenchRun, vacuum
from bench.wrk import DECISIVE, Measured, in_turn, measure, send
from mujina.kernel.db.transaction import Database, Tx
from mujina.migrations.upgrade import migrate

LARGE, SMALL = 1, 2
"""The projects, by id."""
ITEMS = {LARGE: 10_000, SMALL: 100}
"""Issues, events and members of each, and notes on its first issue. Its events are by the user of the same id."""
FULL = {
    "title": "measured {n}", "description": "what happened, and what should have. " * 12, "labels": "bug,ui",
    "assignee_ids": "1", "milestone_id": "1",
}  # fmt: skip
LISTS = {
    "events of a project": "/projects/{}/events",
    "events of a user": "/users/{}/events",
    "events of a project on some days": "/projects/{}/events?after=2018-01-11&before=2018-02-01",
    "events of a user since a day": "/users/{}/events?after=2017-12-31",
    "comments among the events of a project": "/projects/{}/events?target_type=note",
    "labels of a project": "/projects/{}/labels",
    "members of a project": "/projects/{}/members",
    "members of a project, with inherited ones": "/projects/{}/members/all",
    "notes of an issue": "/projects/{}/issues/1/notes",
    "discussions of an issue": "/projects/{}/issues/1/discussions",
}
ISSUES = f"/api/v4/projects/{LARGE}/issues"
FAR, MIDDLE = 400, 250
"""Pages, by their numbers."""
FILTERS = {
    "issues of an author": "/projects/{}/issues?author_id=1",
    "issues of a milestone": "/projects/{}/issues?milestone=first",
    "issues of an assignee": "/projects/{}/issues?assignee_id=1",
    "issues of a label": "/projects/{}/issues?labels=bug",
}
"""Lists of which the matches are counted."""
CONNECTIONS = 16
HEAD_START = 0.4
"""Seconds for which the client hammers before others are measured."""
KEPT = 0.7
"""The part of their rate that others keep while one client hammers."""


def measured(bench: BenchRun) -> Iterator[str]:
    bench.print_step("one large project")
    url = bench.new_database("sizes")
    asyncio.run(_fill(url))
    vacuum(url)
    with mujina(bench.folder / f"{bench.engine}-sizes", url) as server:
        reads = dict[str, float]()
        for name, path in (LISTS | FILTERS).items():
            bench.print_step(name)
            large, small = (f"/api/v4{path.format(id)}" for id in (LARGE, SMALL))
            compared = in_turn(bench.seconds, partial(_once, server, large), partial(_once, server, small))
            reads[large] = compared.result.total
            budget, within = ("≤ 1.5 × the small list", compared.total <= 1.5) if name in LISTS else ("", True)
            within = within and compared.result.bad == 0
            yield bench.compared(f"{name}, 100 × as many", compared, budget, within=within)
        yield from _far(bench, server)
        yield _hammered(bench, server, max(reads, key=reads.__getitem__))
        yield from _issues(bench, server)
    with mujina(bench.folder / f"{bench.engine}-sizes", url, workers=2) as server:
        _once(server, ISSUES)
        result = measure(server, ISSUES, CONNECTIONS, bench.seconds)
        yield bench.requests("list 20 of 10,000 issues in one project, 2 workers", result, "", within=result.bad == 0)


def _once(server: Server, path: str) -> Measured:
    return measure(server, path, CONNECTIONS, 1)


def _issues(bench: BenchRun, server: Server) -> Iterator[str]:
    for name, path, body in (
        ("list 20 of 10,000 issues in one project", ISSUES, None),
        ("single issue of 10,000 in one project", f"{ISSUES}/77", None),
        ("create an issue with a full body", ISSUES, FULL),
    ):
        for connections in (1, CONNECTIONS):
            bench.print_step(f"{name}, {connections} connections")
            measure(server, path, connections, 1, body)
            result = measure(server, path, connections, bench.seconds, body)
            yield bench.requests(f"{name}, {connections} connections", result, "no errors", within=result.bad == 0)


def _far(bench: BenchRun, server: Server) -> Iterator[str]:
    """Page 400 compared with page 1, and the page in the middle, which is the farthest from both ends."""
    far = FAR_PAGE_BUDGET[bench.engine]
    for name, path, number, budget in (
        ("issues in one project", ISSUES, FAR, far),
        ("issues in one project", ISSUES, MIDDLE, far),
        ("events of a project", f"/api/v4/projects/{LARGE}/events", MIDDLE, None),
    ):
        bench.print_step(f"page {number} of {name}")
        rounds = DECISIVE * bench.seconds if budget else bench.seconds
        compared = in_turn(rounds, partial(_once, server, f"{path}?page={number}"), partial(_once, server, path))
        yield bench.compared(
            f"page {number} of 10,000 {name}, compared with page 1", compared,
            f"≤ {budget} × page 1" if budget else "", within=budget is None or compared.total <= budget,
        )  # fmt: skip


def _hammered(bench: BenchRun, server: Server, slowest: str) -> str:
    """The rate of single issues while another user asks for the slowest list again and again."""
    bench.print_step(f"single issue while one client hammers {slowest}")
    path, token = f"{ISSUES}/77", token_of_another_user(server)

    def busy() -> Measured:
        with ThreadPoolExecutor(1) as hammer:
            hammering = hammer.submit(send, server, slowest, 1, 2, token=token)
            time.sleep(HEAD_START)
            result = _once(server, path)
            hammering.result()
        return result

    compared = in_turn(DECISIVE * bench.seconds, busy, partial(_once, server, path))
    within = compared.rate >= KEPT and compared.result.bad == 0
    what = f"single issue while one client hammers the slowest list: {compared.rate:.2f} × the rate"
    return bench.compared(what, compared, f"≥ {KEPT} × the quiet rate", within=within)


async def _fill(url: str) -> None:
    await migrate(url)
    async with open_database(url) as database:
        await people(database)
        await _fill_projects(database)


async def _fill_projects(database: Database) -> None:
    async with database.transaction() as tx:
        await projects(tx, 2)
        await _users(tx)
        for project, count in ITEMS.items():
            for statement in _ROWS:
                await tx.run(
                    f"{statement}", most=count, project=project, text="what happened, and what should have. " * 12
                )
        await tx.run(
            """INSERT INTO issue_labels (issue_id, label_id)
               SELECT i.id, l.id FROM issues i JOIN labels l ON l.project_id = i.project_id WHERE (i.id + l.id) % 3 <> 0"""
        )
        await tx.run("INSERT INTO issue_assignees (issue_id, user_id) SELECT id, 1 + id % 20 FROM issues")
        await tx.run(
            """INSERT INTO iids (owner_kind, owner_id, noun, last)
               SELECT 'project', project_id, 'issue', max(iid) FROM issues GROUP BY project_id"""
        )


async def _users(tx: Tx) -> None:
    """Users who are nothing but members, like the second one."""
    taken = {
        "id": "1000 + n",
        "username": _named("u"),
        "username_folded": _named("u"),
        "email": _named("e"),
        "email_folded": _named("e"),
    }
    names = await tx.values(
        "SELECT name FROM pragma_table_info('users')"
        if tx.engine == "sqlite"
        else "SELECT column_name FROM information_schema.columns WHERE table_name = 'users'"
    )
    values = ", ".join(taken.get(name, f"one.{name}") for name in names)
    await tx.run(
        f"INSERT INTO users ({', '.join(names)}) {NUMBERS} SELECT {values} FROM numbers, users one WHERE one.id = 2",  # pyright: ignore[reportArgumentType]
        most=max(ITEMS.values()),
    )


def _named(prefix: str) -> str:
    return f"'{prefix}' || CAST(n AS text)"


_ROWS = (
    f"""INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, author_id, milestone_id,
            created_at, updated_at)
        {NUMBERS} SELECT :project, n, 'Issue ' || CAST(n AS text), 'issue ' || CAST(n AS text), :text, :text, 1 + n % 20,
            :project, '2018-01-' || CAST(10 + n % 20 AS text) || 'T10:00:' || CAST(10 + n / 20 % 50 AS text) || '.'
            || CAST(100 + n / 1000 AS text) || 'Z', '2018-02-01T10:00:00.000Z' FROM numbers""",
    f"""INSERT INTO events (kind, actor_id, author_id, project_id, subject_kind, subject_id, created_at)
        {NUMBERS} SELECT 'issue.created', 1, :project, :project, 'issue', i.id, i.created_at
        FROM numbers JOIN issues i ON i.project_id = :project AND i.iid = n""",
    f"""INSERT INTO members (source_kind, source_id, user_id, level, expires_on, created_at, updated_at)
        {NUMBERS} SELECT 'project', :project, 1000 + n, 30, '9999-12-31', '2018-01-01T10:00:00.000Z',
            '2018-01-01T10:00:00.000Z' FROM numbers""",
    f"""INSERT INTO notes (noteable_kind, noteable_id, project_id, author_id, body, body_folded, discussion_id, created_at,
            updated_at)
        {NUMBERS} SELECT 'issue', i.id, :project, 1, 'note', 'note', CAST(:project AS text) || '-' || CAST(n AS text),
            '2018-01-01T10:00:00.000Z', '2018-01-01T10:00:00.000Z'
        FROM numbers JOIN issues i ON i.project_id = :project AND i.iid = 1""",
)
