"""Pushes that end in the middle: refs are where they were or the push is recorded, and nothing is left behind."""

import asyncio
import json
import os
import random
import shutil
import signal
import threading
import time
from http.client import HTTPException

import pygit2
import pytest

from mujina.adapters.git import refs
from mujina.app import build_services
from mujina.code.pushes.access import find_repository
from mujina.code.pushes.changes import Change
from mujina.code.pushes.operations import Push, recover
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ALL_SCOPES, Actor
from mujina.settings import Settings
from tests.git import wire
from tests.git.forge import opened
from tests.git.wire import ZERO
from tests.serve.wire import is_refused


@pytest.fixture
def project(forge, request):
    return forge.filled(f"cut-{len(forge.projects)}")


def test_a_push_cut_in_the_middle_leaves_nothing(forge, project):
    made, copy = project
    repository = forge.repository(made)
    before = forge.refs(made), repository.do("count-objects", "-v")
    copy.write("noise.bin", bytes(range(256)) * 8192)
    tip = copy.commit("Large")
    body = wire.request(f"{ZERO} {tip} refs/heads/cut", pack=wire.pack_of(copy, tip))
    wire.push_half(forge, made, "master", body)
    wait_until(lambda: not list((repository.folder / "objects").glob("tmp_objdir*")))
    assert (forge.refs(made), repository.do("count-objects", "-v")) == before
    assert len(forge.events(made)) == 1
    assert len(forge.values("SELECT o.id FROM pushes o WHERE o.project_id = :id", id=made["id"])) == 1


def test_an_intent_whose_refs_moved_gets_its_event(forge, project):
    """As if the server had died between git's move and its record."""
    made, copy = project
    tip = copy.commit("Moved")
    old = forge.refs(made)["refs/heads/master"]
    forge.repository(made).do("fetch", "-q", str(copy.folder), f"{tip}:refs/heads/master")
    intend(forge, made, "refs/heads/master", old, tip)
    wait_until(lambda: len(forge.events(made)) == 2)
    assert forge.events(made)[1] == {"refs/heads/master": [old, tip]}


@pytest.mark.commits
def test_a_move_of_which_the_hook_could_not_tell_gets_its_event(stage, database, cast):
    """As if there had been no memory left to run it."""
    services, master = (
        build_services(Settings(data=stage.folder), database),
        Actor(id=cast.master.id, scopes=ALL_SCOPES),
    )

    async def story():
        async with database.reading() as tx:
            repository = await find_repository(tx, master, Ref.of(cast.private.id), "receive-pack")
        push = Push(services, master, repository)
        repo_path = await push.repo_path()
        me = pygit2.Signature("Me", "me@example.org", 1)
        objects = pygit2.Repository(str(repo_path))
        tip = str(objects.create_commit(None, me, me, "Moved", objects.TreeBuilder().write(), []))
        with push.under_way():
            assert await push.check("", [Change("refs/heads/told-late", ZERO, tip)]) is None
            await refs.move_refs(repo_path, [("refs/heads/told-late", ZERO, tip)])
            async with database.reading() as tx:
                [intent] = await tx.values("SELECT o.id FROM pushes o WHERE o.recorded_at IS NULL")
            # Nothing is recorded in the repo_path of a process that is about to do so, however long that takes.
            assert not await recover(services, intent)
            await push.close(clean=True)
        (repo_path / "refs" / "heads" / "told-late.lock").touch()
        assert not await recover(services, intent)
        (repo_path / "refs" / "heads" / "told-late.lock").unlink()
        assert await recover(services, intent)
        shutil.rmtree(repo_path)
        async with database.reading() as tx:
            return tip in await tx.value("SELECT e.changes FROM events e WHERE e.kind = 'repository.pushed'")

    assert stage.loop.run_until_complete(story())


async def values(database, sql):
    async with database.reading() as tx:
        return await tx.values(sql)


def new_commit(repo_path):
    """The id of a commit without files, which no ref has."""
    me, objects = pygit2.Signature("Me", "me@example.org", 1), pygit2.Repository(str(repo_path))
    return str(objects.create_commit(None, me, me, "Moved", objects.TreeBuilder().write(), []))


@pytest.mark.commits
def test_a_move_is_announced_once_though_its_attempts_are_recovered_at_the_same_time(stage, database, cast):
    """As if a process had died before git's move, and the client had come again at once."""
    services = build_services(Settings(data=stage.folder), database)
    master = Actor(id=cast.master.id, scopes=ALL_SCOPES)
    unrecorded = "SELECT o.id FROM pushes o WHERE o.recorded_at IS NULL ORDER BY o.id"
    repository = cast.transact(lambda tx: find_repository(tx, master, Ref.of(cast.private.id), "receive-pack"))

    async def story():
        repo_path = await Push(services, master, repository).repo_path()
        tip = new_commit(repo_path)

        async def die(change):
            """An attempt whose process is dead."""
            push = Push(services, master, repository)
            with push.under_way():
                assert await push.check("", [change]) is None

        # The second attempt has moved the ref and is about to record that.
        retried = Change("refs/heads/retried", ZERO, tip)
        await die(retried)
        [dead] = await values(database, unrecorded)
        push = Push(services, master, repository)
        with push.under_way():
            assert await push.check("", [retried]) is None
            await refs.move_refs(repo_path, [(retried.ref, ZERO, tip)])
            assert not await recover(services, dead)
            await push.record([retried])
        assert await recover(services, dead)
        # Both attempts are dead.
        lost = Change("refs/heads/lost", ZERO, tip)
        for _ in range(2):
            await die(lost)
        await refs.move_refs(repo_path, [(lost.ref, ZERO, tip)])
        while left := await values(database, unrecorded):
            await asyncio.gather(*(recover(services, intent) for intent in left))
        shutil.rmtree(repo_path)

    stage.loop.run_until_complete(story())
    told = cast.rows("SELECT e.changes FROM events e WHERE e.kind = 'repository.pushed' ORDER BY e.id")
    assert [json.loads(changes)["ref"] for (changes,) in told] == ["refs/heads/retried", "refs/heads/lost"]


def test_an_intent_whose_refs_did_not_move_is_forgotten(forge, project):
    made, _ = project
    intend(forge, made, "refs/heads/master", forge.refs(made)["refs/heads/master"], "1" * 40)
    waiting = "SELECT o.id FROM pushes o WHERE o.project_id = :id AND o.recorded_at IS NULL"
    wait_until(lambda: not forge.values(waiting, id=made["id"]))
    assert len(forge.events(made)) == 1


def test_power_cuts_in_the_middle_of_pushes_lose_nothing_that_was_answered(forge, project, thorough):
    made, copy = project
    pushes, cuts = (100, 3) if thorough else (40, 2)
    tree, root = copy.do("rev-parse", "HEAD^{tree}"), copy.do("rev-parse", "HEAD")
    steps = wire.chain(tree, root, pushes // CLIENTS)
    clients = [Client(forge, made, f"client-{number}", steps) for number in range(CLIENTS)]
    chance = random.Random(7)
    for client in clients:
        client.start()
    for _ in range(cuts):
        goal = sum(len(client.told) for client in clients) + chance.randrange(5, pushes // 4)
        wait_until(
            lambda goal=goal: sum(len(c.told) for c in clients) >= goal or not any(c.is_alive() for c in clients)
        )
        time.sleep(chance.random() / 20)
        forge.server.kill()
        forge.server.start()
    for client in clients:
        client.join()
    waiting = "SELECT o.id FROM pushes o WHERE o.project_id = :id AND o.recorded_at IS NULL"
    wait_until(lambda: not forge.values(waiting, id=made["id"]))
    announced = [(ref, tip) for event in forge.events(made)[1:] for ref, (_, tip) in event.items()]
    assert sorted(announced) == sorted((client.ref, tip) for client in clients for tip in client.tips)
    assert sum(len(client.told) for client in clients) > pushes // 2
    assert forge.refs(made).items() >= {(client.ref, client.tips[-1]) for client in clients}
    forge.repository(made).do("fsck", "--strict", "--full")


def test_old_quarantines_of_dead_processes_are_removed(forge, project):
    made, copy = project
    objects = forge.repository(made).folder / "objects"
    old, young = (objects / f"tmp_objdir-incoming-{age}" for age in ("old", "young"))
    for left in (old, young):
        left.mkdir()
        (left / "pack").mkdir()
    half = objects / "pack" / "tmp_pack_half"
    half.touch()
    for left in (old, half):
        os.utime(left, (0, 0))
    copy.commit("More")
    copy.do("push", "-q", "origin", "master")
    wait_until(lambda: not old.exists() and not half.exists())
    assert young.exists()
    shutil.rmtree(young)


def test_refs_that_a_dead_process_had_locked_move_again(forge, project):
    made, copy = project
    folder = forge.repository(made).folder
    lock, packed, young = (folder / f"{name}.lock" for name in ("refs/heads/master", "packed-refs", "refs/heads/other"))
    for left in (lock, packed, young):
        left.touch()
    tip = copy.commit("Held up")
    assert "cannot lock ref" in copy.git("push", "-q", "origin", "master")
    ago = time.time() - 100
    os.utime(lock, (ago, ago))
    os.utime(packed, (ago, ago))
    intend(forge, made, "refs/heads/master", forge.refs(made)["refs/heads/master"], tip)
    wait_until(lambda: not lock.exists() and not packed.exists())
    copy.do("push", "-q", "origin", "master")
    assert young.exists()
    young.unlink()


def test_a_repeated_attempt_is_reported_once(forge, project):
    """As if the server had died before git's move, and the client had come again."""
    made, copy = project
    first, second = forge.refs(made)["refs/heads/master"], copy.commit("Second")
    intend(forge, made, "refs/heads/master", first, second, due="2999-01-01T00:00:00.000Z")
    copy.do("push", "-q", "origin", "master")
    copy.commit("Third")
    copy.do("push", "-q", "origin", "master")
    forge.values("UPDATE jobs SET ready_at = '2000-01-01T00:00:00.000Z' WHERE task = 'pushes.recover'")
    waiting = "SELECT o.id FROM pushes o WHERE o.project_id = :id AND o.recorded_at IS NULL"
    wait_until(lambda: not forge.values(waiting, id=made["id"]))
    assert [event["refs/heads/master"][1] for event in forge.events(made)].count(second) == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_push_ends_well_though_the_whole_process_group_is_told_to_stop(one_stage, tmp_path, workers):
    """As service managers stop a service: every process of the group gets the signal."""
    with opened(one_stage, tmp_path, "--workers", str(workers)) as forge:
        made, copy = forge.filled("drained")
        copy.write("noise.bin", random.Random(7).randbytes(2_000_000))
        tip = copy.commit("Large")
        body = wire.request(f"{ZERO} {tip} refs/heads/drained", pack=wire.pack_of(copy, tip))
        quarantines = forge.repository(made).folder / "objects"

        def stop():
            wait_until(lambda: list(quarantines.glob("tmp_objdir*/pack/*")))
            os.killpg(forge.server.process.pid, signal.SIGTERM)
            wait_until(lambda: is_refused(forge.server.url))

        answer = wire.push_half(forge, made, "master", body, stop)
        assert b" 200 OK" in answer.split(b"\r\n", 1)[0]
        assert b"ok refs/heads/drained" in answer
        assert forge.server.process.wait(180) == 0
        assert forge.refs(made)["refs/heads/drained"] == tip
        assert forge.events(made)[-1] == {"refs/heads/drained": [ZERO, tip]}
        assert not list(quarantines.glob("tmp_objdir*"))


CLIENTS = 5


class Client(threading.Thread):
    """Pushes one commit after the other to a branch of its own; what it hears nothing of it tries again."""

    def __init__(self, forge, project, branch, steps):
        super().__init__(daemon=True)
        self.forge, self.project, self.ref, self.steps = forge, project, f"refs/heads/{branch}", steps
        self.tips = [tip for tip, _ in steps]
        self.told = []

    def run(self):
        before = wire.ZERO
        for tip, pack in self.steps:
            while not self.push(before, tip, pack) and self.forge.refs(self.project).get(self.ref) != tip:
                time.sleep(0.1)
            before = tip

    def push(self, before, tip, pack):
        try:
            answer = wire.push(
                self.forge, self.project, "developer", wire.request(f"{before} {tip} {self.ref}", pack=pack)
            )
        except (OSError, HTTPException):
            return False
        if f"ok {self.ref}" not in answer.text:
            return False
        self.told.append(tip)
        return True


def intend(forge, project, ref, old, new, due="2000-01-01T00:00:00.000Z"):
    """An intent that nobody is going to keep, due for mending."""
    sql = "INSERT INTO pushes (project_id, wiki, actor_id, protocol, created_at) VALUES (:id, FALSE, NULL, 'http', 'x')"
    forge.values(sql, id=project["id"])
    [push] = forge.values("SELECT max(o.id) FROM pushes o")
    sql = "INSERT INTO push_refs (push_id, ref, old_id, new_id) VALUES (:push, :ref, :old, :new)"
    forge.values(sql, push=push, ref=ref, old=old, new=new)
    sql = (
        "INSERT INTO jobs (task, key, enqueued, ready_at, created_at) VALUES ('pushes.recover', :key, 1, :then, :then)"
    )
    forge.values(sql, key=str(push), then=due)


def wait_until(happened):
    while not happened():
        time.sleep(0.1)  # most look into the database, by a connection of their own
