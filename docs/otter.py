"""What the screenshots show: a group with a project that has something on each of its pages."""

import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from typing import Any

import requests

from tests.harness.running import RunningServer

PASSWORD = "for the pictures only"  # noqa: S105 - of a temporary instance
PAGES = {
    "profile": "/profile",
    "emails": "/profile/emails",
    "password": "/profile/password/edit",
    "two-factor": "/profile/two_factor_auth",
    "keys": "/profile/keys",
    "access-tokens": "/profile/personal_access_tokens",
    "sessions": "/profile/sessions",
    "applications": "/profile/applications",
}
PROJECT_PAGES = {
    "dashboard": "/",
    "project": "/tools/otter",
    "group": "/tools",
    "user": "/anna",
    "file": "/tools/otter/blob/master/otter/retry.py",
    "commits": "/tools/otter/commits/master",
    "branches": "/tools/otter/branches",
    "issues": "/tools/otter/issues",
    "issue": "/tools/otter/issues/1",
    "board": "/tools/otter/boards/1",
    "milestone": "/tools/otter/milestones/1",
    "labels": "/tools/otter/labels",
    "epic": "/groups/tools/-/epics/1",
    "roadmap": "/groups/tools/-/roadmap",
    "wiki": "/tools/otter/wikis/home",
    "members": "/tools/otter/project_members",
    "settings": "/tools/otter/edit",
    "search": "/search?search=server&scope=issues",
    "merge-requests": "/tools/otter/merge_requests",
    "merge-request": "/tools/otter/merge_requests/1",
    "changes": "/tools/otter/merge_requests/1/diffs",
    "administration": "/admin",
    "users": "/admin/users",
    "not-found": "/tools/otter/nothing",
}
"""Pages of a project with something in it. A screenshot of each is taken on a desk in light and on a phone in dark."""
README = """\
# Otter

Otter talks to any server that speaks API v4: list issues, open merge requests, watch pipelines. One file, no
configuration, quick to start.

```sh
pip install otter
otter login https://git.example.org
otter issues --assignee me --state opened
```

## What works

- [x] Issues, labels and milestones
- [x] Merge requests with line comments, see !1
- [ ] Boards, planned in #2

Questions go to @anna or into an issue.
"""
RETRY = '''\
"""Sends a request again when the server could not answer."""

import asyncio
from collections.abc import Awaitable, Callable

IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})


class Retry:
    def __init__(self, attempts: int = 3, delay: float = 0.2) -> None:
        self.attempts = attempts
        self.delay = delay

    async def send(self, method: str, call: Callable[[], Awaitable[Response]]) -> Response:
        response = await call()
        if response.status == 503:
            raise Unavailable("server is busy")
        return response
'''
BETTER_RETRY = RETRY.replace(
    """\
        response = await call()
        if response.status == 503:
            raise Unavailable("server is busy")
        return response
""",
    """\
        # A POST is sent once: the server may have done the work already.
        attempts = self.attempts if method in IDEMPOTENT else 1
        for attempt in range(attempts):
            response = await call()
            if response.status not in (429, 502, 503):
                return response
            await asyncio.sleep(self.delay * 2**attempt)
        raise Unavailable("server is busy")
""",
)
HISTORY = (
    ("anna", 400, "First commit", {"LICENSE": "MIT License\n", "pyproject.toml": '[project]\nname = "otter"\n'}),
    ("jonas", 150, "Ignore the build folder", {".gitignore": "build/\n"}),
    ("li", 30, "Release 1.4.0", {"CHANGELOG.md": "# 1.4.0\n\n- Labels in color\n"}),
    ("omar", 9, "Read the token from a file", {"otter/token.sh": "#!/bin/sh\ncat ~/.otter-token\n"}),
    ("anna", 4, "Describe exit codes", {"README.md": README, "docs/exit-codes.md": "# Exit codes\n\n- 3: no access\n"}),
    (
        "jonas",
        1,
        "Send requests from one place",
        {"otter/retry.py": RETRY, "tests/test_retry.py": "async def test_once():\n    ...\n"},
    ),
)
"""Author, days ago, message and files of each commit."""
PEOPLE = {"anna": "Anna Mori", "jonas": "Jonas Weber", "li": "Li Na", "omar": "Omar Haddad", "sofia": "Sofia Rossi"}
LABELS = {
    "bug": ("#c0392b", "Something does not work"), "performance": ("#e09f3e", "Takes too long"),
    "ui": ("#7a5cc7", "What users see"),
    "docs": ("#3a7ab8", "Words"), "good first issue": ("#2f9e6b", "A place to start"), "security": ("#111416", "Handled with care"),
}  # fmt: skip
HANGS = """\
When the server is restarting it answers `503` with `Retry-After: 5`. `otter login` then waits for ever instead of trying again.

```
$ otter login https://git.example.org
^C after 90 s
```

- [x] Reproduce with a server that always answers 503
- [x] Honor `Retry-After`
- [ ] Say what is going on after two seconds
"""
ISSUES: tuple[tuple[str, float, str, str, list[str], str], ...] = (
    ("anna", 0.1, "Login hangs when the server answers 503", "bug,performance", ["jonas", "li"], HANGS),
    ("omar", 1, "Show boards in the terminal", "ui", ["omar"], "A table for each list."),
    ("li", 1.2, "Credentials are printed with --debug", "security,bug", ["anna"], "The header is in the output."),
    ("sofia", 3, "Complete commands in fish", "good first issue", [], "As in bash."),
    ("jonas", 5, "Describe what each exit code means", "docs,good first issue", ["sofia"], "- [x] 1\n- [ ] 3"),
    ("anna", 15, "Paging stops at 10,000 results", "bug", ["li"], "The total is not sent beyond that."),
    ("omar", 22, "Accept a token from the system key ring", "", [], "Instead of a file."),
)
"""Author, days ago, title, labels, assignees and description of each issue."""


class _Seeder:
    """Writes as people of the instance, at times that have passed."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.now = datetime.now(UTC)

    def post(self, path: str, /, *, by: str = "root", verb: str = "POST", **body: Any) -> Any:
        headers = {"Private-Token": self.server.token} | ({"Sudo": by} if by != "root" else {})
        answer = requests.request(verb, f"{self.server.url}/api/v4{path}", json=body, headers=headers, timeout=60)
        if not answer.ok:
            raise SystemExit(f"{verb} {path}: {answer.status_code} {answer.text}")
        return answer.json()

    def ago(self, days: float) -> str:
        return (self.now - timedelta(days=days)).isoformat(timespec="seconds")

    def day(self, days: int) -> str:
        return str((self.now + timedelta(days=days)).date())


def fill(server: RunningServer) -> None:
    """A group with a project, its people, a history, issues, a board, a wiki, an epic and a merge request."""
    seeder = _Seeder(server)
    post = seeder.post
    people: dict[str, int] = {}
    for username, name in PEOPLE.items():
        address: dict[str, Any] = {
            "email": f"{username}@example.org",
            "password": PASSWORD,
            "skip_confirmation": True,
            "admin": True,
        }
        people[username] = post("/users", username=username, name=name, **address)["id"]
    group = post("/groups", name="Tools", path="tools", visibility="public", description="Small programs")
    about = {"visibility": "public", "description": "A small command-line client for project hosts"}
    project = post(
        "/projects", name="Otter", namespace_id=group["id"], tag_list=["cli", "python", "api-client"], **about
    )
    here = f"/projects/{project['id']}"
    for username, id in people.items():
        level = 50 if username == "anna" else 40 if username == "jonas" else 30
        where = f"/groups/{group['id']}" if username == "anna" else here
        post(f"{where}/members", user_id=id, access_level=level)
        if username != "anna":
            post(f"{here}/star", by=username)
    _push_history(seeder)
    post(f"{here}/repository/tags/v1.4.0/release", description="Labels in color.")
    milestone = _plan(seeder, here)
    _open_issues(seeder, here, people, milestone)
    _organize(seeder, here, group["id"])
    _ask_for_merge(seeder, here, people)
    for username, id in people.items():  # only administrators can date what they write
        post(f"/users/{id}", verb="PUT", admin=username == "anna")


def _push_history(seeder: _Seeder) -> None:
    """By git, which can date commits."""
    stream = ""
    for mark, (username, days, message, files) in enumerate(HISTORY, 1):
        at = int((seeder.now - timedelta(days=days)).timestamp())
        who = f"{PEOPLE[username]} <{username}@example.org> {at} +0000"
        stream += f"commit refs/heads/master\nmark :{mark}\nauthor {who}\ncommitter {who}\n{_data(message)}"
        stream += "".join(f"M 100644 inline {path}\n{_data(text)}" for path, text in files.items())
    stream += "reset refs/tags/v1.4.0\nfrom :3\n\n"
    address = seeder.server.url.replace("://", f"://root:{seeder.server.token}@") + "/tools/otter.git"
    with tempfile.TemporaryDirectory() as folder:
        git = ["git", "-C", folder]
        subprocess.run([*git, "init", "--quiet", "--bare"], check=True)
        subprocess.run([*git, "fast-import", "--quiet"], input=stream.encode(), check=True)
        subprocess.run([*git, "push", "--quiet", address, "master", "v1.4.0"], check=True)


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


def _plan(seeder: _Seeder, here: str) -> int:
    for title, (color, description) in LABELS.items():
        seeder.post(f"{here}/labels", name=title, color=color, description=description)
    days = {"start_date": seeder.day(-9), "due_date": seeder.day(12)}
    return seeder.post(f"{here}/milestones", title="1.5", description="Fewer surprises.", **days)["id"]


def _open_issues(seeder: _Seeder, here: str, people: dict[str, int], milestone: int) -> None:
    post = seeder.post
    for author, days, title, labels, assignees, description in ISSUES:
        more: dict[str, Any] = {"due_date": seeder.day(-1)} if "exit code" in title else {}
        more |= {"milestone_id": milestone} if days < 10 else {}
        made = post(
            f"{here}/issues", by=author, title=title, labels=labels, description=description, created_at=seeder.ago(days),
            assignee_ids=[people[name] for name in assignees], confidential="Credentials" in title, **more,
        )  # fmt: skip
        if days > 12:
            post(
                f"{here}/issues/{made['iid']}/notes",
                by="sofia",
                body="I can reproduce it.",
                created_at=seeder.ago(days / 2),
            )
    post(f"{here}/issues/1", by="anna", verb="PUT", weight=3)
    post(f"{here}/issues/1/time_estimate", by="anna", duration="4h")
    found = "Found it: the session waits on the first response without a limit. Also seen in #6."
    asked = "@li could you check the Windows build?"
    post(f"{here}/issues/1/notes", by="jonas", body=f"{found} {asked}", created_at=seeder.ago(0.05))
    post(f"{here}/issues/1/add_spent_time", by="li", duration="1h 30m")
    for name, username in (("thumbsup", "jonas"), ("thumbsup", "li"), ("thumbsup", "omar"), ("rocket", "sofia")):
        post(f"{here}/issues/1/award_emoji", by=username, name=name)
    closed = post(f"{here}/issues", title="Colors are hard to read on white", labels="ui", created_at=seeder.ago(40))
    post(f"{here}/issues/{closed['iid']}", verb="PUT", state_event="close")


def _organize(seeder: _Seeder, here: str, group: int) -> None:
    post = seeder.post
    board = post(f"{here}/boards", name="Development")
    for label in requests.get(
        f"{seeder.server.url}/api/v4{here}/labels", headers={"Private-Token": seeder.server.token}, timeout=60
    ).json():
        if label["name"] in ("bug", "ui"):
            post(f"{here}/boards/{board['id']}/lists", label_id=label["id"])
    post(f"{here}/wikis", title="home", content="# Otter\n\nHow to [contribute](contributing), and where things are.")
    post(f"{here}/wikis", title="contributing", content="Send a merge request.")
    for title, start, end in (("A client for every terminal", -9, 30), ("Offline mode", 14, 60)):
        post(f"/groups/{group}/-/epics", title=title, start_date=seeder.day(start), end_date=seeder.day(end))
    issue = requests.get(
        f"{seeder.server.url}/api/v4{here}/issues/2", headers={"Private-Token": seeder.server.token}, timeout=60
    ).json()
    post(f"/groups/{group}/-/epics/1/issues/{issue['id']}")


def _ask_for_merge(seeder: _Seeder, here: str, people: dict[str, int]) -> None:
    post = seeder.post
    actions = [
        {"action": "update", "file_path": "otter/retry.py", "content": BETTER_RETRY},
        {
            "action": "create",
            "file_path": "tests/test_post.py",
            "content": "async def test_a_post_is_sent_once():\n    ...\n",
        },
    ]
    message = {"branch": "retry-requests", "start_branch": "master", "commit_message": "Retry idempotent requests"}
    author = {"author_name": PEOPLE["jonas"], "author_email": "jonas@example.org"}
    post(f"{here}/repository/commits", by="jonas", actions=actions, **message, **author)
    asked: dict[str, Any] = {"source_branch": "retry-requests", "target_branch": "master", "labels": "bug"}
    text = "Requests that may be repeated are sent again after 429, 502 and 503, at most three times.\n\nCloses #1"
    request = post(
        f"{here}/merge_requests", by="jonas", title="Retry idempotent requests", description=text,
        assignee_id=people["jonas"], milestone_id=1, **asked,
    )  # fmt: skip
    place = {"position_type": "text", "new_path": "otter/retry.py", "new_line": 16, **request["diff_refs"]}
    question = "Should `PATCH` count as idempotent? Most servers treat it so, ours does not promise it."
    thread = post(f"{here}/merge_requests/1/discussions", by="li", body=question, position=place)
    answer = "Left out on purpose, see the RFC. I'll say so in the docs."
    post(f"{here}/merge_requests/1/discussions/{thread['id']}/notes", by="jonas", body=answer)
