"""A secondary beside a primary under load: the first copy of many repositories, changes that follow, a link that is cut."""

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.harness.two_nodes import Node, TwoNodes, wait_for
from tests.soak.figures import Figure, progress

ENGINE = "postgres"
FULL_PROJECTS = 50
"""Projects with a wiki, an upload and a large file; the others have a repository alone."""


def replicate(place: Path, *, repositories: int, cut_seconds: int) -> list[Figure]:
    """The figures of a primary with so many repositories and its secondary."""
    world = TwoNodes(place)
    try:
        return _measure(world, repositories, cut_seconds)
    finally:
        world.close()


def _measure(world: TwoNodes, repositories: int, cut_seconds: int) -> list[Figure]:
    with ThreadPoolExecutor(4) as pool:
        full = list(pool.map(lambda n: world.create_project(f"full{n}"), range(min(FULL_PROJECTS, repositories))))
        list(pool.map(lambda n: _create_small(world, n), range(repositories - len(full))))
    for number in range(100):
        world.primary.ask("POST", f"/projects/{full[0]['id']}/issues", title=f"Issue {number}")
    progress(ENGINE, f"{repositories} repositories exist")
    world.join()
    reads = _Reads(world, full[0]["id"])
    seconds = _seconds(lambda: _is_copied(world), 1_800)
    p99 = reads.stop()
    progress(ENGINE, "copied")
    equal = world.is_equal()
    follow = _seconds(lambda: _follows(world, full), 120)
    figures = [
        Figure(ENGINE, f"first copy of {repositories} repositories", f"{seconds:.0f} s", "180 s", seconds <= 180),
        Figure(ENGINE, "refs and files of both nodes are equal", "yes" if equal else "no", "yes", equal),
        Figure(ENGINE, "listing issues on the primary meanwhile, p99", f"{p99:.0f} ms", "200 ms", p99 <= 200),
        Figure(ENGINE, "push, rename, removal and upload follow", f"{follow:.1f} s", "5 s", follow <= 5),
    ]
    project_id = full[0]["id"]
    return [*figures, *_cut(world, project_id, cut_seconds), _broken_copy(world), _promotion(world, project_id)]


def _create_small(world: TwoNodes, number: int) -> None:
    project = world.primary.ask("POST", "/projects", name=f"small{number}", wiki_enabled=False).json
    world.commit(project["id"], f"{number}.txt")


def _is_copied(world: TwoNodes) -> bool:
    status = world.status()
    return all(
        status[f"{kind}_count"] == status[f"{kind}_synced_count"]
        for kind in ("repositories", "attachments", "lfs_objects")
    )


def _follows(world: TwoNodes, full: list[dict[str, Any]]) -> bool:
    """Changes of every kind; called again until the secondary has them."""
    changed, removed = full[0], full[-1]
    if "changed" not in changed:
        changed["changed"] = True
        place = f"/projects/{changed['id']}"
        world.commit(changed["id"], "followed.txt")
        world.primary.ask("POST", f"{place}/uploads", file=("b.txt", b"followed"))
        world.primary.ask("PUT", place, path="followed", visibility="public")
        world.primary.ask("DELETE", f"/projects/{removed['id']}")
    shown = _secondary(world).ask("GET", f"/projects/{changed['id']}", token=None)
    gone = _secondary(world).ask("GET", f"/projects/{removed['id']}").status == 404
    return gone and shown.status == 200 and shown.json["path"] == "followed" and _is_copied(world)


def _secondary(world: TwoNodes) -> Node:
    assert world.secondary is not None
    return world.secondary


def _cut(world: TwoNodes, project_id: int, seconds: int) -> list[Figure]:
    """The link between the databases is cut while the primary goes on."""
    replica: Any = _secondary(world).database
    replica.cut()
    ends, noticed, lag = time.monotonic() + seconds, False, 0
    number, cursor, backwards = 0, 0, False
    while time.monotonic() < ends:
        number += 1
        world.commit(project_id, f"cut{number}.txt")
        status = world.status()
        backwards, cursor = backwards or status["cursor_last_event_id"] < cursor, status["cursor_last_event_id"]
        noticed, lag = noticed or not status["healthy"], max(lag, status["db_replication_lag_seconds"] or 0)
        time.sleep(1)
    progress(ENGINE, "the link is healed")
    replica.heal()
    healed = _seconds(lambda: world.status()["healthy"] and _is_copied(world) and world.is_equal(), 300)
    backwards = backwards or world.status()["cursor_last_event_id"] < cursor
    return [
        Figure(ENGINE, f"a link cut for {seconds} s is reported", "yes" if noticed else "no", "yes", noticed),
        Figure(ENGINE, "lag that it reported", f"{lag} s", f"{seconds - 5} s", lag >= seconds - 5),
        Figure(ENGINE, "until both are equal again", f"{healed:.0f} s", "120 s", healed <= 120),
        Figure(ENGINE, "the cursor ran backwards", "yes" if backwards else "no", "no", not backwards),
    ]


def _broken_copy(world: TwoNodes) -> Figure:
    """The objects of one repository are overwritten on the secondary, and the time of its next check has come."""
    node = _secondary(world)
    [project] = world.primary.ask("GET", "/projects?search=small1&per_page=1").json
    [head] = world.primary.ask("GET", f"/projects/{project['id']}/repository/commits?per_page=1").json
    place = node.data / "repositories" / next(path for path, refs in node.refs().items() if head["id"] in refs)
    for stored in (place / "objects").rglob("*"):
        if stored.is_file():
            stored.chmod(0o600)
            stored.write_bytes(b"broken")
    assert not world.is_equal()
    with closing(sqlite3.connect(node.data / "replication.db", timeout=30)) as registry:
        past = "2020-01-01T00:00:00.000Z"
        registry.execute(
            "UPDATE replicated_repositories SET verified_at = ? WHERE project_id = ?", (past, project["id"])
        )
        registry.commit()
    seconds = _seconds(world.is_equal, 300)
    progress(ENGINE, "the broken copy is repaired")
    return Figure(
        ENGINE, "a broken copy is found by its next check and repaired", f"{seconds:.0f} s", "120 s", seconds <= 120
    )


def _promotion(world: TwoNodes, project_id: int) -> Figure:
    """The primary dies while it is written to, and the secondary takes over."""
    node, answered, lag = _secondary(world), dict[int, float](), 0
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        created = world.primary.ask("POST", f"/projects/{project_id}/issues", title="before the promotion")
        assert created.status == 201, created.body
        answered[created.json["iid"]] = time.monotonic()
        if len(answered) % 20 == 0:
            lag = world.status()["db_replication_lag_seconds"]
    world.primary.server.kill()
    world.primary.database.stop()
    died = time.monotonic()
    node.server.kill()
    promoted = node.run("geo", "promote", "--confirm")
    assert promoted.code == 0, promoted.err
    node.server.start()
    lost = [iid for iid in answered if node.ask("GET", f"/projects/{project_id}/issues/{iid}").status != 200]
    beyond = [iid for iid in lost if died - answered[iid] > lag + 1]
    assert node.ask("POST", f"/projects/{project_id}/issues", title="after it").status == 201
    return Figure(
        ENGINE, f"lost by a promotion, of {len(answered)} changes answered; the lag reported was {lag} s",
        f"{len(lost)}, {len(beyond)} beyond the lag", "0 beyond the lag", not beyond,
    )  # fmt: skip


def _seconds(condition: Callable[[], Any], limit: float) -> float:
    started = time.monotonic()
    wait_for(condition, limit)
    return time.monotonic() - started


class _Reads:
    """Lists issues on the primary, ten times a second, until it is stopped."""

    def __init__(self, world: TwoNodes, project_id: int) -> None:
        self._path = f"/projects/{project_id}/issues"
        self._world = world
        self._milliseconds: list[float] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.wait(0.1):
            started = time.monotonic()
            assert self._world.primary.ask("GET", self._path).status == 200
            self._milliseconds.append((time.monotonic() - started) * 1000)

    def stop(self) -> float:
        """The 99th percentile, in milliseconds."""
        self._stopped.set()
        self._thread.join()
        found = sorted(self._milliseconds)
        return found[int(len(found) * 0.99)] if found else 0.0
