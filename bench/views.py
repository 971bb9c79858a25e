"""What people wait for: the start, the first view of each kind of page, pages that are long, and the memory all that takes.

Processor time, that of PostgreSQL included, the least of several rounds: it hardly depends on what else the machine does.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import httpcore2

from bench import view_world
from bench.pages import session_of_root
from bench.seed import TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun, vacuum
from bench.view_world import PROJECT
from bench.wrk import measure

STARTS = 5
SETTINGS = {"MUJINA_ROOT_TOKEN": TOKEN, "MUJINA_ROOT_PASSWORD": "measured and never used"}
KINDS = [
    PROJECT,
    *(f"{PROJECT}/{rest}" for rest in (
        "tree/main", "blob/main/module.py", "blob/main/README.md", "blame/main/module.py", "commits/main", "commit/main",
        "branches", "tags", "graphs/main", "compare/main...topic", "issues", "issues/1", "issues/new", "boards",
        "milestones", "milestones/1", "labels", "merge_requests", "merge_requests/1", "merge_requests/1/diffs",
        "pipelines", "-/jobs", "wikis/home", "snippets", "project_members", "edit", "hooks", "activity",
    )),
    "/team", "/search?search=issue", "/dashboard/projects", "/dashboard/issues", "/dashboard/todos", "/profile",
    "/profile/keys", "/admin", "/admin/users", "/explore/projects",
]  # fmt: skip
"""39 kinds of page."""
VIEWS = 3_000
"""As many as ten minutes of use: five in a second."""
BEFORE_FIRST = 10
"""Seconds after the start until somebody views a page: meanwhile the server prepares for that."""
MAX_FIRST = 150
MAX_USED_MEMORY = 110
MAX_GROWTH = 1.03
"""Growth of memory in the second half of the use."""


@dataclass(frozen=True)
class LongPage:
    """A page, and the milliseconds of CPU that it may take."""

    name: str
    path: str
    budget: float
    max_bytes: int | None = None


LONG_PAGES = [
    LongPage("project home", PROJECT, 6),
    LongPage("folder", f"{PROJECT}/tree/main", 6),
    LongPage("commits", f"{PROJECT}/commits/main", 6),
    LongPage("dashboard", "/dashboard/projects", 6),
    LongPage(f"issue with {view_world.NOTES} notes", f"{PROJECT}/issues/1", 12),
    LongPage("merge request", f"{PROJECT}/merge_requests/1", 5),
    LongPage(f"changes of {view_world.FILES} files", f"{PROJECT}/merge_requests/2/diffs", 40),
    LongPage(f"file of {view_world.LINES:,} lines", f"{PROJECT}/blob/main/long.py", 40, 2 * len(view_world.LONG_FILE)),
]


Instance = tuple[Path, str]
"""The folder of an instance, and the URL of its database."""


def measured(bench: BenchRun) -> Iterator[str]:
    bench.print_step("starts")
    empty = [_instance(bench, f"start{n}") for n in range(STARTS)]
    yield _start(bench, "from an empty folder", empty, 0.6)
    yield _start(bench, "from a folder in use", empty[:1] * STARTS, 0.4)
    instance = _instance(bench, "views")
    with _served(instance) as server:
        bench.print_step("seeding what pages show")
        view_world.fill(server, bench.folder)
    vacuum(instance[1])
    cookie = asyncio.run(session_of_root(instance[1]))
    with _served(instance) as server:
        yield _memory(bench, server, "at the start", 65)
        time.sleep(BEFORE_FIRST)
        yield _first_views(bench, server, cookie)
        yield _memory(bench, server, f"after {len(KINDS)} kinds of page", 100)
        for page in LONG_PAGES:
            yield _long_page(bench, server, page, cookie)
        yield _use(bench, server, cookie)


def _instance(bench: BenchRun, name: str) -> Instance:
    return bench.folder / f"{bench.engine}-{name}", bench.new_database(name)


def _served(instance: Instance) -> AbstractContextManager[Server]:
    return mujina(*instance, environment=SETTINGS)


def _start(bench: BenchRun, how: str, instances: list[Instance], budget: float) -> str:
    """The CPU time of the server alone: what PostgreSQL does for a new schema is its own."""
    used: list[float] = []
    for instance in instances:
        with _served(instance) as server:
            used.append(server.cpu())
    figure = f"{min(used):.2f} s"
    return bench.stated(f"start to ready, {how}", f"≤ {budget} s of CPU", figure, within=min(used) <= budget)


def _memory(bench: BenchRun, server: Server, when: str, budget: float) -> str:
    memory = server.memory()
    return bench.stated(f"memory {when}", f"≤ {budget} MB", f"{memory:.0f} MB", within=memory <= budget)


def _first_views(bench: BenchRun, server: Server, cookie: str) -> str:
    bench.print_step("first views")
    costs: dict[str, float] = {}
    for path in KINDS:
        before = _cpu(server)
        _view(server, path, cookie)
        costs[path] = (_cpu(server) - before) * 1000
    slowest = max(costs, key=lambda path: costs[path])
    figure = f"{costs[slowest]:.0f} ms ({slowest})"
    what = f"first view of a kind of page, the slowest of {len(KINDS)}"
    return bench.stated(what, f"≤ {MAX_FIRST} ms of CPU", figure, within=costs[slowest] <= MAX_FIRST)


def _long_page(bench: BenchRun, server: Server, page: LongPage, cookie: str) -> str:
    bench.print_step(f"page: {page.name}")
    size = len(_view(server, page.path, cookie))
    server.wait_until_idle()  # what was highlighted after the first view
    rounds = [measure(server, page.path, 1, 1, cookie=cookie) for _ in range(1 + bench.seconds)][1:]
    result = min(rounds, key=lambda each: each.total)
    small = page.max_bytes is None or size <= page.max_bytes
    within = result.total <= page.budget and small and not any(each.bad for each in rounds)
    limit = f", ≤ {page.max_bytes:,} bytes ({size:,})" if page.max_bytes else ""
    return bench.requests(f"page: {page.name}", result, f"≤ {page.budget:g} ms of CPU{limit}", within=within)


def _use(bench: BenchRun, server: Server, cookie: str) -> str:
    """As many views as in ten minutes of use, of all kinds in turn."""
    bench.print_step(f"{VIEWS:,} views")
    memory = [server.memory()]
    with httpcore2.ConnectionPool() as pool:
        for _ in range(2):
            for n in range(VIEWS // 2):
                _view(server, KINDS[n % len(KINDS)], cookie, pool)
            memory.append(server.memory())
    within = memory[-1] <= MAX_USED_MEMORY and memory[2] <= memory[1] * MAX_GROWTH
    figure = f"{memory[-1]:.0f} MB, {memory[1]:.0f} MB after half of them"
    return bench.stated(f"memory after {VIEWS:,} views", f"≤ {MAX_USED_MEMORY} MB, flat", figure, within=within)


def _view(server: Server, path: str, cookie: str, pool: httpcore2.ConnectionPool | None = None) -> bytes:
    headers = [("Accept", "text/html"), ("Cookie", cookie)]
    answer = (pool or httpcore2).request("GET", server.url(path), headers=headers)
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {dict(answer.headers).get(b'location', b'').decode()}")
    return answer.content


def _cpu(server: Server) -> float:
    return server.cpu() + server.database_cpu()
