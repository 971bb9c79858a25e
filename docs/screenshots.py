"""Takes a screenshot of every page of a new instance, with Chromium: `make screenshots`."""

import os
import tempfile
from pathlib import Path
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
