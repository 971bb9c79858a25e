"""Takes a screenshot of every page of a new instance, with Chromium: `make screenshots`."""

import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

import requests
from playwright.sync_api import Page

from tests.harness.chromium import chromium
from tests.harness.running import RunningServer

FOLDER = Path(__file__).parent / "screenshots"
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


FILES = {
    "README.md": "# Otter\n\nOtter talks to any server that speaks API v4.\n\n```sh\npip install otter\n```\n\n- [x] Issues\n- [ ] Boards\n",
    "otter/retry.py": "def attempts(method: str) -> int:\n    # A POST is sent once.\n    return 3 if method in IDEMPOTENT else 1\n",
}
PROJECT_PAGES = {
    "dashboard": "/",
    "project": "/tools/otter",
    "group": "/tools",
    "user": "/root",
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
"""Pages of a project with something in it; each is taken on a desk in light and on a phone in dark."""

LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = ((1280, "light"), (390, "dark"))


def main() -> None:
    """Rewrite docs/screenshots/*.png."""
    os.environ |= {"MUJINA_ROOT_PASSWORD": PASSWORD}
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        server = RunningServer(data, f"sqlite:///{folder}/mujina.db")
        server.start()
        try:
            _visit_pages(server)
        finally:
            server.kill()


def _visit_pages(server: RunningServer) -> None:
    with chromium() as browser:
        context = browser.new_context(base_url=server.url, viewport={"width": 1000, "height": 720})
        page = context.new_page()
        for name, path in {"sign-in": "/users/sign_in", "forgotten-password": "/users/password/new"}.items():
            page.goto(path)
            _take(page, name)
        page.goto("/users/sign_in")
        page.get_by_label("Username or email").fill("root")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.goto("/profile/two_factor_auth")
        page.get_by_role("button", name="Enable").click()
        for name, path in PAGES.items():
            page.goto(path)
            _take(page, name)
        page.goto(f"/oauth/authorize?{urlencode(_authorization_request(server))}")
        _take(page, "consent")
        _create_project(server)
        state = context.storage_state()
        for width, scheme in LOOKS:
            looks = browser.new_context(
                base_url=server.url,
                viewport={"width": width, "height": 800},
                color_scheme=scheme,
                storage_state=state,
            )
            page = looks.new_page()
            for name, path in PROJECT_PAGES.items():
                response = page.goto(path)
                if response is None or (not response.ok and name != "not-found"):
                    raise SystemExit(f"{path} did not answer as it should")
                _take(page, f"{name}-{width}-{scheme}")


def _create_project(server: RunningServer) -> None:
    """A group with a project that has something on each of its pages."""

    def post(path: str, /, **body: Any) -> Any:
        headers = {"Private-Token": server.token}
        return requests.post(f"{server.url}/api/v4{path}", json=body, headers=headers, timeout=60).json()

    group = post("/groups", name="Tools", path="tools", visibility="public", description="Small programs")
    about = {"visibility": "public", "description": "A small command-line client for project hosts"}
    project = post("/projects", name="Otter", namespace_id=group["id"], tag_list=["cli", "python"], **about)
    here = f"/projects/{project['id']}"
    actions = [{"action": "create", "file_path": path, "content": text} for path, text in FILES.items()]
    post(f"{here}/repository/commits", branch="master", commit_message="Retry idempotent requests", actions=actions)
    post(f"{here}/labels", name="bug", color="#a3312b", description="Something does not work")
    label = post(f"{here}/labels", name="ui", color="#6a4590", description="What users see")
    today = datetime.now(UTC).date()
    days = {"start_date": str(today - timedelta(days=9)), "due_date": str(today + timedelta(days=12))}
    milestone = post(f"{here}/milestones", title="1.5", description="Fewer surprises.", **days)
    planned = {"description": "When the server restarts, `otter` waits.", "milestone_id": milestone["id"]}
    post(f"{here}/issues", title="Login hangs when the server answers 503", labels="bug", assignee_ids=[1], **planned)
    issue = post(f"{here}/issues", title="Show boards in the terminal", labels="ui", assignee_ids=[1], **planned)
    for iid in (1, 2):
        post(f"{here}/issues/{iid}/notes", body="Found it: the session waits without a limit.")
    board = post(f"{here}/boards", name="Development")
    post(f"{here}/boards/{board['id']}/lists", label_id=label["id"])
    post(f"{here}/wikis", title="home", content="# Otter\n\nHow to [contribute](contributing).")
    post(f"{here}/wikis", title="contributing", content="Send a merge request.")
    epic_days = {"start_date": days["start_date"], "end_date": days["due_date"]}
    epic = post(f"/groups/{group['id']}/-/epics", title="A client for every terminal", **epic_days)
    post(f"/groups/{group['id']}/-/epics/{epic['iid']}/issues/{issue['id']}")
    better = FILES["otter/retry.py"].replace("3 if", "self.attempts if")
    change = {"action": "update", "file_path": "otter/retry.py", "content": better}
    message = {"branch": "retry-requests", "start_branch": "master", "commit_message": "Let callers choose"}
    post(f"{here}/repository/commits", actions=[change], **message)
    asked = {"source_branch": "retry-requests", "target_branch": "master", "description": "Closes #1"}
    request = post(f"{here}/merge_requests", title="Retry idempotent requests", **asked)
    place = {"position_type": "text", "new_path": "otter/retry.py", "new_line": 3, **request["diff_refs"]}
    post(f"{here}/merge_requests/1/discussions", body="Should `PATCH` count as idempotent?", position=place)


def _authorization_request(server: RunningServer) -> dict[str, str]:
    callback = "https://robot.example/back"
    body = {"name": "A friendly robot", "redirect_uri": callback, "scopes": "read_user"}
    application = requests.post(
        f"{server.url}/api/v4/applications", body, headers={"Private-Token": server.token}, timeout=60
    ).json()
    return {"client_id": application["application_id"], "redirect_uri": callback, "response_type": "code"}


def _take(page: Page, name: str) -> None:
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path, full_page=True)
    print(path)


if __name__ == "__main__":
    main()
