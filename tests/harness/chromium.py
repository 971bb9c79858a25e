"""The system's Chromium, driven by playwright.

Chromium's headless shell is the same browser without the windows that nobody sees: a page takes half the processor time in it.
"""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

PROGRAMS = ("chromium-headless-shell", "chromium")
"""The first of them that is installed runs."""
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--js-flags=--no-opt --no-maglev",
]  # fmt: skip
"""Scripts run without the optimizing compilers, which cost more than they gain in the second that a page lives."""
PATIENCE = 120_000
"""Milliseconds after which a test gives up: a guard against hanging, not a measurement."""


@contextmanager
def chromium() -> Generator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS, timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """A window of its own, with no cookies but those in `options`."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    return context


def submit(page: Page, button: str, *, exact: bool = False) -> None:
    """Click the button, and wait for the page that its form leads to."""
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=exact).click()
