"""The load of a comparison, written through the API: any commit can be given it, whatever its tables are."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpcore2

from bench import repository
from bench.seed import HOT, TOKEN
from bench.servers import Server
from bench.transfers import address

ISSUES = 8_000
"""In the hot project: page 400 is the last of twenty."""
PEOPLE = 20
GROUPS = 20
PROJECTS = 40
NOTED = 78
NOTES = 100
"""On the issue with the number `NOTED`."""
AT_ONCE = 8
TEXT = "what happened, and what should have. " * 12
HEADERS = [(b"Private-Token", TOKEN.encode()), (b"Content-Type", b"application/json")]

Request = tuple[str, dict[str, Any]]


def seed(server: Server, source: Path) -> None:
    """Fill an empty instance whose root has `TOKEN`; the repository at `source` is pushed to the hot project."""
    asyncio.run(_seed(server))
    repository.run(source, "push", "--quiet", address(server), "master")
    asyncio.run(_send_all(server, iter([(f"/projects/{HOT}/housekeeping", {})])))
    server.wait_until_idle()


async def _seed(server: Server) -> None:
    await _send_all(server, _people())
    hot = await _create(server, "/projects", {"name": "project1"})
    if hot["id"] != HOT:
        raise SystemExit(f"The first project has the id {hot['id']}, not {HOT}: the paths of the rows do not fit.")
    await _in_order(server)
    await _send_all(server, _issues())
    await _send_all(server, ((f"/projects/{HOT}/issues/{NOTED}/notes", {"body": f"note {n}"}) for n in range(NOTES)))


async def _in_order(server: Server) -> None:
    """What issues and projects refer to; the group `g0` is above all others."""
    await _create(server, f"/projects/{HOT}/milestones", {"title": "first"})
    for label in ("bug", "ui", "later"):
        await _create(server, f"/projects/{HOT}/labels", {"name": label, "color": "#428BCA"})
    root = await _create(server, "/groups", {"name": "g0", "path": "g0"})
    groups = [root["id"]]
    for n in range(1, GROUPS):
        made = await _create(server, "/groups", {"name": f"g{n}", "path": f"g{n}", "parent_id": root["id"]})
        groups.append(made["id"])
    projects = ((f"p{n}x", groups[n % GROUPS]) for n in range(PROJECTS))
    await _send_all(server, (("/projects", {"name": name, "namespace_id": group}) for name, group in projects))


def _people() -> Iterator[Request]:
    for n in range(1, PEOPLE):
        yield "/users", {
            "email": f"p{n}@example.org", "username": f"person{n}", "name": f"Person {n}",
            "password": "measured and never used", "skip_confirmation": True,
        }  # fmt: skip


def _issues() -> Iterator[Request]:
    """One in 100 has the word `needle`, one in 4 `haystack`. Root assigns them to root: no mail is written."""
    for n in range(ISSUES):
        words = " a needle" * (n % 100 == 0) + " in a haystack" * (n % 4 == 0)
        yield f"/projects/{HOT}/issues", {
            "title": f"Issue {n}", "description": TEXT + words, "labels": ("bug,ui", "ui,later")[n % 2],
            "milestone_id": 1, "assignee_ids": [1],
        }  # fmt: skip


async def _send_all(server: Server, requests: Iterator[Request]) -> None:
    async def send() -> None:
        for path, body in requests:
            await _post(pool, server, path, body)

    async with httpcore2.AsyncConnectionPool(max_connections=AT_ONCE) as pool, asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(send())


async def _create(server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    async with httpcore2.AsyncConnectionPool() as pool:
        return await _post(pool, server, path, body)


async def _post(pool: httpcore2.AsyncConnectionPool, server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    content = json.dumps(body).encode()
    answer = await pool.request("POST", server.url(f"/api/v4{path}"), headers=HEADERS, content=content)
    if answer.status != 201:
        raise SystemExit(f"POST {path} was answered with {answer.status}: {answer.content.decode()}")
    return json.loads(answer.content)
