"""Merges, rebases and automatic merges killed after each of their steps: after the recovery all of it holds, or nothing."""

import asyncio
import itertools
import os
import signal
import sys
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from mujina.adapters.git import refs
from mujina.app import build, build_services, runner
from mujina.code.pushes.records import recover_pushes
from mujina.kernel.db.connect import connect
from mujina.settings import Settings
from tests.review.conftest import create_code

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

SQLITE, POSTGRES = (pytest.mark.parametrize("engine", [engine], indirect=True) for engine in ("sqlite", "postgres"))
"""The recovery of all three is the same, and an automatic merge is a merge: each is killed on one engine."""


class Instance:
    """An application over a database of its own, and processes beside it that are killed."""

    def __init__(self, stage, url, database):
        self.database, self.loop = database, stage.loop
        self.settings = Settings(
            data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64
        )
        # Built once for all processes; each opens the database for itself.
        self.unopened = connect(url)
        self.app = build(build_services(self.settings, self.unopened))
        self.cast = stage.cast(stage.client(database), database)
        self.code = create_code(self.cast)

    def request(self, number) -> str:
        """A request that closes an issue of its own; its path."""
        issue = self.cast.owner.post(f"{self.code.path}/issues", title="Bug").json["iid"]
        self.code.branch(f"cut-{number}", **{f"file-{number}": "x\n"})
        made = self.code.open(
            source_branch=f"cut-{number}", description=f"Closes #{issue}", remove_source_branch=True
        ).json
        return f"{self.code.requests}/{made['iid']}"

    def killed(self, step, person, verb, path, **params) -> bool:
        """Whether a process that answers this request, and runs the jobs it enqueues, was killed after this step."""
        child = os.fork()
        if child == 0:
            try:
                self._answer(step, person, verb, path, params)
            finally:
                os._exit(0)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def _answer(self, step, person, verb, path, params):
        """A step is a transaction, except those of the job queue, or a move of refs."""
        steps = itertools.count(1)

        def passed():
            if next(steps) == step:
                os.kill(os.getpid(), signal.SIGKILL)

        move_refs, transaction = refs.move_refs, type(self.unopened).transaction

        async def move(*args, **options):
            await move_refs(*args, **options)
            passed()

        @asynccontextmanager
        async def counted(self):
            async with transaction(self) as tx:
                yield tx
            passed()

        def begin(self):
            by_runner = sys._getframe(1).f_globals["__name__"] == "mujina.kernel.jobs.runner"
            return transaction(self) if by_runner else counted(self)

        refs.move_refs, type(self.unopened).transaction = move, begin
        loop = asyncio.new_event_loop()
        loop.run_until_complete(self.unopened.open())
        replace(person, app=self.app, loop=loop).ask(verb, path, params=params)

    def recover(self):
        """What the next start does, and the time that leases and retries take."""
        services = build_services(self.settings, self.database)

        async def recovered():
            await recover_pushes(self.database)
            for _ in range(2):
                await runner(services).drain()
                async with self.database.transaction() as tx:
                    await tx.run("UPDATE jobs SET ready_at = '2000-01-01T00:00:00.000Z'")
            await runner(services).drain()
            async with self.database.reading() as tx:
                assert not await tx.values("SELECT o.id FROM pushes o WHERE o.recorded_at IS NULL")
                assert not await tx.values("SELECT job.last_error FROM jobs job WHERE job.last_error IS NOT NULL")

        self.loop.run_until_complete(recovered())

    def check(self, path) -> str:
        """The state of the request, with which the branches, its notes and its issue agree."""
        shown = self.cast.anonymous.get(path).json
        merged = shown["state"] == "merged"
        assert shown["state"] in ("opened", "merged")
        history = [c["id"] for c in self.cast.anonymous.get(f"{self.code.path}/repository/commits", per_page=100).json]
        assert ((shown["sha"] in history), (shown["merge_commit_sha"] in history)) == (merged, merged)
        notes = [note["body"] for note in self.cast.reporter.get(f"{path}/notes").json]
        assert notes.count("merged") == merged
        [closed] = self.cast.reporter.get(f"{path}/closes_issues").json
        assert closed["state"] == ("closed" if merged else "opened")
        branch = self.cast.owner.get(f"{self.code.path}/repository/branches/{shown['source_branch']}")
        assert branch.status == (404 if merged else 200)
        assert merged or branch.json["commit"]["id"] == shown["sha"]
        return shown["state"]


@pytest.fixture
def instance(stage):
    url = stage.copy()
    with stage.opened(url) as database:
        yield Instance(stage, url, database)
    stage.discard(url)
    stage.files.forget()


@pytest.mark.long(15)
@POSTGRES
def test_a_merge_that_is_killed_is_finished_or_undone(instance, thorough):
    states = []
    for step in itertools.count(1, 1 if thorough else 3):
        path = instance.request(step)
        killed = instance.killed(step, instance.cast.master, "PUT", f"{path}/merge")
        instance.recover()
        states.append(instance.check(path))
        if not killed:
            break
        if states[-1] == "opened":
            assert instance.cast.master.put(f"{path}/merge").json["state"] == "merged"
    # Before the branch moved nothing had happened, afterward everything.
    assert states == sorted(states, reverse=True)
    assert {"opened", "merged"} == set(states)


@SQLITE
def test_an_automatic_merge_that_is_killed_is_finished(instance, thorough):
    for step in itertools.count(1, 1 if thorough else 3):
        path = instance.request(step)
        shown = instance.cast.master.get(path).json
        statuses, ref = f"{instance.code.path}/statuses/{shown['sha']}", shown["source_branch"]
        instance.cast.developer.post(statuses, state="running", ref=ref)
        assert instance.cast.master.put(f"{path}/merge", merge_when_pipeline_succeeds=True).json["state"] == "opened"
        killed = instance.killed(step, instance.cast.developer, "POST", statuses, state="success", ref=ref)
        instance.recover()
        succeeded = instance.cast.master.get(statuses.replace("statuses", "repository/commits")).json["status"]
        assert instance.check(path) == ("merged" if succeeded == "success" else "opened")
        if not killed:
            break
    assert step > 3


@SQLITE
def test_a_rebase_that_is_killed_is_finished_or_undone(instance, thorough):
    code = instance.code
    for step in itertools.count(1, 1 if thorough else 3):
        path = instance.request(step)
        tip = code.commit(**{f"elsewhere-{step}": "x\n"})
        before = instance.cast.master.get(path).json["sha"]
        killed = instance.killed(step, instance.cast.developer, "PUT", f"{path}/rebase")
        instance.recover()
        shown = instance.cast.master.get(path, include_rebase_in_progress=True).json
        assert (shown["merge_error"], shown["rebase_in_progress"], shown["state"]) == (None, False, "opened")
        assert code.tip(shown["source_branch"]) == shown["sha"]
        assert (shown["diff_refs"]["base_sha"] == tip) == (shown["sha"] != before)
        assert len(instance.cast.reporter.get(f"{path}/versions").json) == (1 if shown["sha"] == before else 2)
        # Once it was accepted it takes place.
        assert step == 1 or shown["sha"] != before
        instance.cast.developer.put(path, state_event="close")
        if not killed:
            break
    assert step > 3


@SQLITE
def test_a_suggestion_whose_application_is_killed_is_applied_or_not(instance, thorough):
    for step in itertools.count(1, 1 if thorough else 3):
        path = instance.request(step)
        request = instance.cast.master.get(path).json
        position = {"position_type": "text", **request["diff_refs"], "new_path": f"file-{step}", "new_line": 1}
        body = "```suggestion\ny\n```"
        thread = instance.cast.guest.post(f"{path}/discussions", body=body, position=position).json
        apply = f"/suggestions/{thread['notes'][0]['suggestions'][0]['id']}/apply"
        killed = instance.killed(step, instance.cast.developer, "PUT", apply)
        instance.recover()
        [note] = [
            note
            for note in instance.cast.guest.get(f"{path}/discussions/{thread['id']}").json["notes"]
            if not note["system"]
        ]
        applied, shown = note["suggestions"][0]["applied"], instance.cast.master.get(path).json
        assert (applied, note["resolved"]) == (shown["sha"] != request["sha"],) * 2
        assert instance.code.tip(shown["source_branch"]) == shown["sha"]
        assert applied or instance.cast.developer.put(apply).json["applied"] is True
        if not killed:
            break
    assert step > 3
