"""The pages in a real browser: on a phone, on a desk, in light and in dark mode, without JavaScript where they need none."""

import re
from urllib.parse import urlsplit

import pytest
import requests
from PIL import Image

from tests.accounts.sessions.test_profile_pages import public_key
from tests.harness.chromium import chromium, new_context, submit
from tests.harness.composed import PAGES
from tests.harness.running import running

PASSWORD = "a canary in the mine"
LONG = "a-name-without-any-blank-in-it-that-goes-on-and-on-and-on"
FIELD = "input:not([type=hidden])"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """An instance whose administrator has one of everything that the pages list."""
    with running(tmp_path_factory.mktemp("layout"), MUJINA_ROOT_PASSWORD=PASSWORD) as server:
        post(server, "/user/keys", title=LONG, key=public_key())
        post(server, "/user/emails", email=f"{LONG}@{LONG}.example.org")
        yield server


def post(server, path, **body):
    headers = {"Private-Token": server.token}
    answer = requests.post(f"{server.url}/api/v4{path}", body, headers=headers, timeout=60)
    assert answer.status_code == 201, answer.text


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def sign_in(page):
    page.get_by_label("Username or email").fill("root")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    submit(page, "Sign in")


@pytest.fixture(scope="module")
def session(browser, server):
    """The cookies of whoever signed in on the way to a page, and made a token, an application and a second factor."""
    page = new_context(browser, base_url=server.url).new_page()
    page.goto("/profile/personal_access_tokens")
    sign_in(page)
    assert urlsplit(page.url).path == "/profile/personal_access_tokens"
    make_everything(page)
    return page.context.storage_state()


@pytest.fixture
def opened(browser, server, session):
    """Opens a page of the person who signed in."""

    def opened(path, **options):
        page = new_context(browser, base_url=server.url, storage_state=session, **options).new_page()
        page.goto(path)
        return page

    return opened


def make_everything(page):
    page.get_by_label("Token name").fill(LONG)
    page.get_by_label("api do everything").check()
    submit(page, "Create token")
    page.goto("/profile/applications")
    page.get_by_role("textbox", name="Name", exact=True).fill(LONG)
    page.get_by_label("Redirect URIs").fill(f"https://{LONG}.example/{LONG}")
    page.get_by_label("api do everything").check()
    submit(page, "Register application")
    page.goto("/profile/two_factor_auth")
    submit(page, "Enable")


def is_too_wide(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


def cut_cells(page):
    """The texts of cells that reach beyond the screen."""
    return page.evaluate(
        "[...document.querySelectorAll('td')].filter(td => td.getBoundingClientRect().right > innerWidth"
        " || td.scrollWidth > td.clientWidth + 1).map(td => td.textContent)"
    )


def background(page, selector="body"):
    color = page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", color)[:3])


def test_every_page_fits_a_phone(opened):
    """Every template is shown on a desk, too, in `tests/web/test_browser.py`; here their tables are full."""
    page = opened("/profile", viewport=PHONE)
    questions = []
    for path in sorted({route.path for route in PAGES if route.verb == "GET" and route.path.startswith("/profile")}):
        page.goto(path)
        assert not is_too_wide(page), path
        assert cut_cells(page) == [], path
        links = page.locator("main a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
        questions += [link for link in links if "?id=" in link]
    assert len({link.partition("?")[0] for link in questions}) == 4
    for path in questions:
        page.goto(path)
        assert not is_too_wide(page), path


def test_the_key_of_the_second_factor_is_shown_as_a_code_that_is_dark_on_white_in_the_dark(opened, tmp_path):
    page = opened("/profile/two_factor_auth", viewport=PHONE, color_scheme="dark")
    page.locator(".qr-code").screenshot(path=tmp_path / "code.png")
    shown = Image.open(tmp_path / "code.png").convert("L")
    assert abs(shown.width - shown.height) <= 1
    assert shown.width >= 200
    light, dark = (sum(shown.histogram()[200:]), sum(shown.histogram()[:50]))
    assert 1.2 < light / dark < 4
    assert shown.getpixel((8, 8)) == 255


def test_revoking_asks_first_without_javascript(opened):
    page = opened("/profile/personal_access_tokens", viewport=PHONE, java_script_enabled=False)
    page.get_by_label("Token name").fill("short lived")
    page.get_by_label("read_user").check()
    submit(page, "Create token")
    page.locator("tr", has_text="short lived").get_by_role("link", name="Revoke").click()
    page.get_by_role("link", name="Cancel").click()
    page.locator("tr", has_text="short lived").get_by_role("link", name="Revoke").click()
    page.get_by_role("heading", name="Revoke the token “short lived”?").wait_for()
    submit(page, "Revoke token")
    assert "Revoked" in page.locator("tr", has_text="short lived").text_content()


def test_an_avatar_is_uploaded_and_shown(opened, tmp_path):
    Image.new("RGB", (32, 32), "red").save(tmp_path / "me.png")
    page = opened("/profile", viewport=DESK)
    page.get_by_label("Image").set_input_files(tmp_path / "me.png")
    submit(page, "Upload avatar")
    assert page.locator("main img.avatar").evaluate("image => image.complete && image.naturalWidth") == 32
    submit(page, "Remove avatar")
    assert page.locator("main img.avatar").count() == 0


def test_a_page_is_light_or_dark_as_the_browser_asks(browser, server):
    page = new_context(browser, base_url=server.url, viewport=PHONE).new_page()
    for path in ("/api/v4/docs", "/users/sign_in"):
        page.goto(path)
        for scheme, least, most in (("light", 700, 766), ("dark", 0, 150)):
            page.emulate_media(color_scheme=scheme)
            assert least <= background(page) < most, (path, scheme)
            assert least <= background(page, FIELD) < most, (path, scheme)


def test_the_documents_of_the_api_fit_a_phone(browser, server):
    page = new_context(browser, base_url=server.url, viewport=PHONE).new_page()
    page.goto("/api/v4/docs")
    page.wait_for_selector("details")
    described = page.request.get("/api/v4/openapi.json").json()["paths"]["/projects"]["get"]["summary"]
    assert f"GET/projects {described}" in page.locator("summary").all_text_contents()
    page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
    assert not is_too_wide(page)
    wide = page.locator("summary").evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length")
    assert wide == 0
