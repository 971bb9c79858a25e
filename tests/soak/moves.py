"""A whole instance moves to an empty one, killed on the way: both are compared through the API, by git and by their pages. Then
the time and the memory of a large project are measured."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from resource import struct_rusage
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.harness.running import ROOT, RunningServer
from tests.moving.shown_pages import PageReader
from tests.moving.world import PEOPLE, add_people, admin, differences, refs, shown, store_lfs
from tests.soak.figures import Figure, progress
from tests.soak.servers import ApiClient

MAX_SECONDS = 240
MAX_MEGABYTES = 300
COMMENTS = 3
"""On each issue of the large project."""
LINES = "".join(f"line {n}\n" for n in range(20))


class Sizes(NamedTuple):
    """How much there is at the source."""

    projects: int
    issues: int
    comments: int
    requests: int
    kills: int
    timed: int
    """Issues of the large project."""


class SourceInstance:
    """A server with projects that have one of everything that a move has to bring, many times."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        add_people(server, *PEOPLE)
        tokens = [server.token]
        for user in admin(server).request("GET", "/users?per_page=100"):
            if user["username"] in PEOPLE:
                path = f"/users/{user['id']}/impersonation_tokens"
                tokens.append(admin(server).request("POST", path, name="soak", scopes=["api"])["token"])
        self._clients = [ApiClient(server.url, token) for token in tokens]
        self.group = self.ask(0, "POST", "/groups", path="team", name="Team", visibility="internal")["id"]

    def ask(self, turn: int, verb: str, path: str, /, **body: Any) -> Any:
        """The answer to one of the people, in turn."""
        return self._clients[turn % len(self._clients)].ask(verb, path, **body)

    def project(self, name: str) -> str:
        made = self.ask(0, "POST", "/projects", path=name, name=name, namespace_id=self.group, visibility="internal")
        for user in self.ask(0, "GET", "/users?per_page=100"):
            if user["username"] in PEOPLE:
                self.ask(0, "POST", f"/projects/{made['id']}/members", user_id=user["id"], access_level=40)
        return f"/projects/{made['id']}"

    def fill(self, number: int, sizes: Sizes) -> None:
        """A project with its share of everything."""
        name = f"app-{number}"
        here = self.project(name)
        self._commit(here, "master", "README.md", LINES, "create")
        self._commit(here, "master", "large.bin", store_lfs(self.server, f"team/{name}"), "create")
        self.ask(0, "POST", f"{here}/labels", name="bug", color="#ff0000")
        self.ask(0, "POST", f"{here}/milestones", title="1.0", due_date="2030-01-31")
        self.ask(1, "POST", f"{here}/releases", tag_name="v1", ref="master", name="One", description="The first")
        self.ask(2, "POST", f"{here}/wikis", title="home", content="Welcome")
        file = self._upload(here)
        share = sizes.comments // sizes.issues
        for n in range(sizes.issues // sizes.projects):
            self.issue(here, n, share, f"See {file} and #1, says @ben")
        for n in range(sizes.requests // sizes.projects):
            self._request(here, n)

    def issue(self, here: str, n: int, comments: int, description: str) -> None:
        made = self.ask(n, "POST", f"{here}/issues", title=f"Issue {n}", description=description, labels="bug")
        for turn in range(comments):
            self.ask(n + turn, "POST", f"{here}/issues/{made['iid']}/notes", body=f"Comment {turn} of {n}")
        if n % 3 == 0:
            self.ask(n, "PUT", f"{here}/issues/{made['iid']}", state_event="close")

    def _commit(self, here: str, branch: str, path: str, content: str, action: str, **start: str) -> None:
        actions = [{"action": action, "file_path": path, "content": content}]
        self.ask(
            0, "POST", f"{here}/repository/commits", branch=branch, commit_message=f"Write {path}", actions=actions, **start,
        )  # fmt: skip

    def _request(self, here: str, n: int) -> None:
        """A merge request with a comment on a line."""
        changed = LINES.replace(f"line {n % 20}\n", f"LINE {n}\n")
        self._commit(here, f"topic-{n}", "README.md", changed, "update", start_branch="master")
        branches = {"source_branch": f"topic-{n}", "target_branch": "master"}
        made = self.ask(n, "POST", f"{here}/merge_requests", title=f"Shout {n}", **branches)
        path = f"{here}/merge_requests/{made['iid']}"
        commits = self.ask(0, "GET", path)["diff_refs"]
        position = {"position_type": "text", "old_path": "README.md", "new_path": "README.md", "new_line": n % 20 + 1}
        self.ask(n + 1, "POST", f"{path}/discussions", body="So loud", position={**commits, **position})

    def _upload(self, here: str) -> str:
        command = ["curl", "-sf", "-H", f"Private-Token: {self.server.token}", "-F", "file=@-;filename=notes.txt"]
        made = subprocess.run(
            [*command, f"{self.server.url}/api/v4{here}/uploads"], input=here.encode(), capture_output=True, check=True
        )
        return json.loads(made.stdout)["markdown"]


class MovePlace:
    """The empty instance, and the command that moves to it."""

    def __init__(self, source: RunningServer, target: RunningServer, folder: Path) -> None:
        self._source, self._target, self._folder = source, target, folder
        self.people, self.report = folder / "people.json", folder / "report.json"
        self.people.write_text(json.dumps({name: name for name in (*PEOPLE, "root")}))

    def start(self, *flags: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "mujina", "move-in", self._source.url, *flags, "--people", str(self.people)]
        command += ["--report", str(self.report), "--data", str(self._target.data)]
        token = {"MUJINA_MOVE_IN_TOKEN": self._source.token, "MUJINA_OUTBOUND_ALLOW": "127.0.0.1"}
        environment = {**os.environ, **token, "MUJINA_DATABASE_URL": self._target.database_url}
        with (self._folder / "move.log").open("a") as log:
            return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def run(self, *flags: str) -> tuple[dict[str, Any], struct_rusage]:
        """The report, and what the run used."""
        program = self.start(*flags)
        _, status, used = os.wait4(program.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0, (self._folder / "move.log").read_text()[-2000:]
        return json.loads(self.report.read_text()), used

    def moved_issues(self) -> int:
        found = admin(self._target).request("GET", "/application/statistics")["issues"]
        return int(str(found).replace(",", ""))


def move_in(folder: Path, url: str, engine: str, sizes: Sizes) -> list[Figure]:
    """Move everything with kills, compare, move again, and measure the large project."""
    servers = [
        RunningServer(folder / "source", f"sqlite:///{folder / 'source.db'}", forked=False),
        RunningServer(folder / "target", url, forked=False),
    ]
    for server in servers:
        server.start()
    try:
        source, target = servers
        instance, place = SourceInstance(source), MovePlace(source, target, folder)
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: instance.fill(number, sizes), range(sizes.projects)))
        add_people(target, *PEOPLE)
        progress(engine, "the source is filled")
        figures = _equality(engine, source, target, place, sizes)
        return figures + _speed(engine, instance, place, sizes.timed)
    finally:
        for server in servers:
            server.kill()


def _equality(
    engine: str, source: RunningServer, target: RunningServer, place: MovePlace, sizes: Sizes
) -> list[Figure]:  # fmt: skip
    kills = 0
    for number in range(1, sizes.kills + 1):
        program = place.start("--group", "team")
        while program.poll() is None and place.moved_issues() < sizes.issues * number // (sizes.kills + 2):
            time.sleep(0.05)
        kills += program.poll() is None
        program.kill()
        program.wait()
    place.run("--group", "team")
    progress(engine, f"moved, killed {kills} times")
    differing = _differing_projects(engine, source, target, sizes.projects)
    progress(engine, "compared through the API and by git")
    pages, differing_pages = _differing_pages(engine, source, target, sizes.projects)
    progress(engine, "compared by pages")
    report, _ = place.run("--group", "team")
    again = sum(report["created"].values()) + sum(report["updated"].values())
    what = (
        f"{sizes.projects} projects, {sizes.issues} issues, {sizes.comments} comments, {sizes.requests} merge requests"
    )
    return [
        Figure(engine, f"a move of {what}: times that it was killed", str(kills), str(sizes.kills), kills == sizes.kills),
        Figure(engine, "projects that the API or `git ls-remote` then shows otherwise", str(differing), "0", not differing),
        Figure(engine, f"of {pages} pages of both, that then show something else", str(differing_pages), "0", not differing_pages),
        Figure(engine, "objects that another run moves", str(again), "0", not again),
    ]  # fmt: skip


def _differing_projects(engine: str, source: RunningServer, target: RunningServer, projects: int) -> int:
    differing = 0
    for path in _paths(projects):
        here = f"/projects/{quote(path, safe='')}"
        lines = differences(shown(source, here), shown(target, here))
        differing += bool(lines) or refs(source, path) != refs(target, path)
        if lines:
            progress(engine, "\n".join(lines[:20]))
    return differing


def _differing_pages(engine: str, source: RunningServer, target: RunningServer, projects: int) -> tuple[int, int]:
    """How many pages were opened, and how many of them differ."""
    pages = differing = 0
    with closing(PageReader(source)) as there, closing(PageReader(target)) as here:
        for path in _paths(projects):
            before, after = there.shown(path), here.shown(path)
            pages += len(before)
            differing += sum(before.get(page) != after.get(page) for page in before.keys() | after.keys())
            if lines := differences(before, after):
                progress(engine, "\n".join(lines[:20]))
    return pages, differing


def _paths(projects: int) -> list[str]:
    return [f"team/app-{number}" for number in range(projects)]


def _speed(engine: str, instance: SourceInstance, place: MovePlace, issues: int) -> list[Figure]:
    here = instance.project("large")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: instance.issue(here, n, COMMENTS, "text " * 40), range(issues)))
    progress(engine, "the large project is filled")
    started, before = time.monotonic(), _processor_seconds(instance.server.process.pid)
    _, usage = place.run("--project", "team/large")
    elapsed, of_source = time.monotonic() - started, _processor_seconds(instance.server.process.pid) - before
    used, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024
    own, limit = max(used, elapsed - of_source), MAX_SECONDS * issues / 10_000
    what = f"seconds to move {issues} issues of {COMMENTS} comments, without the source's own processor time"
    found = f"{own:.0f} ({elapsed:.0f} in all; processor: {used:.0f} here, {of_source:.0f} of the source)"
    return [
        Figure(engine, what, found, f"≤ {limit:.0f}", own <= limit),
        Figure(engine, "most memory of that move", f"{megabytes} MB", f"≤ {MAX_MEGABYTES} MB", megabytes <= MAX_MEGABYTES),
    ]  # fmt: skip


def _processor_seconds(pid: int) -> float:
    """The processor time of a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    fields = [Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in (pid, *children)]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")
