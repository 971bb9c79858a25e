"""`mujina move-in` from forges that count issues and pulls in one series: Gitea, Forgejo, GitHub."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest

from mujina.testing.client import Mujina
from tests.cli.command import mujina
from tests.harness.running import RunningServer
from tests.moving import forge_schemas, github_schemas
from tests.moving.forge_server import ForgeServer
from tests.moving.forge_world import (
    ANNA,
    AT,
    BEN,
    HUNK,
    LATER,
    PATH,
    UUID,
    Commits,
    comment,
    make_repositories,
    shared_answers,
    user,
)
from tests.moving.world import PROJECT, add_people, admin

TOKEN = "the-token"


def gitea(server: ForgeServer, commits: Commits, elsewhere: ForgeServer) -> None:
    """Answers below /api/v1, with the fields that only Gitea and Forgejo have."""
    answers = shared_answers(server, commits)
    answers[PATH] |= {"internal": False, "owner": user(5, "team")}
    answers["/orgs/team"] = {
        "id": 5,
        "name": "team",
        "full_name": "The Team",
        "description": "Us",
        "visibility": "private",
    }
    issue = answers[f"{PATH}/issues"]({"type": "issues"})[0]
    issue |= {
        "body": f"{issue['body']} ![shot](/attachments/{UUID})", "due_date": "2030-02-01T23:59:59Z", "is_locked": True,
        "assets": [{"id": 1, "name": "shot.png", "uuid": UUID, "browser_download_url": f"http://wrong.example/attachments/{UUID}"}],
    }  # fmt: skip
    for pull in answers[f"{PATH}/pulls"]:
        pull |= {"assignees": None, "merge_base": commits.base, "merged_by": BEN if pull["number"] == 3 else None}
        pull["requested_reviewers"] = pull["requested_reviewers"] or None
    review = {"id": 61, "user": BEN, "state": "REQUEST_CHANGES", "body": "Hm, #1", "commit_id": commits.old,
              "submitted_at": LATER, "comments_count": 2}  # fmt: skip
    line = {
        "path": "a.txt",
        "pull_request_review_id": 61,
        "position": 2,
        "original_position": 0,
        "diff_hunk": HUNK,
        "resolver": ANNA,
    }
    server.answers = {f"/api/v1{path}": answer for path, answer in {
        **answers,
        "/version": {"version": "1.22.0"},
        f"{PATH}/pulls/2/reviews": [
            review, {**review, "id": 62, "state": "APPROVED", "body": "", "comments_count": 0},
            {**review, "id": 63, "state": "REQUEST_REVIEW", "comments_count": 0},
        ],
        f"{PATH}/pulls/2/reviews/61/comments": [comment(601, "Why?", **line), comment(602, "Because #3", **line)],
        f"{PATH}/pulls/3/reviews": [],
        **{f"{PATH}/issues/comments/{number}/reactions": [] for number in (601, 602)},
        f"{PATH}/issues/1/dependencies": [{"id": 1004}],
        f"{PATH}/collaborators": [ANNA, BEN],
        f"{PATH}/collaborators/anna/permission": {"permission": "write"},
        f"{PATH}/collaborators/ben/permission": {"permission": "admin"},
        f"{PATH}/teams": [{"id": 71, "name": "Writers", "permission": "none", "units_map": {"repo.code": "admin"}}],
        "/teams/71/members": [ANNA],
        "/orgs/team/teams": [{"id": 72, "name": "Owners", "permission": "owner", "includes_all_repositories": True}],
        "/teams/72/members": [ANNA],
        "/orgs/team/labels": [{"id": 8, "name": "from above", "color": "#112233", "description": ""}],
        f"{PATH}/branch_protections": [
            {"rule_name": "main", "branch_name": "main", "enable_push": False},
            {"rule_name": "release/*", "enable_push": True, "enable_push_whitelist": True, "push_whitelist_usernames": ["anna"]},
        ],
        f"{PATH}/tag_protections": (
            {"name_pattern": "v*", "whitelist_usernames": ["anna"]}, {"name_pattern": "/^x/"},
            *({"name_pattern": f"old-{number}"} for number in range(50)),  # more than a page, of which Gitea has none here
        ),
        f"{PATH}/actions/secrets": [{"name": "DEPLOY_KEY", "created_at": AT}],
        f"{PATH}/releases": [
            {"id": 1, "tag_name": "v1.0", "name": "One", "body": "With #3", "draft": False, "created_at": AT, "published_at": LATER,
             "author": ANNA, "assets": [{"id": 2, "name": "app.tar.gz", "browser_download_url": f"{elsewhere.url}/app.tar.gz"}]},
            {"id": 2, "tag_name": "v2.0", "draft": True, "created_at": AT, "published_at": "0001-01-01T00:00:00Z"},
        ],
        "/users/search": lambda query: {"data": [{**ANNA, "email": "anna@example.com"}] if query["uid"] == "11" else [BEN]},
    }.items()}  # fmt: skip
    check_all(server, "/api/v1", forge_schemas.check)
    server.answers[f"/api/v1{PATH}/labels"] += [{"id": 9, "name": "bad", "color": "red"}, "text", None, {"id": -1}]
    server.files = {f"/attachments/{UUID}": b"a picture"}
    elsewhere.files = {"/app.tar.gz": b"an archive"}


ALWAYS = {
    "login": {"type": "User"}, "has_wiki": {"size": 12}, "due_on": {"description": None}, "assignees": {"locked": False},
    "content": {"id": 9}, "events": {"type": "Repository"},
}  # fmt: skip
"""What objects with this field always have at GitHub, beside what those of Gitea have."""


def as_github(answer: Any) -> Any:
    if callable(answer):
        return lambda query: as_github(answer(query))
    if isinstance(answer, list):
        return [as_github(each) for each in answer]
    if not isinstance(answer, dict):
        return answer
    always = {name: value for sign, fields in ALWAYS.items() if sign in answer for name, value in fields.items()}
    return always | {name: as_github(value) for name, value in answer.items()}


def github(server: ForgeServer, commits: Commits, elsewhere: ForgeServer) -> None:
    """Answers below /api/v3, as an Enterprise server gives them."""
    answers = shared_answers(server, commits)
    none = {"reactions": {"total_count": 0}}
    issue, *others = answers[f"{PATH}/issues"]({"type": "issues"})
    issue |= {"reactions": {"total_count": 1}}
    others[0]["user"] = None
    for each in others:
        each.update(none)
    pulls = answers[f"{PATH}/pulls"]
    for each in pulls:
        del each["comments"]  # which only an answer about one pull tells
    answers[f"{PATH}/issues/1/comments"][1] |= none
    answers[f"{PATH}/milestones"][0] |= {"number": 1}
    line = {"path": "a.txt", "original_commit_id": commits.old, "commit_id": commits.head, "diff_hunk": HUNK,
            "side": "RIGHT", "original_line": 2, "pull_request_review_id": 61}  # fmt: skip
    pending = {"id": 63, "user": BEN, "state": "PENDING", "body": "Hm, #1", "commit_id": commits.old}
    review = {**pending, "id": 61, "state": "CHANGES_REQUESTED", "submitted_at": LATER}
    keeper = {
        "pull": True,
        "triage": True,
        "push": True,
        "maintain": True,
        "admin": False,
    }  # a role of the organization
    server.answers = {f"/api/v3{path}": as_github(answer) for path, answer in {
        **answers,
        "/meta": {"verifiable_password_authentication": True},
        "/orgs/team": {"id": 5, "login": "team", "name": "The Team", "description": "Us", "default_repository_permission": "read"},
        "/user/11": {**ANNA, "name": "Anna", "email": "anna@example.com"},
        "/user/12": {**BEN, "name": None, "email": None},
        "/orgs/team/members": lambda query: [ANNA] if query["role"] == "admin" else [BEN],
        f"{PATH}/pulls/2/reviews": [review, {**review, "id": 62, "state": "APPROVED", "body": ""}, pending],
        f"{PATH}/pulls/2/comments": [
            comment(601, "Why?", **line, **none), comment(602, "Because #3", in_reply_to_id=601, **line, **none),
        ],
        f"{PATH}/pulls/3": {**pulls[1], "comments": 1, "merged_by": BEN},
        f"{PATH}/pulls/3/reviews": [],
        f"{PATH}/pulls/3/comments": [],
        f"{PATH}/collaborators": [{**ANNA, "role_name": "write"}, {**BEN, "role_name": "keeper", "permissions": keeper}],
        f"{PATH}/teams": [{"id": 71, "name": "Writers", "slug": "writers", "permission": "keeper", "permissions": keeper}],
        "/orgs/team/teams/writers/members": [ANNA],
        f"{PATH}/branches": [{"name": "main", "protected": True}],
        f"{PATH}/branches/main/protection": {
            "required_pull_request_reviews": {"required_approving_review_count": 1},
            "allow_force_pushes": {"enabled": False},
        },
        f"{PATH}/actions/variables": {"total_count": 0, "variables": []},
        f"{PATH}/actions/secrets": {"total_count": 1, "secrets": [{"name": "DEPLOY_KEY", "created_at": AT}]},
        f"{PATH}/releases": [
            {"id": 1, "tag_name": "v1.0", "name": "One", "body": "With GH-3", "draft": False, "created_at": AT,
             "published_at": LATER, "author": ANNA, "assets": [{"id": 2, "name": "app.tar.gz", "browser_download_url": "https://example.com/"}]},
        ],
    }.items()}  # fmt: skip
    check_all(server, "/api/v3", github_schemas.check)
    server.files = {f"/api/v3{PATH}/releases/assets/2": f"{elsewhere.url}/app.tar.gz"}
    elsewhere.files = {"/app.tar.gz": b"an archive"}
    server.limited = [{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1577872800"}, {"Retry-After": "0"}]


def check_all(server: ForgeServer, prefix: str, check: Callable[[str, Any], None]) -> None:
    """Every answer fits the published description of the API."""
    for path, answer in server.answers.items():
        for query in (
            {"type": "issues", "role": "admin", "uid": "11"},
            {"type": "pulls", "role": "member", "uid": "12"},
        ):
            given = answer(query) if callable(answer) else answer
            check(path.removeprefix(prefix), given)


KINDS: list[tuple[str, str, Callable[..., None]]] = [("gitea", "/forge", gitea), ("github", "", github)]


def test_the_schemas_are_those_that_github_publishes(*, thorough: bool):
    """They tell of every field that is read. The document comes from the network: only `make soak` compares it."""
    schemas = json.loads(github_schemas.FILE.read_text())
    for path, shape in github_schemas.READ.items():
        (record, *_) = get_args(shape) or (shape,)
        schema = schemas[path].get("items", schemas[path])
        for each in schema.get("anyOf", [schema]):
            assert set(each["properties"]) == set(record.__struct_fields__), path
    if thorough:
        assert github_schemas.published_schemas() == schemas


def move(server: ForgeServer, target: RunningServer, tmp_path: Path, *flags: str) -> dict[str, Any]:
    report = tmp_path / "report.json"
    result = mujina(
        "move-in", server.url, "--data", str(target.data), "--database-url", target.database_url, "--report", str(report),
        *flags, MUJINA_MOVE_IN_TOKEN=TOKEN, MUJINA_OUTBOUND_ALLOW="127.0.0.1",
    )  # fmt: skip
    assert result.code == 0, result.out + result.err
    return json.loads(report.read_text())


@pytest.mark.parametrize(
    ("engine", "kind", "prefix", "answers"),
    [(engine, *kind) for engine, kind in zip(("sqlite", "postgres"), KINDS, strict=True)],
    ids=[kind for kind, *_ in KINDS],
    indirect=["engine"],
)
def test_a_project_comes_with_everything(
    kind: str, prefix: str, answers: Callable[..., None], running_server: RunningServer, tmp_path: Path
):
    add_people(running_server, "anna")
    people = tmp_path / "people.json"
    people.write_text(json.dumps({"anna": "anna"}))
    commits = make_repositories(tmp_path / "repositories")
    with ForgeServer(prefix, repositories=tmp_path / "repositories") as server, ForgeServer() as elsewhere:
        answers(server, commits, elsewhere)
        source = server.url
        flags = ("--project", "team/app", "--people", str(people))
        report = move(server, running_server, tmp_path, *flags)
        again = move(server, running_server, tmp_path, *flags)
        assert all(TOKEN not in sent for _, sent in elsewhere.asked)
        check_dry_run(
            move(server, running_server, tmp_path, "--group", "team", "--dry-run", "--people", str(people)), people
        )
    assert report["complete"]
    reasons = [each["reason"] for each in report["problems"]]
    assert not any("repeat" in reason for reason in reasons), reasons
    assert sum(reason.startswith("Its answer does not fit") for reason in reasons) == (4 if kind == "gitea" else 0), (
        reasons
    )
    instance = admin(running_server)
    check_issues(instance, kind)
    check_requests(instance, commits)
    check_the_rest(instance, source)
    assert ({name: n for name, n in again["created"].items() if n}, again["updated"]) == ({}, {}), again


def check_dry_run(report: dict[str, Any], people: Path) -> None:
    """Everything of the organization is counted, and Anna is found by the address that she confirmed here."""
    found = report["found"]
    assert {noun: found[noun] for noun in ("groups", "projects", "issues", "merge_requests", "releases")} == {
        "groups": 1, "projects": 1, "issues": 3, "merge_requests": 2, "releases": found["releases"],
    }  # fmt: skip
    assert found["releases"] >= 1
    assert json.loads(people.read_text()) == {"anna": "anna", "ben": None}


def check_issues(instance: Mujina, kind: str) -> None:
    issues = {each["iid"]: each for each in instance.request("GET", f"{PROJECT}/issues?scope=all")}
    assert {iid: each["state"] for iid, each in issues.items()} == {1: "opened", 4: "closed", 5: "opened"}
    first = issues[1]
    assert first["description"].startswith("See !2, team/app!3, #4 and `#2`, @ben"), first["description"]
    assert (first["author"]["username"], first["labels"], first["milestone"]["title"]) == ("anna", ["bug"], "1.0")
    assert [each["username"] for each in first["assignees"]] == ["ben-imported"]
    assert (first["created_at"][:19], first["milestone"]["due_date"]) == (AT[:19], "2030-01-31")
    notes = instance.request("GET", f"{PROJECT}/issues/1/notes?sort=asc")
    assert [each["body"] for each in notes] == ["As in !3", "Yes", "No"]
    assert [each["name"] for each in instance.request("GET", f"{PROJECT}/issues/1/award_emoji")] == ["thumbsup"]
    awards = instance.request("GET", f"{PROJECT}/issues/1/notes/{notes[0]['id']}/award_emoji")
    assert [each["name"] for each in awards] == ["rocket"]
    if kind == "gitea":
        assert "/uploads/" in first["description"]
        assert "shot.png" in first["description"]
        assert (first["due_date"], first["discussion_locked"]) == ("2030-02-01", True)
        assert [each["iid"] for each in instance.request("GET", f"{PROJECT}/issues/1/links")] == [4]


def check_requests(instance: Mujina, commits: Commits) -> None:
    request = instance.request("GET", f"{PROJECT}/merge_requests/2")
    assert (request["state"], request["title"], request["source_branch"]) == ("opened", "Draft: Shout", "feature")
    assert request["description"].endswith("/team/app/merge_requests/3.")
    assert [each["username"] for each in request["reviewers"]] == ["ben-imported"]
    approved = instance.request("GET", f"{PROJECT}/merge_requests/2/approvals")["approved_by"]
    assert [each["user"]["username"] for each in approved] == ["ben-imported"]
    merged = instance.request("GET", f"{PROJECT}/merge_requests/3")
    assert (merged["state"], merged["merge_commit_sha"]) == ("merged", commits.merged)
    assert merged["merged_by"]["username"] == "ben-imported"
    versions = instance.request("GET", f"{PROJECT}/merge_requests/2/versions")
    assert [each["head_commit_sha"] for each in versions] == [commits.head, commits.old]
    assert {each["base_commit_sha"] for each in versions} == {commits.base}
    threads = [
        each
        for each in instance.request("GET", f"{PROJECT}/merge_requests/2/discussions")
        if not each["individual_note"]
    ]
    assert [[note["body"] for note in each["notes"]] for each in threads] == [["Why?", "Because !3"]]
    position = threads[0]["notes"][0]["position"]
    assert (position["head_sha"], position["base_sha"]) == (commits.old, commits.base)
    assert (position["new_path"], position["old_line"], position["new_line"]) == ("a.txt", None, 2)
    said = [each["body"] for each in instance.request("GET", f"{PROJECT}/merge_requests/2/notes?sort=asc")]
    assert {"Nice", "Hm, #1", "approved this merge request"} <= set(said)


def check_the_rest(instance: Mujina, source: str) -> None:
    project = instance.request("GET", PROJECT)
    assert (project["visibility"], project["tag_list"], project["description"]) == ("private", ["git", "tools"], "It")
    assert {each["name"] for each in instance.request("GET", f"{PROJECT}/repository/branches")} == {"main", "feature"}
    assert [each["slug"] for each in instance.request("GET", f"{PROJECT}/wikis")] == ["Home"]
    assert {"bug", "ui", "docs"} <= {each["name"] for each in instance.request("GET", f"{PROJECT}/labels")}
    release = instance.request("GET", f"{PROJECT}/releases")
    assert [(each["tag_name"], each["description"]) for each in release] == [("v1.0", "With !3")]
    link = release[0]["assets"]["links"][0]
    assert (link["name"], link["url"].startswith(source)) == ("app.tar.gz", False)
    assert urlsplit(link["url"]).path.startswith("/team/app/uploads/")
    members = instance.request("GET", f"{PROJECT}/members")
    assert [(each["username"], each["access_level"]) for each in members] == [("anna", 40)]
    hook = instance.request("GET", f"{PROJECT}/hooks")
    assert [(each["url"], each["merge_requests_events"], each["note_events"]) for each in hook] == [
        ("https://example.com/hook", True, False)
    ]
    assert [each["key"] for each in instance.request("GET", f"{PROJECT}/variables")] == ["DEPLOY_KEY"]
    branch = instance.request("GET", f"{PROJECT}/protected_branches/main")
    assert [each["access_level"] for each in branch["push_access_levels"]] == [0]
    assert [each["access_level"] for each in branch["merge_access_levels"]] == [30]
