"""Takes a screenshot of every page of a new instance, with Chromium: `make screenshots`."""

import os
import tempfile
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

import requests
from playwright.sync_api import BrowserContext, Page, StorageState, ViewportSize

from docs import otter
from tests.harness.chromium import chromium
from tests.harness.running import RunningServer

FOLDER = Path(__file__).parent / "screenshots"
FONTS = Path(__file__).parent / "fonts.conf"
LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = ((1280, "light"), (390, "dark"))


def main() -> None:
    """Rewrite docs/screenshots/*.png."""
    os.environ |= {"MUJINA_ROOT_PASSWORD": otter.PASSWORD, "FONTCONFIG_FILE": str(FONTS)}
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
        sign_in(page, "root")
        page.goto("/profile/two_factor_auth")
        page.get_by_role("button", name="Enable").click()
        for name, path in otter.PAGES.items():
            page.goto(path)
            _take(page, name)
        page.goto(f"/oauth/authorize?{urlencode(_authorization_request(server))}")
        _take(page, "consent")
        otter.fill(server)
        session = _session_of_anna(browser.new_context(base_url=server.url))
        for width, scheme in LOOKS:
            viewport: ViewportSize = {"width": width, "height": 800}
            looks = browser.new_context(
                base_url=server.url, viewport=viewport, color_scheme=scheme, storage_state=session
            )
            page = looks.new_page()
            for name, path in otter.PROJECT_PAGES.items():
                response = page.goto(path)
                if response is None or (not response.ok and name != "not-found"):
                    raise SystemExit(f"{path} did not answer as it should")
                _take(page, f"{name}-{width}-{scheme}")


def sign_in(page: Page, username: str) -> None:
    """Sign in with the password of the pictures."""
    page.goto("/users/sign_in")
    page.get_by_label("Username or email").fill(username)
    page.get_by_label("Password", exact=True).fill(otter.PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def _session_of_anna(context: BrowserContext) -> StorageState:
    """An administrator gave her a password, which she has to change."""
    page = context.new_page()
    sign_in(page, "anna")
    page.get_by_label("Current password").fill(otter.PASSWORD)
    for field in ("New password", "Confirm new password"):
        page.get_by_label(field).first.fill(f"{otter.PASSWORD}, too")
    page.get_by_role("button", name="Change password").click()
    return context.storage_state()


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
