"""What the frozen data folder of a release contains: something of every kind, made by the API and by git."""

import json
from pathlib import Path
from typing import Any

from tests.migrations.releases.person import Person

PASSWORD = "correct horse battery"
ROOT_TOKEN = "root-token-of-tests"
ANN_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFJfUhN4RUynl3r7fY9SUaZ0hzQ0U9NHvfwbd7gZ0tAr ann@example.com"
CI_FILE = """\
build: {script: make, artifacts: {paths: [out]}}
test: {stage: test, script: check}
"""
PROJECT = "/projects/club%2Frooms"
RECORDED = [
    "/application/settings", "/users", "/users/2", "/users/2/keys", "/users/2/impersonation_tokens", "/groups",
    "/groups/club", "/groups/club/subgroups", "/groups/club/members", "/groups/club/epics", "/groups/club/labels",
    "/groups/club/variables", "/projects?order_by=id", *(
        PROJECT + path for path in (
            "", "/members", "/issues", "/issues/1", "/issues/1/notes", "/issues/1/links", "/issues/1/award_emoji",
            "/issues_statistics",
            "/labels", "/milestones", "/boards", "/merge_requests", "/merge_requests/1", "/merge_requests/1/discussions",
            "/merge_requests/1/changes", "/merge_requests/2", "/pipelines", "/jobs", "/hooks", "/protected_branches",
            "/repository/branches", "/repository/tags", "/repository/commits?ref_name=main", "/repository/tree",
            "/repository/files/README.md?ref=main", "/variables", "/triggers", "/pipeline_schedules", "/environments",
            "/wikis?with_content=1", "/snippets", "/deploy_keys", "/push_rule", "/forks", "/events",
        )
    ), "/todos", "/snippets", "/hooks", "/broadcast_messages", "/audit_events", "/runners/all",
]  # fmt: skip
"""The answers that are recorded: a later version gives them again."""


def fill(url: str, folder: Path) -> dict[str, Any]:
    """Fill the empty instance at `url`; what its users have to know, by name, and the recorded answers."""
    root = Person(url, "root", ROOT_TOKEN)
    known = _people(root)
    ann = Person(url, "ann", known["token"])
    _planning(root, ann)
    known |= _code(ann, folder) | _review(ann)
    known |= _ci(ann)
    _rest(root, ann)
    return known


def record(url: str) -> dict[str, Any]:
    """The recorded answers."""
    root = Person(url, "root", ROOT_TOKEN)
    return {path: root.record(path) for path in RECORDED}


def _people(root: Person) -> dict[str, str]:
    for name in ("ann", "bob"):
        root.post(
            "/users", username=name, name=name.title(), email=f"{name}@example.com", password=PASSWORD,
            skip_confirmation=True, bio=f"I am {name} — ñ, 日本", location="Lisbon",
        )  # fmt: skip
    root.post("/users/2/keys", title="laptop", key=ANN_KEY)
    token = root.post("/users/2/impersonation_tokens", name="robot", scopes=["api"])["token"]
    group = root.post("/groups", name="Club", path="club", visibility="public", description="People who meet")["id"]
    root.post("/groups", name="Kitchen", path="kitchen", parent_id=group)
    root.post("/groups/club/members", user_id=2, access_level=50)
    root.post("/groups/club/members", user_id=3, access_level=30, expires_at="2999-01-01")
    return {"token": token}


def _planning(root: Person, ann: Person) -> None:
    group = ann.get("/groups/club")["id"]
    ann.post("/projects", name="Rooms", path="rooms", namespace_id=group, visibility="public", lfs_enabled=True)
    ann.post("/groups/club/labels", name="shared", color="#00ff00")
    ann.post(f"{PROJECT}/labels", name="bug", color="#ff0000", description="Something is broken", priority=3)
    milestone = ann.post(f"{PROJECT}/milestones", title="First", due_date="2999-12-31")["id"]
    for title in ("The door is stuck", "The lamp is dark", "A secret"):
        ann.post(
            f"{PROJECT}/issues", title=title, description=f"{title}: see #1, @bob, ~bug — ü\n\n- [ ] look at it",
            labels="bug,shared",
            assignee_ids=[3], milestone_id=milestone, confidential=title == "A secret", due_date="2999-12-24", weight=3,
        )  # fmt: skip
    ann.post(f"{PROJECT}/issues/1/notes", body="I looked: **rust** 🦀\n\n/estimate 3h\n/spend 1h")
    ann.post(f"{PROJECT}/issues/1/discussions", body="Oil?")
    root.post(f"{PROJECT}/issues/1/award_emoji", name="thumbsup")
    ann.post(f"{PROJECT}/issues/1/links", target_project_id=ann.get(PROJECT)["id"], target_issue_iid=2)
    ann.put(f"{PROJECT}/issues/2", state_event="close")
    ann.post(f"{PROJECT}/boards", name="Work")
    ann.post("/groups/club/epics", title="Repairs", labels="shared")
    root.post(f"{PROJECT}/issues/1/todo")


def _code(ann: Person, folder: Path) -> dict[str, str]:
    clone = ann.clone("club/rooms", folder / "rooms")
    clone.git("checkout", "-q", "-b", "main")
    clone.git("lfs", "track", "*.bin")
    (clone.folder / "large.bin").write_bytes(b"large " * 1000)
    (clone.folder / ".gitlab-ci.yml").write_text(CI_FILE)
    clone.commit("Open the house", README_md="# Rooms\n\nThe first room. See #1.\n", lamp_py="print('on')\n")
    clone.git("tag", "-a", "v1.0", "-m", "The first version")
    clone.git("push", "-q", "origin", "main", "v1.0")
    for name in ("oil", "paint"):
        clone.git("checkout", "-q", "-b", name, "main")
        clone.commit(f"Add {name}\n\nCloses #1", **{f"{name}_txt": f"{name}\n"})
        clone.git("push", "-q", "origin", name)
    ann.post(f"{PROJECT}/protected_branches", name="stable/*", push_access_level=40)
    ann.post(f"{PROJECT}/push_rule", commit_message_regex="", deny_delete_tag=True)
    ann.post(f"{PROJECT}/wikis", title="Home", content="Welcome to [[rules]]")
    ann.post(f"{PROJECT}/snippets", title="Hint", file_name="hint.py", content="1 + 1", visibility="public")
    ann.post(f"{PROJECT}/deploy_keys", title="robot", key=ANN_KEY.replace("FJfU", "FJfV"), can_push=True)
    ann.post(f"{PROJECT}/repository/tags/v1.0/release", description="All rooms")
    upload = ann.upload(f"{PROJECT}/uploads", "plan.txt", b"The plan of the house")
    ann.post(f"{PROJECT}/issues/1/notes", body=upload["markdown"])
    return {"upload": upload["url"]}


def _review(ann: Person) -> dict[str, str]:
    for name in ("oil", "paint"):
        ann.post(
            f"{PROJECT}/merge_requests", title=f"Use {name}", source_branch=name, target_branch="main", assignee_ids=[3]
        )
    ann.post(f"{PROJECT}/merge_requests/1/discussions", body="Which oil?")
    ann.post(f"{PROJECT}/merge_requests/1/notes", body="/approve")
    return {}


def _ci(ann: Person) -> dict[str, Any]:
    ann.post(f"{PROJECT}/variables", key="DOOR_CODE", value="four-digits-1234", masked=True, protected=False)
    ann.post("/groups/club/variables", key="CLUB", value="house")
    trigger = ann.post(f"{PROJECT}/triggers", description="from afar")["token"]
    ann.post(f"{PROJECT}/pipeline_schedules", description="nightly", ref="main", cron="0 1 * * *", active=False)
    ann.post(f"{PROJECT}/environments", name="production", external_url="https://rooms.example.com")
    project = ann.get(PROJECT)["id"]
    runner = ann.post("/user/runners", runner_type="project_type", project_id=project, description="worker")["token"]
    job = ann.post("/jobs/request", token=runner)
    token = {"JOB_TOKEN": job["token"]}
    at = f"/api/v4/jobs/{job['id']}"
    ann.ask("PATCH", f"{at}/trace", b"make\nmade all rooms\n", Content_Range="0-19", **token)
    ann.ask("PUT", at, {"token": job["token"], "state": "success"})
    for pipeline in ann.get(f"{PROJECT}/pipelines"):  # what waits too long is canceled one day
        ann.post(f"{PROJECT}/pipelines/{pipeline['id']}/cancel")
    return {"runner": runner, "trigger": trigger, "job": job["id"]}


def _rest(root: Person, ann: Person) -> None:
    ann.post(f"{PROJECT}/hooks", url="https://receiver.invalid/hook", token="secret-of-the-hook", issues_events=True)
    root.post("/hooks", url="https://receiver.invalid/system", token="secret-of-the-system")
    root.post(
        "/broadcast_messages", message="Welcome", starts_at="2026-01-01T00:00:00Z", ends_at="2026-01-02T00:00:00Z"
    )
    root.post("/applications", name="app", redirect_uri="https://app.example.com/back", scopes="api")
    bob = root.post("/users/3/impersonation_tokens", name="robot", scopes=["api"])["token"]
    Person(ann.url, "bob", bob).post(f"{PROJECT}/fork")
    root.post("/snippets", title="Mine", file_name="mine.md", content="# Mine", visibility="private")


def write(folder: Path, known: dict[str, Any], answers: dict[str, Any]) -> None:
    """Keep what tests of later versions compare with."""
    (folder / "known.json").write_text(json.dumps({"known": known, "answers": answers}, sort_keys=True))
