"""How pages look in a real browser: nothing covers anything else, what belongs together stands on one line, words fit the state."""

from itertools import pairwise

import pytest
import requests

from tests.harness.chromium import chromium, new_context, submit
from tests.harness.running import running

PASSWORD = "a password of tests"
LONG_LABEL = "a-label-whose-name-is-much-longer-than-a-column-of-the-board"
LONG_TITLE = (
    "Explain the whole change in the first line of the message, which no list of files has room for, however wide"
)
LONG_WORD = "w" * 100
WIDE_TABLE = "\n".join(["| a column " * 20 + "|", "|---" * 20 + "|", "| word " * 20 + "|"])
BOX = """(node) => {
    const { left, right, top, bottom, height } = node.getBoundingClientRect();
    return { left, right, top, bottom, height };
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("looks"), MUJINA_ROOT_PASSWORD=PASSWORD) as server:
        yield server


class Api:
    def __init__(self, server):
        self.server = server

    def send(self, path, /, verb="POST", **body):
        headers = {"Private-Token": self.server.token}
        answer = requests.request(verb, f"{self.server.url}/api/v4{path}", json=body, headers=headers, timeout=60)
        assert answer.ok, answer.text
        return answer.json()

    def commit(self, here, path, content, message="Change it", branch="master", action="create", **more):
        actions = [{"action": action, "file_path": path, "content": content}]
        self.send(f"{here}/repository/commits", branch=branch, commit_message=message, actions=actions, **more)


@pytest.fixture(scope="module")
def home(server):
    """A project with a merged and a conflicting merge request, a board with a long label, and code in its README."""
    api = Api(server)
    group = api.send("/groups", name="Tools", path="tools")
    api.send(f"/groups/{group['id']}/-/epics", title="An epic")
    here = f"/projects/{api.send('/projects', name='Otter', namespace_id=group['id'])['id']}"
    api.commit(here, "README.md", f"Run\n\n```\nshort\n{'wide ' * 60}\n```\n", LONG_TITLE)
    for branch in ("merged", "conflicting"):
        api.commit(here, "branch.txt", branch, branch=branch, start_branch="master")
        api.send(f"{here}/merge_requests", source_branch=branch, target_branch="master", title=f"WIP: {branch}")
        api.send(f"{here}/merge_requests/{1 if branch == 'merged' else 2}", "PUT", title=branch)
    api.send(f"{here}/merge_requests/1/merge", "PUT")
    label = api.send(f"{here}/labels", name=LONG_LABEL, color="#aa0000")
    board = api.send(f"{here}/boards", name="Development")
    api.send(f"{here}/boards/{board['id']}/lists", label_id=label["id"])
    for name in ("one", "two", "three"):
        other = api.send(f"{here}/labels", name=name, color="#aa0000")
        api.send(f"{here}/boards/{board['id']}/lists", label_id=other["id"])
    api.send(f"{here}/issues", title="Labeled", labels=LONG_LABEL, description=WIDE_TABLE)
    api.send(f"{here}/issues", title="In the last columns", labels="one,two,three")
    api.send("/projects", name=LONG_WORD, path="empty", namespace_id=group["id"])
    api.send(f"{here}/repository/branches", branch=f"feature/{LONG_WORD}", ref="master")
    return "/tools/otter"


@pytest.mark.long(10)
def test_pages_look_right(server, home):
    with chromium() as browser, new_context(browser, base_url=server.url) as context:
        page = context.new_page()
        page.goto("/users/sign_in")
        page.get_by_label("Username or email").fill("root")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        submit(page, "Sign in")
        page.set_viewport_size({"width": 1280, "height": 900})
        for part in (project, merge_requests, board, lists, charts):
            part(page, home)
        page.set_viewport_size({"width": 390, "height": 800})
        phone(page, home)


def fits(page):
    """Whether the page is no wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def is_cut(page, css):
    """Whether the text ends in dots: its box is narrower, and one that an ellipsis works in."""
    return page.locator(css).first.evaluate(
        "(node) => node.scrollWidth > node.clientWidth && getComputedStyle(node).display.includes('block')"
    )


def box(page, css):
    return page.locator(css).first.evaluate(BOX)


def on_one_line(page, *places):
    """Whether the elements overlap from top to bottom, and not from left to right."""
    boxes = [box(page, css) for css in places]
    beside = all(left["right"] <= right["left"] for left, right in pairwise(boxes))
    return beside and max(each["top"] for each in boxes) < min(each["bottom"] for each in boxes)


def project(page, home):
    page.goto(home)
    page.locator(".text pre .copy").wait_for()
    assert on_one_line(page, ".text pre code", ".text pre .copy")
    page.locator(".text pre code").evaluate("(code) => code.scrollLeft = 9999")
    assert on_one_line(page, ".text pre code", ".text pre .copy")
    heights = page.locator(".files tbody tr").evaluate_all("(rows) => rows.map((row) => row.clientHeight)")
    assert max(heights) - min(heights) <= 1, "a commit message takes two lines"
    page.locator("summary", has_text="Clone").click()
    assert page.locator(".copyable span").first.inner_text() == "HTTP"
    field = page.locator("#clone-http")
    assert field.evaluate("(field) => field.scrollWidth <= field.clientWidth"), "the address is cut"
    assert on_one_line(page, "#clone-http", ".copyable .copy")
    page.goto(f"{home}/tree/feature/{LONG_WORD}")
    assert page.locator(".menu summary span", has_text="feature/www").inner_text() == f"feature/{LONG_WORD}"
    assert is_cut(page, ".menu summary span:text('feature/')")
    page.goto("/tools/empty/pipelines")
    assert page.locator(".empty pre").evaluate("(code) => getComputedStyle(code).textAlign") == "left", (
        "YAML is indented"
    )
    page.goto("/tools/empty/milestones/1")
    assert fits(page), "the name of the project is one word"


def merge_requests(page, home):
    page.goto(f"{home}/merge_requests/1")
    heading, notes = page.locator(".page-head").inner_text(), page.locator("#discussion").inner_text()
    assert ("asked to merge" in heading, "wants to merge" in heading) == (True, False)
    assert ("unmarked as a draft" in notes, "Work In Progress" in notes) == (True, False)
    page.goto(f"{home}/merge_requests/2")
    assert "wants to merge" in page.locator(".page-head").inner_text()
    assert box(page, "#merge > :last-child")["bottom"] + 20 > box(page, "#merge")["bottom"]
    assert on_one_line(
        page, "#comment .attach", "#comment .submit button >> nth=0", "#comment .submit button >> nth=-1"
    )
    page.locator("#merge a", has_text="How to resolve").wait_for()


def board(page, home):
    page.goto(f"{home}/boards/1")
    lane = page.locator(".lane", has=page.locator("h2", has_text=LONG_LABEL))
    title, number, label = lane.locator("h2"), lane.locator("h2 .count"), lane.locator("h2 .label")
    assert title.evaluate("(title) => title.scrollWidth <= title.clientWidth")
    assert number.evaluate(BOX)["top"] < label.evaluate(BOX)["bottom"], "the number stands on a line of its own"
    assert "flex" not in label.evaluate("(label) => getComputedStyle(label).display"), "flex boxes have no ellipsis"
    assert label.get_attribute("title") == LONG_LABEL
    assert fits(page), "what only screen readers read widens the page"
    page.goto(f"{home}/issues/1")
    cells = page.locator(".md-table tbody td").evaluate_all("(cells) => cells.map((cell) => cell.clientHeight)")
    assert max(cells) < 50, "a word takes a line for each letter"


def lists(page, home):
    page.goto("/groups/tools/-/epics")
    assert on_one_line(page, ".search-line .with-icon", "#epic-order", "#epic-labels", ".search-line button")
    page.goto("/admin/audit_events")
    for cell in ("td time", "td[data-label=Address]"):
        assert page.locator(cell).first.evaluate("(cell) => getComputedStyle(cell).whiteSpace") == "nowrap", cell


def charts(page, home):
    page.goto(f"{home}/graphs/master")
    shares = page.locator("td[data-label=Share]")
    assert shares.first.inner_text() == "100.0%"
    page.goto("/admin")
    assert "No deliveries in the last 24 hours." in page.locator("main").inner_text()


def phone(page, home):
    page.goto("/root")
    calendar = page.locator(".scroll:has(.calendar)").evaluate(
        """(box) => [
            box.scrollWidth > box.clientWidth,
            box.getBoundingClientRect().right - box.firstChild.getBoundingClientRect().right,
        ]"""
    )
    assert calendar[0]
    assert calendar[1] >= 0, "the calendar does not show the newest month"
    for menu, place in (("Clone", home), ("master", home), ("Filters", f"{home}/issues")):
        page.goto(place)
        page.locator("summary", has_text=menu).click()
        body = box(page, ".menu[open] > .menu-body")
        assert (body["left"], body["right"]) == (0, 390), f"the menu {menu} is as wide as the window"
    page.goto(f"{home}/issues/new")
    tick, words = box(page, ".choice > [type=checkbox]"), box(page, ".choice > label")
    assert abs(tick["top"] + tick["bottom"] - words["top"] - words["bottom"]) < 6, "the words stand below the box"
    assert box(page, ".choice > .help")["left"] == pytest.approx(words["left"], abs=2)
    page.goto(f"{home}/hooks")
    assert box(page, ".tabs [aria-current]")["right"] <= 390, "the tab of this page is out of sight"
    page.goto(f"{home}/compare/master...conflicting")
    for field in ("from", "to"):
        assert on_one_line(page, f"label[for=compare-{field}]", f"#compare-{field}")
