"""Backups of a server under load, each restored and looked into; and what the backup of many repositories costs."""

import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any, Self

from mujina.backups.parts import MAX_BYTES
from tests.backups.places import Api, Place
from tests.harness.object_store import ObjectStore, object_store
from tests.harness.running import ROOT, RunningServer
from tests.soak.figures import Figure, progress

WRITES_PER_SECOND = 100
WRITERS = 8
ZERO = "0" * 40
BUCKET = "s3://mujina/soak"
REPOSITORY_BYTES = 2_000_000
RATE_SECONDS, RATE_ROUNDS = 5.0, 3

NewDatabase = Callable[[], str] | None
"""Makes an empty database; None: SQLite makes it in the data folder."""


def back_up(
    place: Path, url: str, engine: str, new_database: NewDatabase, *, backups: int, projects: int
) -> list[Figure]:
    """The figures of so many backups under load, and of one of so many projects."""
    with object_store(place / "store") as store:
        server = RunningServer(place / "data", url, flags=("--workers", "2"), forked=False)
        server.start()
        try:
            figures = _under_load(place, server, store, engine, new_database, backups)
            return [*figures, *_of_many(place, server, engine, projects)]
        finally:
            server.kill()


class _Load:
    """A hundred writes a second, and commits and pushes beside them."""

    def __init__(self, server: RunningServer) -> None:
        self._api, self._ended, self._begun = Api(server), threading.Event(), time.monotonic()
        self.writes = 0
        self._threads = [threading.Thread(target=self._write) for _ in range(WRITERS)]
        self._threads += [threading.Thread(target=self._commit), threading.Thread(target=self._push, args=(server,))]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    @property
    def rate(self) -> float:
        return self.writes / (time.monotonic() - self._begun)

    def _write(self) -> None:
        while not self._ended.is_set():
            started = time.monotonic()
            self._api.ask("POST", "/projects/1/issues", {"title": f"At {started}"})
            self.writes += 1
            self._ended.wait(max(0.0, WRITERS / WRITES_PER_SECOND - (time.monotonic() - started)))

    def _commit(self) -> None:
        number = 0
        while not self._ended.is_set():
            number += 1
            branch = f"side-{number % 5}"
            self._api.commit("master", f"by-api-{number}-{time.monotonic_ns()}", "One more")
            self._api.commit(branch, f"beside-{number}-{time.monotonic_ns()}", "Beside", start="master")
            self._api.ask("DELETE", f"/projects/1/repository/branches/{branch}")

    def _push(self, server: RunningServer) -> None:
        address = server.url.replace("http://", f"http://root:{server.token}@") + "/root/kept.git"
        with tempfile.TemporaryDirectory() as folder:
            _git(folder, "init", "--quiet")
            while not self._ended.is_set():
                _git(
                    folder,
                    "-c",
                    "user.name=A",
                    "-c",
                    "user.email=a@example.org",
                    "commit",
                    "-qm",
                    "Pushed",
                    "--allow-empty",
                )
                _git(folder, "push", "--quiet", "--force", address, "HEAD:refs/heads/pushed")


def _git(folder: str, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def _under_load(
    place: Path, server: RunningServer, store: ObjectStore, engine: str, new_database: NewDatabase, backups: int
) -> list[Figure]:
    Api(server).fill()
    bad, rates = list[str](), list[float]()
    for number in range(backups):
        target = BUCKET if number % 2 else str(place / "target")
        with _Load(server) as load:
            time.sleep(1)
            _run(
                store,
                "backup",
                target,
                "--keep",
                "3",
                "--data",
                str(server.data),
                "--database-url",
                server.database_url,
            )
            rates.append(load.rate)
        data = place / f"restored-{number}"
        url = f"sqlite:///{data}/mujina.db" if new_database is None else new_database()
        _run(store, "restore", target, "--data", str(data), "--database-url", url)
        found = _look(Place(server, Path(target), data, url))
        bad += found
        progress(engine, f"backup {number + 1} of {backups} beside {rates[-1]:.0f} writes a second: {found or 'whole'}")
    least = min(rates)
    return [
        Figure(engine, f"of {backups} backups under writes and pushes, to a folder and to a bucket, not restored whole",
               f"{len(bad)}", "0", not bad),
        Figure(engine, "writes a second meanwhile, in the slowest", f"{least:.0f}", f"≥ {WRITES_PER_SECOND // 2}",
               least >= WRITES_PER_SECOND / 2),
    ]  # fmt: skip


def _run(store: ObjectStore, *arguments: str) -> None:
    keys = {name: value for name, value in store.environment.items() if name.startswith("AWS_")}
    command = [sys.executable, "-m", "mujina", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | keys, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def _look(place: Place) -> list[str]:
    """What is wrong with the restored instance."""
    wrong, tips = list[str](), dict[str, str]()
    pushed = place.query(
        """SELECT c.ref, c.new_id, CASE WHEN o.recorded_at IS NULL THEN 0 ELSE 1 END
        FROM pushes o JOIN push_refs c ON c.push_id = o.id WHERE NOT o.wiki ORDER BY o.id"""
    )
    under_way = {ref for ref, _, recorded in pushed if not recorded}
    for ref, new, recorded in pushed:
        if recorded:
            tips[ref] = new
    named = {new for _, new, recorded in pushed if recorded and new != ZERO}
    objects = place.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    wrong += [f"{commit} is missing" for commit in named - set(objects)]
    refs = dict(
        line.split()
        for line in place.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads").splitlines()
    )
    for ref, tip in tips.items():
        if ref not in under_way and refs.get(ref, ZERO) != tip:
            wrong.append(f"{ref} is at {refs.get(ref)}, not at {tip}")
    ((highest,),) = place.query("SELECT max(iid) FROM issues")
    with place.restored_server() as restored:
        if (iid := restored.ask("POST", "/projects/1/issues", {"title": "The next"})["iid"]) <= highest:
            wrong.append(f"the issue {iid} was there already")
        restored.commit("master", "after the restoration", "It goes on")
        if not restored.ask("GET", "/projects/1/issues?search=next&scope=all"):
            wrong.append("the search finds nothing new")
    return wrong


def _of_many(place: Path, server: RunningServer, engine: str, projects: int) -> list[Figure]:
    api = Api(server)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: _create(api, number), range(projects)))
    progress(engine, f"{projects} projects exist")
    command = [sys.executable, "-m", "mujina", "backup", str(place / "many"), "--data", str(server.data),
               "--database-url", server.database_url]  # fmt: skip
    size, read = _timed(lambda: _read_all(server.data))
    _, first = _timed(lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True))
    _, second = _timed(lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True))
    alone, beside = list[float](), list[float]()
    for round_ in range(RATE_ROUNDS):
        alone.append(_request_rate(api, lambda: time.sleep(RATE_SECONDS)))
        command[4] = str(place / f"many again {round_}")
        beside.append(_request_rate(api, lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True)))
    share = median(there / quiet for there, quiet in zip(beside, alone, strict=True))
    gigabytes = size / 1e9
    return [
        Figure(engine, f"backup of {projects} projects ({gigabytes:.1f} GB), beside reading and hashing their bytes once",
               f"{first:.1f} s, {read:.1f} s", f"at most {1.3 * read:.1f} s", first <= 1.3 * read),
        Figure(engine, "the second, with nothing changed", f"{second:.1f} s", f"at most 5 % or {START_SECONDS:.1f} s",
               second <= max(0.05 * first, START_SECONDS)),
        Figure(engine, f"requests a second beside a backup, and without, medians of {RATE_ROUNDS} rounds",
               f"{median(beside):.0f}, {median(alone):.0f}: {share:.2f} ×", "≥ 0.8 ×", share >= 0.8),
    ]  # fmt: skip


START_SECONDS = 1.5
"""To start Python and open both places, which is most of a backup in which nothing changed."""


def _create(api: Api, number: int) -> None:
    project = api.ask("POST", "/projects", {"name": f"many-{number}"})["id"]
    content = base64.b64encode(os.urandom(REPOSITORY_BYTES)).decode()
    action = {"action": "create", "file_path": "data", "content": content, "encoding": "base64"}
    body = {"branch": "master", "commit_message": "Data", "actions": [action]}
    api.ask("POST", f"/projects/{project}/repository/commits", body)


def _read_all(folder: Path) -> int:
    """Read every file as a backup has to: its bytes, once, and their checksum."""
    total = 0
    for path in (path for path in folder.rglob("*") if path.is_file()):
        checksum = hashlib.blake2b(digest_size=32)
        with path.open("rb", buffering=0) as file:
            while data := file.read(MAX_BYTES):
                checksum.update(data)
                total += len(data)
    return total


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.monotonic()
    return work(), time.monotonic() - began


def _request_rate(api: Api, work: Callable[[], Any]) -> float:
    """How many requests a second two clients get answered while this work is done."""
    ended, counts = threading.Event(), [0, 0]

    def read(client: int) -> None:
        while not ended.is_set():
            api.ask("GET", "/projects/1/issues/1")
            counts[client] += 1

    threads = [threading.Thread(target=read, args=(client,)) for client in range(len(counts))]
    for thread in threads:
        thread.start()
    _, seconds = _timed(work)
    ended.set()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds
