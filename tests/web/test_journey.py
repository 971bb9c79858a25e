"""The way of a change through a real browser, with scripts and without: nothing but pages and git is used."""

import os
import re
import subprocess

import pytest

from tests.harness.chromium import chromium, new_context, submit
from tests.harness.running import RunningServer

PASSWORD = "a canary on the way"


def git(folder, *arguments):
    """What git prints."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Anna"), ("EMAIL", "anna@mail.example"))
    }
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True,
        env={**os.environ, **identity, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": "/dev/null"},
    )  # fmt: skip
    return done.stderr


def push_change(server, folder, name):
    """Push a branch with a change; the address that the server prints for it."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "master")
    address = f"{server.url}/root/{name}.git".replace("://", f"://root:{server.token}@")
    for branch, text in (("master", "one\ntwo\nthree\n"), ("topic", "one\n2\nthree\n")):
        git(folder, "checkout", "-q", "-B", branch)
        (folder / "lines.txt").write_text(text)
        git(folder, "add", "lines.txt")
        git(folder, "commit", "-q", "-m", f"Write the lines of {branch}")
        printed = git(folder, "push", "-q", address, branch)
    return re.search(r"http\S+/merge_requests/new\S+", printed)[0]


def travel(server, page, folder, name):
    """Sign in, write an issue, push, propose, discuss a line, resolve, merge: the issue is closed."""
    page.goto("/users/sign_in")
    page.get_by_label("Username or email").fill("root")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    submit(page, "Sign in")
    asked = push_change(server, folder, name)
    page.goto(f"/root/{name}/issues/new")
    page.get_by_label("Title").fill("Numbers are words")
    submit(page, "Submit issue")
    page.goto(asked)
    assert page.get_by_label("Title").input_value() == "Write the lines of topic"
    page.get_by_label("Description").fill("Closes #1")
    submit(page, "Create merge request")
    page.get_by_role("link", name="Changes").click()
    page.locator("tr.add td.n a").click()
    page.get_by_label("Comment on line 2").fill("Why a digit?")
    page.get_by_role("button", name="Start thread").click()
    page.locator(".comments .note", has_text="Why a digit?").wait_for()
    page.get_by_role("button", name="Resolve thread").click()
    page.locator(".comments", has_text="Resolved by").wait_for()
    page.get_by_role("link", name="Overview").last.click()
    page.get_by_role("button", name="Merge", exact=True).click()
    page.locator("#merge", has_text="Merged by").wait_for()
    page.goto(f"/root/{name}/issues/1")
    assert "Closed" in page.locator("main .state").inner_text()


@pytest.mark.long(10)
def test_a_change_goes_from_a_push_to_a_closed_issue(tmp_path, monkeypatch):
    monkeypatch.setenv("MUJINA_ROOT_PASSWORD", PASSWORD)
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path / 'mujina.db'}")
    server.start()
    try:
        with chromium() as browser:
            for scripts in (True, False):
                name = f"with-{'' if scripts else 'out-'}scripts"
                with new_context(browser, base_url=server.url, java_script_enabled=scripts) as context:
                    travel(server, context.new_page(), tmp_path / name, name)
    finally:
        server.kill()
