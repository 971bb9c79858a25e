"""Merges at the same time and merges that are cut off: the branch and the requests agree, and nothing is half done."""

import json
import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.git.forge import opened
from tests.git.test_interrupted_pushes import intend


def asked(forge, project, branches):
    """A request for each branch, all at once; their iids."""

    def create(branch):
        return forge.api(
            "POST", f"/projects/{project['id']}/merge_requests", "developer", title=branch, source_branch=branch,
            target_branch="master",
        )["iid"]  # fmt: skip

    branches = list(branches)
    with ThreadPoolExecutor(len(branches)) as threads:
        return dict(zip(branches, threads.map(create, branches), strict=True))


def branched(copy, contents):
    """Push a branch for each name, with one file more than master."""
    for branch, (name, content) in contents.items():
        copy.do("checkout", "--quiet", "-b", branch, "master")
        copy.commit(f"Work on {branch}", **{name: content})
    copy.do("push", "--quiet", "origin", *contents)


def merge(forge, project, iid):
    """The status and the body of an attempt to merge."""
    reply = forge.ask(
        "PUT", f"/api/v4/projects/{project['id']}/merge_requests/{iid}/merge", b"{}",
        {"Private-Token": forge.token("master"), "Content-Type": "application/json"},
    )  # fmt: skip
    return reply.status, json.loads(reply.body)


def shown(forge, project, iid):
    return forge.api("GET", f"/projects/{project['id']}/merge_requests/{iid}", "master")


def history(forge, project):
    """The first parents of master, the newest first."""
    return forge.repository(project).do("rev-list", "--first-parent", "master").splitlines()


@pytest.mark.parametrize("workers", [1, 2])
def test_merges_at_once_each_land_or_are_refused_truthfully(one_stage, tmp_path, workers, thorough):
    single, double = (10, 5) if thorough else (4, 2)
    with opened(one_stage, tmp_path, "--workers", str(workers)) as forge:
        project, copy = forge.filled("crowded")
        plain = {f"plain-{n}": (f"file-{n}", "x\n") for n in range(single)}
        pairs = {f"pair-{n}-{side}": (f"shared-{n}", f"{side}\n") for n in range(double) for side in "ab"}
        branched(copy, plain | pairs)
        requests = asked(forge, project, [*plain, *pairs])
        order = random.Random(7).sample(sorted(requests), len(requests))
        with ThreadPoolExecutor(len(order)) as threads:
            answers = dict(
                zip(order, threads.map(lambda name: merge(forge, project, requests[name]), order), strict=True)
            )
        statuses = {name: status for name, (status, _) in answers.items()}
        assert {statuses[name] for name in plain} == {200}, answers
        for n in range(double):
            assert sorted(statuses[f"pair-{n}-{side}"] for side in "ab") == [200, 406], answers
        landed = {body["merge_commit_sha"] for status, body in answers.values() if status == 200}
        assert landed == set(history(forge, project)[: single + double])
        for name, iid in requests.items():
            assert shown(forge, project, iid)["state"] == ("merged" if statuses[name] == 200 else "opened")


def test_two_equal_requests_at_once_create_one(forge):
    project, copy = forge.filled("twins")
    branched(copy, {"topic": ("file", "x\n")})
    body = json.dumps({"title": "Twin", "source_branch": "topic", "target_branch": "master"}).encode()
    headers = {"Private-Token": forge.token("developer"), "Content-Type": "application/json"}
    path = f"/api/v4/projects/{project['id']}/merge_requests"
    with ThreadPoolExecutor(2) as threads:
        replies = list(threads.map(lambda _: forge.ask("POST", path, body, headers), range(2)))
    assert sorted(reply.status for reply in replies) == [201, 409]
    # Closing and reopening at the same time: each finds the request in a state, and none is refused.
    edits = [json.dumps({"state_event": event}).encode() for event in ("close", "reopen")] * 6
    with ThreadPoolExecutor(6) as threads:
        statuses = {
            reply.status for reply in threads.map(lambda edit: forge.ask("PUT", f"{path}/1", edit, headers), edits)
        }
    assert statuses == {200}
    # Of two equal requests, one is opened again.
    close, reopen = edits[:2]
    assert forge.ask("PUT", f"{path}/1", close, headers).status == 200
    assert forge.ask("POST", path, body, headers).status == 201
    for _ in range(3):
        for iid in (1, 2):
            assert forge.ask("PUT", f"{path}/{iid}", close, headers).status == 200
        with ThreadPoolExecutor(2) as threads:
            replies = list(threads.map(lambda iid: forge.ask("PUT", f"{path}/{iid}", reopen, headers), (1, 2)))
        assert sorted(reply.status for reply in replies) == [200, 409]


@pytest.mark.parametrize("moved", [False, True])
def test_a_request_whose_merge_was_cut_off_is_locked_until_recovery(forge, moved):
    """As if the server had died before git moved the branch, or after it."""
    project, copy = forge.filled(f"locked {moved}")
    branched(copy, {"topic": ("file", "x\n")})
    iid = asked(forge, project, ["topic"])["topic"]
    repository, old, head = forge.repository(project), copy.do("rev-parse", "master"), copy.do("rev-parse", "topic")
    tree = repository.do("rev-parse", f"{head}^{{tree}}")
    tip = repository.do("commit-tree", tree, "-p", old, "-p", head, "-m", "Merge")
    intend(forge, project, "refs/heads/master", old, tip, due="2999-01-01T00:00:00.000Z")
    [push] = forge.values("SELECT max(o.id) FROM pushes o")
    forge.values(
        "UPDATE merge_requests SET merging_push_id = :push, merging_sha = :tip WHERE project_id = :id",
        push=push, tip=tip, id=project["id"],
    )  # fmt: skip
    if moved:
        repository.do("update-ref", "refs/heads/master", tip, old)
    assert shown(forge, project, iid)["state"] == "locked"
    assert merge(forge, project, iid)[0] == 405
    listed = f"/projects/{project['id']}/merge_requests?state="
    assert [len(forge.api("GET", listed + state)) for state in ("opened", "locked", "all")] == [0, 1, 1]
    close = forge.ask(
        "PUT", f"/api/v4/projects/{project['id']}/merge_requests/{iid}", b'{"state_event": "close"}',
        {"Private-Token": forge.token("master"), "Content-Type": "application/json"},
    )  # fmt: skip
    assert close.status == 409
    delete = forge.ask(
        "DELETE", f"/api/v4/projects/{project['id']}/merge_requests/{iid}", b"", {"Private-Token": forge.token("owner")}
    )  # fmt: skip
    assert delete.status == 409
    forge.values("UPDATE jobs SET ready_at = '2000-01-01T00:00:00.000Z' WHERE task = 'pushes.recover'")
    _wait_until_recorded(forge, project)
    found = shown(forge, project, iid)
    assert (found["state"], found["merge_commit_sha"]) == (("merged", tip) if moved else ("opened", None))
    if not moved:
        assert merge(forge, project, iid)[0] == 200


@pytest.mark.parametrize("workers", [1, 2])
def test_merges_that_are_cut_off_are_finished_or_undone_soon(one_stage, tmp_path, workers):
    """The server, or each of its workers, is killed at ever later moments of a merge."""
    with opened(one_stage, tmp_path, "--workers", str(workers)) as forge:
        _cut_off(forge, power_cut=workers == 1)


def _cut_off(forge, *, power_cut):
    project, copy = forge.filled("cut merges")
    names = [f"cut-{n}" for n in range(4 if power_cut else 2)]
    branched(copy, {name: (name, "x\n") for name in names})
    requests = asked(forge, project, names)
    for n, name in enumerate(names):
        with ThreadPoolExecutor(1) as threads:
            attempt = threads.submit(_attempt, forge, project, requests[name])
            time.sleep(0.01 + n * 0.025)
            forge.server.kill() if power_cut else _kill_workers(forge)
            answer = attempt.result()
        if power_cut:
            forge.server.start()
        _wait_until_recorded(forge, project)
        found = shown(forge, project, requests[name])
        assert found["state"] in ("opened", "merged")
        assert answer is None or found["state"] == "merged"
        assert (found["merge_commit_sha"] in history(forge, project)) == (found["state"] == "merged")
        commits = forge.repository(project).do("rev-list", "master").splitlines()
        assert (found["sha"] in commits) == (found["state"] == "merged")
        if found["state"] == "opened":
            assert merge(forge, project, requests[name])[0] == 200
    assert len(history(forge, project)) == len(names) + 1


def _attempt(forge, project, iid):
    try:
        status, body = merge(forge, project, iid)
    except (OSError, HTTPException):
        return None
    assert status == 200, body
    return body


def _kill_workers(forge):
    """The supervisor starts others."""
    for child in Path(f"/proc/{forge.server.process.pid}/task/{forge.server.process.pid}/children").read_text().split():
        with suppress(ProcessLookupError):
            os.kill(int(child), signal.SIGKILL)


def _wait_until_recorded(forge, project):
    waiting = "SELECT o.id FROM pushes o WHERE o.project_id = :id AND o.recorded_at IS NULL"
    while forge.values(waiting, id=project["id"]):
        time.sleep(0.2)
