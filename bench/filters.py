"""Lists of issues by assignee, milestone, label, author, weight and reaction: each alone and in pairs, with a frequent and a
rare value, in a project of 100,000 issues and in one of 100.
"""

import asyncio
import time
from collections.abc import Iterator
from functools import partial
from itertools import combinations, product
from typing import LiteralString

import httpcore2

from bench.bulk import issues_in_bulk
from bench.seed import NUMBERS, TOKEN, numbers, people_and_projects
from bench.servers import Server, mujina
from bench.table import BenchRun, vacuum
from bench.wrk import Measured, in_turn, measure
from mujina.kernel.db.transaction import Tx
from mujina.migrations.upgrade import migrate

LARGE, SMALL = 1, 2
"""The projects, by id."""
ITEMS = {LARGE: 100_000, SMALL: 100}
"""Issues of each. Ten in each have a rare value; a frequent one has every second issue or nearly every one."""
FILTERS = {
    "assignee": ("assignee_id=1", "assignee_id=2"),
    "milestone": ("milestone=first", "milestone=rare"),
    "label": ("labels=bug", "labels=rare"),
    "author": ("author_id=1", "author_id=2"),
    "weight": ("weight=1", "weight=9"),
    "reaction": ("my_reaction_emoji=thumbsup", "my_reaction_emoji=tada"),
}
"""A frequent and a rare value of each filter."""
COUNTED = {"assignee", "milestone", "label", "author"}
"""Those of which counts are kept."""
PAIRS_MS = 150
"""Milliseconds for a page of issues with two values, whose total is counted. Reactions are measured alone."""


def measured(bench: BenchRun) -> Iterator[str]:
    bench.print_step(f"seeding a project of {ITEMS[LARGE]:,} issues")
    url = bench.new_database("filters")
    asyncio.run(fill(url))
    vacuum(url)
    with mujina(bench.folder / f"{bench.engine}-filters", url) as server:
        for name, values in FILTERS.items():
            for value, how in zip(values, ("frequent", "rare"), strict=True):
                yield _alone(bench, server, f"issues of one project by a {how} {name}", value, counted=name in COUNTED)
        yield _pairs(bench, server)


def _alone(bench: BenchRun, server: Server, what: str, value: str, *, counted: bool) -> str:
    bench.print_step(what)
    large, small = (partial(_once, server, f"{_list(id)}?{value}") for id in (LARGE, SMALL))
    compared = in_turn(bench.seconds, large, small)
    within = (compared.total <= 1.5 or not counted) and compared.result.bad == 0
    budget = "≤ 1.5 × the small project" if counted else ""
    return bench.compared(f"{what}, 1,000 × as many", compared, budget, within=within)


def _pairs(bench: BenchRun, server: Server) -> str:
    """The slowest of all pairs of filters, with every combination of a frequent and a rare value."""
    filters = [values for name, values in FILTERS.items() if name != "reaction"]
    pairs = ["&".join(pair) for one, other in combinations(filters, 2) for pair in product(one, other)]
    bench.print_step(f"{len(pairs)} pairs of filters")
    slowest = max(pairs, key=lambda pair: _seconds(server, f"{_list(LARGE)}?{pair}"))
    result = _once(server, f"{_list(LARGE)}?{slowest}")
    what = f"issues of one project by two filters, the slowest of {len(pairs)} pairs ({slowest})"
    within = result.total <= PAIRS_MS and result.bad == 0
    return bench.requests(what, result, f"≤ {PAIRS_MS} ms of CPU", within=within)


def _seconds(server: Server, path: str) -> float:
    """How long one response takes: the fastest of three."""
    return min(_timed(server, path) for _ in range(3))


def _timed(server: Server, path: str) -> float:
    began = time.perf_counter()
    answer = httpcore2.request("GET", server.url(path), headers=[("Private-Token", TOKEN)])
    assert answer.status == 200, answer.content
    return time.perf_counter() - began


def _list(project: int) -> str:
    return f"/api/v4/projects/{project}/issues"


def _once(server: Server, path: str) -> Measured:
    return measure(server, path, 1, 1)


async def fill(url: str) -> None:
    await migrate(url)
    await people_and_projects(url, len(ITEMS))
    async with issues_in_bulk(url) as tx:
        await _rare_things(tx)
        for project, count in ITEMS.items():
            for statement in _ROWS:
                await tx.run(statement, most=count, tenth=count // 10, project=project, text=_TEXT)
        await numbers(tx)


async def _rare_things(tx: Tx) -> None:
    """A milestone and a label of each project that few issues have."""
    for table in ("milestones", "labels"):
        more, values = ("color", "'#428BCA'") if table == "labels" else ("iid", "2")
        await tx.run(
            f"""INSERT INTO {table} (project_id, title, title_folded, {more}, created_at, updated_at)
                SELECT id, 'rare', 'rare', {values}, created_at, updated_at FROM projects ORDER BY id"""
        )


_TEXT = "what happened, and what should have. " * 12
_NOW: LiteralString = "'2018-01-01T10:00:00.000Z'"
_OF_PROJECT: LiteralString = "FROM issues i WHERE i.project_id = :project AND"
_Some = tuple[tuple[LiteralString, LiteralString], ...]
_LABELED: _Some = (("bug", "i.iid % 3 <> 0"), ("ui", "i.iid % 2 = 0"), ("rare", "i.iid % :tenth = 5"))
_AWARDED: _Some = (("thumbsup", "i.iid % 2 = 0"), ("tada", "i.iid % :tenth = 6"))
_ROWS: tuple[LiteralString, ...] = (
    f"""INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, author_id, milestone_id,
            weight, confidential, created_at, updated_at)
        {NUMBERS} SELECT :project, n, 'Issue ' || CAST(n AS text), 'issue ' || CAST(n AS text), :text, :text,
            CASE WHEN n % :tenth = 1 THEN 2 ELSE 1 END,
            (SELECT ms.id FROM milestones ms WHERE ms.project_id = :project
                AND ms.title = CASE WHEN n % :tenth = 2 THEN 'rare' ELSE 'first' END),
            CASE WHEN n % :tenth = 3 THEN 9 WHEN n % 2 = 0 THEN 1 END, n % 50 = 0,
            '2018-01-' || CAST(10 + n % 20 AS text) || 'T10:00:' || CAST(10 + n / 20 % 50 AS text) || '.'
            || CAST(100 + n / 1000 AS text) || 'Z', '2018-02-01T10:00:00.000Z' FROM numbers""",
    f"INSERT INTO issue_assignees (issue_id, user_id) SELECT i.id, 1 {_OF_PROJECT} i.iid % 2 = 0",
    f"INSERT INTO issue_assignees (issue_id, user_id) SELECT i.id, 2 {_OF_PROJECT} i.iid % :tenth = 4",
    *(
        f"""INSERT INTO issue_labels (issue_id, label_id) SELECT i.id, l.id FROM issues i
            JOIN labels l ON l.project_id = i.project_id AND l.title = '{title}' WHERE i.project_id = :project AND {some}"""
        for title, some in _LABELED
    ),
    *(
        f"""INSERT INTO awards (subject_kind, subject_id, user_id, name, created_at, updated_at)
            SELECT 'issue', i.id, 1, '{emoji}', {_NOW}, {_NOW} {_OF_PROJECT} {some}"""
        for emoji, some in _AWARDED
    ),
)  # fmt: skip
"""The issues of one project and what is linked to them."""
