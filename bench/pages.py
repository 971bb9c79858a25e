"""Pages, warm, compared with the responses of the API that each is built from: the time to the last byte, one request at a time.

Both are computed. A stored document would make a response of the API a copy of bytes, while no page is stored.
"""

import asyncio
import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, LiteralString

import httpcore2

from bench.databases import open_database
from bench.seed import HOT, TOKEN
from bench.servers import KEY, Server, mujina
from bench.table import BenchRun
from bench.wrk import measure
from mujina.accounts.sessions.operations import start_for
from mujina.accounts.users.rules import actor_of, find_user
from mujina.kernel.db.transaction import Engine
from mujina.kernel.http.dispatcher import SESSION_COOKIE
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.secrets import Vault, instance_key

MAX_RATIO = 3
ISSUE = 80
"""Not 78, which other rows give more notes than a page of the API has."""
FILE = "measured/module.py"
FILES = {
    "README.md": "# Otter\n\nA *small* client.\n\n- one\n- two\n\n```sh\notter --help\n```\n",
    FILE: "".join(f"def f{n}(value: int) -> int:\n    return value + {n}\n\n\n" for n in range(60)),
}
BRANCH = "main"
_FILE = FILE.replace("/", "%2F")
PAGES = {
    "project home": (
        "",
        [
            "",
            "/repository/tree",
            f"/repository/files/README.md?ref={BRANCH}",
            "/languages",
            "/repository/commits?per_page=1",
        ],
    ),
    "list of issues": ("/issues", ["/issues?state=opened"]),
    "issue": (
        f"/issues/{ISSUE}",
        [f"/issues/{ISSUE}{rest}" for rest in ("", "/notes", "/links", "/award_emoji", "/participants")],
    ),
    "file": (
        f"/blob/{BRANCH}/{FILE}",
        [f"/repository/files/{_FILE}?ref={BRANCH}", f"/repository/commits?ref_name={BRANCH}&path={FILE}&per_page=1"],
    ),
}
"""Each page below the project, and what it is built from below the project in the API."""


def measured(bench: BenchRun) -> Iterator[str]:
    cookie = asyncio.run(_sign_in(bench.url, bench.folder))
    with _without_documents(bench.url), mujina(bench.data, bench.url) as server:
        project = f"/{_project(server)}"
        for what, (page, parts) in PAGES.items():
            bench.print_step(f"page: {what}")
            _check(server, f"{project}{page}", cookie)
            rounds = [
                (
                    _time(server, f"{project}{page}", cookie),
                    sum(_time(server, f"/api/v4/projects/{HOT}{part}") for part in parts),
                )
                for _ in range(1 + bench.seconds)
            ][1:]  # the first one warms the caches
            shown, whole = (median(times) for times in zip(*rounds, strict=True))
            ratio = median(page / api for page, api in rounds)
            figure = f"{shown:.2f} ms, {whole:.2f} ms: {ratio:.2f} ×"
            budget = f"≤ {MAX_RATIO} × its API responses, computed"
            yield bench.stated(f"page: {what}", budget, figure, within=ratio <= MAX_RATIO)


DOCUMENTS: tuple[LiteralString, ...] = ("issue_documents", "merge_request_documents")
FUNCTION: LiteralString = """CREATE OR REPLACE FUNCTION forbid_document() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RETURN NULL; END'"""


def _forbid(engine: Engine, table: LiteralString) -> list[LiteralString]:
    trigger: LiteralString = f"CREATE TRIGGER forbid_{table} BEFORE INSERT ON {table}"
    if engine == "sqlite":
        return [f"{trigger} BEGIN SELECT RAISE(IGNORE); END", f"DELETE FROM {table}"]
    return [FUNCTION, f"{trigger} FOR EACH ROW EXECUTE FUNCTION forbid_document()", f"DELETE FROM {table}"]


def _allow(engine: Engine, table: LiteralString) -> list[LiteralString]:
    return [f"DROP TRIGGER forbid_{table}" if engine == "sqlite" else f"DROP TRIGGER forbid_{table} ON {table}"]


@contextmanager
def _without_documents(url: str) -> Generator[None]:
    """Inside, the database stores no document, so that every response is computed."""
    asyncio.run(_run_each(url, _forbid))
    try:
        yield
    finally:
        asyncio.run(_run_each(url, _allow))


async def _run_each(url: str, statements: Callable[[Engine, LiteralString], list[LiteralString]]) -> None:
    """Run the statements for each table of documents."""
    async with open_database(url) as database, database.transaction() as tx:
        for table in DOCUMENTS:
            for statement in statements(tx.engine, table):
                await tx.run(statement)


def _check(server: Server, path: str, cookie: str) -> None:
    """A redirect to the sign-in page is quick, too."""
    answer = httpcore2.request("GET", server.url(path), headers=[("Accept", "text/html"), ("Cookie", cookie)])
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {dict(answer.headers).get(b'location', b'').decode()}")


def _time(server: Server, path: str, cookie: str = "") -> float:
    """Milliseconds from a request to the last byte of its response, on average over a second."""
    result = measure(server, path, 1, 1, cookie=cookie)
    if result.bad:
        raise SystemExit(f"{path}: {result.bad} errors")
    return 1000 / result.rate


async def _sign_in(url: str, folder: Path) -> str:
    """The cookie of a session of the first user. The hot project gets a token that its owner can be shown."""
    token = Vault(instance_key(folder, KEY)).encrypt("of the hot project", "runners_token")
    async with open_database(url) as database, database.transaction() as tx:
        # Without a branch: other rows have pushed to it, but not in this folder.
        change = "UPDATE projects SET runners_token = :token, default_branch = NULL WHERE id = :id"
        await tx.run(change, token=token, id=HOT)
        await tx.run("UPDATE users SET password_expires_at = NULL WHERE id = 1")
    return await session_of_root(url)


async def session_of_root(url: str) -> str:
    """The cookie of a new session."""
    async with open_database(url) as database, database.transaction() as tx:
        cookie = await start_for(tx, actor_of(await find_user(tx, 1)), Origin("bench", "127.0.0.1"))
    return f"{SESSION_COOKIE}={cookie.value}"


def _project(server: Server) -> str:
    """The path of the hot project, which gets the measured files."""
    actions = [{"action": "create", "file_path": path, "content": text} for path, text in FILES.items()]
    commit = {"branch": BRANCH, "commit_message": "Measured files", "actions": actions}
    ask(server, "POST", f"/projects/{HOT}/repository/commits", **commit)
    return ask(server, "GET", f"/projects/{HOT}")["path_with_namespace"]


def ask(server: Server, verb: str, path: str, /, **body: Any) -> Any:
    """The response of the API to root."""
    headers = [("Private-Token", TOKEN), ("Content-Type", "application/json")]
    answer = httpcore2.request(
        verb, server.url(f"/api/v4{path}"), headers=headers, content=json.dumps(body).encode() if body else b""
    )
    if answer.status not in (200, 201):
        raise SystemExit(f"{path}: {answer.status} {answer.content.decode()}")
    return json.loads(answer.content)
