"""A visitor signs up in a real browser, with scripts and without, and waits for an administrator."""

import pytest
import requests
from playwright.sync_api import expect

from tests.harness.chromium import chromium, new_context, submit
from tests.harness.running import RunningServer

PASSWORD = "a canary that signs up"


def fill_in(page, name):
    """Follow the link of the sign-in page and fill in the form."""
    page.goto("/users/sign_in")
    page.get_by_role("link", name="Register").click()
    expect(page.locator("h1")).to_have_text("Register")
    page.get_by_label("Name", exact=True).fill("Newt")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Email").fill(f"{name}@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    submit(page, "Register")


def sign_in(page, login, password):
    page.goto("/users/sign_in")
    page.get_by_label("Username or email").fill(login)
    page.get_by_label("Password", exact=True).fill(password)
    submit(page, "Sign in")


def travel(page, administrator, name):
    """A reserved name is refused beside its label, the account waits, an administrator approves it, the visitor signs in."""
    fill_in(page, "admin")
    expect(page.locator("#problems li")).to_have_text("Username: “admin” is a reserved name. Choose another.")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Newt")
    fill_in(page, name)
    expect(page.locator("main")).to_contain_text("approv")
    sign_in(page, name, PASSWORD)
    expect(page.locator("#problems")).to_contain_text("waiting for approval")
    administrator.goto(f"/admin/users/{name}")
    submit(administrator, "Approve")
    sign_in(page, name, PASSWORD)
    expect(page.get_by_text("Account of Newt")).to_be_attached()


@pytest.mark.long(10)
def test_a_visitor_signs_up_and_signs_in_after_the_approval(tmp_path, monkeypatch):
    monkeypatch.setenv("MUJINA_ROOT_PASSWORD", PASSWORD)
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path / 'mujina.db'}")
    server.start()
    try:
        settings, token = f"{server.url}/api/v4/application/settings", {"Private-Token": server.token}
        assert requests.put(settings, json={"signup_enabled": True}, headers=token, timeout=60).status_code == 200
        with chromium() as browser, new_context(browser, base_url=server.url) as office:
            administrator = office.new_page()
            sign_in(administrator, "root", PASSWORD)
            for scripts in (True, False):
                with new_context(browser, base_url=server.url, java_script_enabled=scripts) as context:
                    travel(context.new_page(), administrator, f"newt-{'with' if scripts else 'without'}-scripts")
    finally:
        server.kill()
