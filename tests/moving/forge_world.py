"""A project of a forge that counts issues and pulls in one series, as GitHub and Gitea show it."""

import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from tests.moving.forge_server import ForgeServer

AT, LATER = "2020-01-01T10:00:00Z", "2020-02-01T10:00:00Z"
UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO"
PATH = "/repos/team/app"


class Commits(NamedTuple):
    base: str
    old: str
    """The head of pull 2 when its line comment was written."""
    head: str
    merged: str
    """The head of pull 3, whose branch is gone."""


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Anna", "-c", "user.email=anna@example.com")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    git(folder, "add", name)
    git(folder, "commit", "-qm", f"Write {name}")
    return git(folder, "rev-parse", "HEAD")


def make_repositories(folder: Path) -> Commits:
    """The repository and the wiki of team/app below the folder, as a plain web server offers them."""
    work, wiki = folder / "work", folder / "wiki"
    for each in (work, wiki, folder / "team"):
        each.mkdir(parents=True)
    git(work, "init", "-q", "-b", "main")
    base = commit(work, "a.txt", "one\ntwo\nthree\n")
    git(work, "tag", "v1.0")
    git(work, "checkout", "-qb", "feature")
    old = commit(work, "a.txt", "one\nTWO\nthree\n")
    head = commit(work, "b.txt", "more\n")
    git(work, "checkout", "-q", "--detach", base)
    merged = commit(work, "c.txt", "merged\n")
    git(work, "checkout", "-q", "main")
    git(work, "merge", "-q", "--ff-only", merged)
    git(work, "update-ref", "refs/pull/2/head", head)
    git(work, "update-ref", "refs/pull/3/head", merged)
    git(wiki, "init", "-q", "-b", "main")
    commit(wiki, "Home.md", "# Welcome\n")
    for source, name in ((work, "app.git"), (wiki, "app.wiki.git")):
        git(folder, "clone", "-q", "--mirror", str(source), str(folder / "team" / name))
        git(folder / "team" / name, "update-server-info")
    return Commits(base, old, head, merged)


def user(number: int, login: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "login": login, **more}


ANNA, BEN = user(11, "anna"), user(12, "ben")
TEAM = user(5, "team", type="Organization")
GHOST = user(-1, "Ghost")


def work(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": 1000 + number, "number": number, "title": f"Number {number}", "user": ANNA, "state": "open", "body": "",
        "created_at": AT, "updated_at": LATER, "closed_at": None, "labels": [], "assignees": [], "milestone": None,
        "comments": 1, **more,
    }  # fmt: skip


def comment(number: int, body: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "user": BEN, "body": body, "created_at": AT, "updated_at": LATER, **more}


def shared_answers(server: ForgeServer, commits: Commits) -> dict[str, Any]:
    """What both forges answer alike, by the path below the API."""
    repo = {"id": 77}
    pulls = [
        work(2, title="Shout", body=f"For #1, like {server.url}/team/app/issues/3.", merged_at=None,
             merge_commit_sha=None, draft=True,
             head={"ref": "feature", "sha": commits.head, "repo": repo}, base={"ref": "main", "sha": commits.base, "repo": repo},
             requested_reviewers=[BEN]),
        work(3, title="Merged", state="closed", closed_at=LATER, merged_at=LATER, merge_commit_sha=commits.merged,
             head={"ref": "gone", "sha": commits.merged, "repo": repo}, base={"ref": "main", "sha": commits.base, "repo": repo},
             requested_reviewers=[]),
    ]  # fmt: skip
    issues = [
        work(1, body="See #2, team/app#3, #4 and `#2`, @ben.", labels=[{"id": 1, "name": "bug", "color": "ff0000"}],
             assignees=[BEN], milestone={"id": 31, "title": "1.0"}),
        work(4, user=GHOST, state="closed", closed_at=LATER, comments=0),
        work(5, comments=0),
    ]  # fmt: skip
    repository = {
        "id": 77, "name": "app", "full_name": "team/app", "owner": TEAM, "description": "It", "private": True,
        "default_branch": "main", "has_issues": True, "has_wiki": True, "created_at": AT, "updated_at": LATER,
        "archived": False, "topics": ["tools", "git"],
    }  # fmt: skip
    return {
        PATH: repository,
        f"{PATH}/labels": [
            {"id": n, "name": name, "color": "ff0000", "description": None}
            for n, name in enumerate(("bug", "ui", "docs"), 1)
        ],
        f"{PATH}/milestones": [
            {"id": 31, "title": "1.0", "state": "open", "created_at": AT, "updated_at": LATER, "due_on": "2030-01-31T07:00:00Z"}
        ],
        f"{PATH}/issues": lambda query: [
            *([] if query.get("type") == "pulls" else issues),
            *(
                {**work(each["number"]), "pull_request": {"merged_at": None}}
                for each in ([] if query.get("type") == "issues" else pulls)
            ),
        ],
        f"{PATH}/pulls": pulls,
        "/orgs/team/repos": [repository],
        f"{PATH}/issues/1/comments": [comment(501, "As in #3"), comment(502, "Yes"), comment(503, "No")],
        f"{PATH}/issues/1/reactions": [{"user": BEN, "content": "+1", "created_at": AT}],
        f"{PATH}/issues/comments/501/reactions": [{"user": ANNA, "content": "rocket", "created_at": AT}],
        f"{PATH}/issues/2/comments": [comment(504, "Nice")],
        f"{PATH}/issues/3/comments": [],
        **{f"{PATH}/{rest}": [] for rest in (
            "issues/2/reactions", "issues/3/reactions", "issues/4/reactions", "issues/5/reactions",
            "issues/comments/502/reactions", "issues/comments/503/reactions", "issues/comments/504/reactions",
        )},
        f"{PATH}/hooks": [
            {"id": 21, "config": {"url": "https://example.com/hook", "content_type": "json"}, "created_at": AT, "active": True,
             "events": ["push", "pull_request"]},
            {"id": 22, "config": {"url": "https://example.com/off"}, "created_at": AT, "active": False, "events": ["push"]},
        ],
    }  # fmt: skip
