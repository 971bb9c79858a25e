"""Listing merge requests, compared with listing issues on the same server, and opening one that changes fifty files."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpcore2

from bench.databases import open_database
from bench.seed import HOT, NUMBERS, PEOPLE, TOKEN
from bench.servers import Server, mujina
from bench.table import BenchRun, vacuum
from bench.wrk import in_turn, measure
from mujina.kernel.db.transaction import Tx

PROJECT = f"/api/v4/projects/{HOT}"
REQUESTS = 10_000
FILES, LINES = 50, 40
MAX_RATIO = 1.3
MAX_CPU = 100


def measured(bench: BenchRun) -> Iterator[str]:
    bench.print_step("seeding merge requests")
    asyncio.run(_seed(bench.url))
    vacuum(bench.url)
    with mujina(bench.data, bench.url) as server:
        bench.print_step("list 20 merge requests")
        path = f"{PROJECT}/merge_requests"
        compared = in_turn(
            bench.seconds, lambda: measure(server, path, 16, 1), lambda: measure(server, f"{PROJECT}/issues", 16, 1)
        )
        within = compared.cpu <= MAX_RATIO and compared.result.bad == 0
        budget = f"≤ {MAX_RATIO:g} × listing issues"
        yield bench.compared(f"list 20 of {REQUESTS:,} merge requests", compared, budget, within=within)
        iid = _open(server)
        for what, rest in (("open", ""), ("changes of", "/changes")):
            name = f"{what} a merge request of {FILES} files"
            bench.print_step(name)
            measure(server, f"{path}/{iid}{rest}", 16, 1)
            result = measure(server, f"{path}/{iid}{rest}", 16, bench.seconds)
            within = result.cpu <= MAX_CPU and result.bad == 0
            yield bench.requests(name, result, f"≤ {MAX_CPU} ms of CPU", within=within)


async def _seed(url: str) -> None:
    """Merge requests like the issues of the load: each with two labels, assignees, a milestone and a version."""
    async with open_database(url) as database, database.transaction() as tx:
        await _requests(tx)
        await tx.run(
            """INSERT INTO merge_request_versions (merge_request_id, head_sha, base_sha, start_sha, state, real_size,
                   created_at)
               SELECT id, :head, :base, :base, 'collected', '1', created_at FROM merge_requests""",
            head="a" * 40, base="b" * 40,
        )  # fmt: skip
        await tx.run(
            """INSERT INTO merge_request_labels (merge_request_id, label_id)
               SELECT mr.id, l.id FROM merge_requests mr JOIN labels l ON l.project_id = mr.project_id
               WHERE (mr.id + l.id) % 3 <> 0"""
        )
        await tx.run(
            """INSERT INTO merge_request_assignees (merge_request_id, user_id)
               SELECT id, 1 + id % :people FROM merge_requests
               UNION ALL SELECT id, 1 + (id + 1) % :people FROM merge_requests WHERE id % 2 = 0""",
            people=PEOPLE,
        )
        await tx.run(
            """INSERT INTO iids (owner_kind, owner_id, noun, last)
               SELECT 'project', project_id, 'merge_request', max(iid) FROM merge_requests GROUP BY project_id"""
        )


async def _requests(tx: Tx) -> None:
    await tx.run(
        f"""
        INSERT INTO merge_requests (project_id, iid, source_project_id, source_branch, target_branch, title,
            title_folded, description, description_folded, author_id, milestone_id, created_at, updated_at)
        {NUMBERS} SELECT :hot, n, :hot, 'branch' || CAST(n AS text), 'master', 'Request ' || CAST(n AS text),
            'request ' || CAST(n AS text), :text, :text, 1 + n % :people, :hot,
            '2018-01-' || CAST(10 + n % 20 AS text) || 'T10:00:00.000Z', '2018-02-01T10:00:00.000Z' FROM numbers
        """,
        most=REQUESTS, hot=HOT, people=PEOPLE, text="what happened, and what should have. " * 12,
    )  # fmt: skip


def _open(server: Server) -> int:
    """A request with commits; its iid."""
    files = [{"action": "create", "file_path": f"folder{n % 5}/file{n}", "content": _text(n)} for n in range(FILES)]
    first = {"action": "create", "file_path": "README", "content": "hello\n"}
    _post(server, "/repository/commits", branch="main", commit_message="First", actions=[first])
    _post(server, "/repository/commits", branch="topic", start_branch="main", commit_message="Work", actions=files)
    made = _post(server, "/merge_requests", title="Measured", source_branch="topic", target_branch="main")
    return made["iid"]


def _text(n: int) -> str:
    return "".join(f"line {line} of file {n}\n" for line in range(LINES))


def _post(server: Server, path: str, **body: Any) -> Any:
    headers = {"Private-Token": TOKEN, "Content-Type": "application/json"}
    answer = httpcore2.request(
        "POST", server.url(PROJECT + path), headers=list(headers.items()), content=json.dumps(body).encode()
    )
    if answer.status != 201:
        raise SystemExit(f"{path}: {answer.status} {answer.content.decode()}")
    return json.loads(answer.content)
