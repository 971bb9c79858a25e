"""The scripts of pages in a real browser: what is quicker with them, without a breach of the content security policy."""

import hashlib
import re
from itertools import count

import pytest
import requests
from playwright.sync_api import expect

from mujina.web.assets import FOLDER, assets
from tests.harness.chromium import chromium, new_context, submit
from tests.harness.running import running

SCRIPT = 8_600
"""Bytes of our own script as it is served. The pickers, suggestions, frames of diagrams and emoji need what is above 6 KB."""
PASSWORD = "a password of tests"
WATCH = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (e) => violations.push(`${e.violatedDirective} ${e.blockedURI}`));
"""


def test_libraries_are_as_published_and_our_script_is_small():
    for line in (FOLDER / "SHA512SUMS").read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha512(assets()[name].data).hexdigest() == digest, name
    assert len(assets()["site.js"].data) <= SCRIPT


class Pages:
    """A browser with scripts in which root is signed in; counts whole pages."""

    def __init__(self, context, server, project):
        self.page, self.home, self.loads = context.new_page(), f"/{project['path_with_namespace']}", count()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        self.page.on("load", lambda _: next(self.loads))
        self.page.goto(f"{server.url}/users/sign_in")
        self.page.get_by_label("Username or email").fill("root")
        self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        submit(self.page, "Sign in")

    def open(self, path):
        self.faults += self.page.evaluate("window.violations || []")
        self.page.goto(self.home + path)

    def insert(self, area, text):
        """Add the text in one go: whoever types it slowly gets suggestions for its first letters, too."""
        area.focus()
        self.page.keyboard.insert_text(text)

    def stays(self, act, found):
        """Do this on the page: the element appears, and no other page is loaded."""
        self.page.evaluate("window.sameDocument = true")
        act()
        self.page.locator(found).first.wait_for()
        assert self.page.evaluate("window.sameDocument") is True, f"another page was loaded before {found}"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("scripts"), MUJINA_ROOT_PASSWORD=PASSWORD) as server:
        yield server


@pytest.fixture(scope="module")
def project(server):
    def post(path, /, **body):
        answer = requests.post(
            f"{server.url}/api/v4{path}", json=body, headers={"Private-Token": server.token}, timeout=60
        )
        assert answer.status_code == 201, answer.text
        return answer.json()

    project = post("/projects", name="Otter")
    here = f"/projects/{project['id']}"
    text = "".join(f"line {n}\n" for n in range(1, 60))
    long = "".join(f"n = {n}  # {'long ' * 40}\n" for n in range(1, 2_101))
    files = {"lines.txt": text, "long.py": long}
    actions = [{"action": "create", "file_path": path, "content": content} for path, content in files.items()]
    post(f"{here}/repository/commits", branch="master", commit_message="Lines", actions=actions)
    for title in ("Login hangs", "Show boards"):
        post(f"{here}/issues", title=title, description="Run\n\n```\notter\n```\n\n- [ ] first\n- [x] second")
    post(f"{here}/labels", name="bug", color="#aa0000")
    post(f"{here}/boards", name="Development")
    group = post("/groups", name="Otters", path="otters")
    post(f"/groups/{group['id']}/labels", name="river", color="#0000aa")
    post(f"/groups/{group['id']}/milestones", title="Spring")
    post(f"{here}/issues/2/todo")
    actions = [{"action": "create", "file_path": "more.txt", "content": "more"}]
    post(f"{here}/repository/commits", branch="topic", start_branch="master", commit_message="More", actions=actions)
    post(f"{here}/merge_requests", source_branch="topic", target_branch="master", title="More lines")
    post(f"{here}/wikis", title="Diagrams", content=DIAGRAMS)
    return project


@pytest.mark.long(20)
def test_pages_are_quicker_with_scripts(server, project):
    with chromium() as browser, new_context(browser, base_url=server.url) as context:
        context.add_init_script(WATCH)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        pages = Pages(context, server, project)
        for part in (
            star,
            issue,
            tasks,
            field,
            merge_request,
            comments,
            changes,
            commit,
            todos,
            text,
            lists,
            lines,
            board,
            keys,
            pickers,
            pickers_of_a_group,
            places,
            diagrams,
        ):
            part(pages)
        pages.open("")
        assert pages.faults == []


DIAGRAMS = """
```mermaid
graph TD
  A[Otter] --> B["<img src=x onerror=parent.marked=1>"]
  click A href "javascript:alert(1)"
```

```plantuml
Otter -> River : swims
```

```mermaid
no diagram
```

A formula $`x^2`$
"""


def diagrams(pages):
    pages.open("/wikis/diagrams")
    page = pages.page
    for number, word in enumerate(("Otter", "swims")):
        drawn = page.frame_locator(".diagram").nth(number)
        drawn.locator("svg", has_text=word).wait_for()
        assert drawn.locator("body").evaluate("() => origin") == "null"
    page.locator("details pre").nth(1).wait_for(state="attached")
    expect(page.locator(".diagram")).to_have_count(2)  # what is no diagram shows its source
    expect(page.locator("pre:visible", has_text="no diagram")).to_have_count(1)
    assert page.locator(".diagram").first.bounding_box()["height"] > 50
    reached = """async () => [
        await fetch("/api/v4/user").catch((e) => "refused"),
        (() => { try { return parent.document.title } catch { return "refused" } })(),
    ]"""
    assert page.frame_locator(".diagram").first.locator("body").evaluate(reached) == ["refused", "refused"]
    assert page.locator(".katex math").first.bounding_box()["width"] > 5
    assert page.evaluate("window.marked") is None


def star(pages):
    pages.open("")
    pages.stays(lambda: pages.page.get_by_role("button", name="Star").click(), "#star button:has-text('Unstar')")


def issue(pages):
    pages.open("/issues/1")
    page = pages.page
    page.get_by_title("React").click()
    pages.stays(lambda: page.get_by_role("button", name="🎉 tada").click(), "#awards .chip:has-text('🎉 1')")
    was = page.locator("#facts form button", has_text="ubscribe").inner_text().strip()
    now = {"Unsubscribe": "Subscribe", "Subscribe": "Unsubscribe"}[was]
    pages.stays(lambda: page.get_by_role("button", name=was, exact=True).click(), f"#facts button:text-is('{now}')")
    page.locator(".markdown pre .copy").click()
    page.locator(".copy", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == "otter"
    page.locator("#facts .copyable .copy").click()
    page.locator("#facts .copy", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{pages.home[1:]}#1"
    page.evaluate("navigator.clipboard.writeText('')")
    page.locator(".heading .menu summary").click()
    page.get_by_role("button", name="Copy reference").click()
    page.locator(".heading .menu button", has_text="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{pages.home[1:]}#1"


def tasks(pages):
    pages.open("/issues/1")
    page = pages.page
    boxes = page.locator("#description .md-task")
    pages.stays(boxes.nth(0).check, "#task-count:has-text('2 of 2 tasks done')")
    pages.stays(boxes.nth(1).uncheck, "#task-count:has-text('1 of 2 tasks done')")
    expect(page.locator("#discussion .system", has_text="marked the task")).to_have_count(2)


def field(pages):
    pages.open("/issues/1")
    page = pages.page
    pages.stays(lambda: page.get_by_role("link", name="Edit labels").click(), "#one-field")
    assert page.evaluate("document.activeElement.name") == "issue[labels]"
    page.get_by_label("Labels").fill("bug")
    pages.stays(lambda: page.locator("#one-field .submit button").click(), "#facts .label:has-text('bug')")
    pages.stays(lambda: page.get_by_role("link", name="Edit milestone").click(), "#one-field")
    page.get_by_label("Milestone").fill("no such milestone")
    pages.stays(
        lambda: page.locator("#one-field .submit button").click(), "#announcement:has-text('is not a milestone here')"
    )
    assert page.get_by_label("Milestone").input_value() == "no such milestone"


def merge_request(pages):
    pages.open("/merge_requests/1")
    page = pages.page
    pages.stays(lambda: page.get_by_role("link", name="Edit labels").click(), "#one-field")
    page.get_by_label("Labels").fill("bug")
    pages.stays(lambda: page.locator("#one-field .submit button").click(), "#facts .label:has-text('bug')")


def comments(pages):
    pages.open("/issues/1")
    page, area = pages.page, pages.page.locator("#comment textarea")
    button = page.get_by_role("button", name="Comment", exact=True)
    area.fill("   ")
    pages.stays(button.click, "#comment textarea:focus[aria-invalid=true]")
    expect(page.locator("#comment .complaint")).to_have_text("Can't be blank")
    area.fill("First")
    pages.stays(button.click, ".note:focus:has-text('First')")
    expect(page.locator("#announcement")).to_have_text("Comment added.")
    assert area.input_value() == ""
    area.fill("half of a comment")
    page.locator(".reply summary").click()
    page.locator(".reply textarea").fill("Second")
    pages.stays(page.locator(".reply button.button").click, ".note:focus:has-text('Second')")
    assert (area.input_value(), page.locator(".reply textarea").input_value()) == ("half of a comment", "")
    page.evaluate("window.facts = document.querySelector('#facts')")
    note = page.locator(".note", has_text="Second")
    pages.stays(note.get_by_role("link", name="Edit comment").click, ".note textarea:focus")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.locator("li.note textarea").fill("  ")
    pages.stays(page.get_by_role("button", name="Save changes").click, ".note textarea[aria-invalid=true]")
    pages.stays(page.locator(".note").get_by_role("link", name="Cancel").click, ".note:focus:has-text('Second')")
    pages.stays(note.get_by_role("link", name="Edit comment").click, ".note textarea:focus")
    # What is typed there stays while another comment is sent, and can be saved then.
    page.locator("li.note textarea").fill("Other words")
    area.fill("Meanwhile")
    pages.stays(button.click, ".note:focus:has-text('Meanwhile')")
    assert (area.input_value(), page.locator("li.note textarea").input_value()) == ("", "Other words")
    area.fill("half of a comment")
    pages.stays(page.get_by_role("button", name="Save changes").click, ".note:focus:has-text('Other words')")
    expect(page.locator("#announcement")).to_have_text("Comment saved.")
    assert area.input_value() == "half of a comment"
    page.locator(".note", has_text="Other words").get_by_role("button", name="Delete", exact=True).click()
    pages.stays(page.get_by_role("button", name="Delete comment").click, "#discussion:not(:has-text('Other words'))")
    area.fill("Third\n/estimate 3h")
    with page.expect_navigation():
        button.click()
    page.locator("#facts", has_text="3h estimated").wait_for()


def changes(pages):
    pages.open("/merge_requests/1/diffs")
    page, number = pages.page, pages.page.locator("tr.add td.n a")
    pages.stays(number.click, ".comments textarea:focus")
    pages.stays(page.get_by_role("link", name="Cancel").click, ".file-diff:not(:has(textarea))")
    pages.stays(number.click, ".comments textarea:focus")
    page.keyboard.type("Why?")
    pages.stays(page.get_by_role("button", name="Start thread").click, ".comments .note:focus:has-text('Why?')")
    pages.stays(number.click, ".comment-form textarea:focus")
    page.keyboard.type("Draft")
    page.locator(".comments .reply summary").click()
    page.get_by_label("Reply").fill("  ")
    pages.stays(page.get_by_role("button", name="Reply").click, ".comments .reply textarea[aria-invalid=true]")
    page.get_by_label("Reply").fill("Because")
    pages.stays(page.get_by_role("button", name="Reply").click, ".comments .note:focus:has-text('Because')")
    assert page.locator(".comment-form textarea").input_value() == "Draft"
    pages.stays(page.get_by_role("link", name="Cancel").click, ".file-diff:not(:has(.comment-form))")
    note = page.locator(".comments .note", has_text="Because")
    pages.stays(note.get_by_role("link", name="Edit comment").click, ".comments .note textarea:focus")
    page.locator(".comments .note textarea").fill("Hence")
    pages.stays(page.get_by_role("button", name="Save changes").click, ".comments .note:focus:has-text('Hence')")
    page.locator(".comments .note", has_text="Hence").get_by_role("button", name="Delete", exact=True).click()
    pages.stays(
        page.get_by_role("button", name="Delete comment").click, ".comments:not(:has-text('Hence')):has-text('Why?')"
    )
    expect(page.locator("#unresolved")).to_have_text("1 unresolved thread")
    pages.stays(page.get_by_role("button", name="Resolve thread").click, ".comments .resolved")
    expect(page.locator("#unresolved")).to_have_text("")
    pages.open("/merge_requests/1")
    page.locator(".resolved > summary").click()
    page.locator("#merge summary").click()
    page.locator("#merge textarea").fill("My own message")
    pages.stays(page.get_by_role("button", name="Unresolve thread").click, "#merge:has-text('1 unresolved thread')")
    expect(page.locator("#discussion .resolved")).to_have_count(0)
    assert page.locator("#merge textarea").input_value() == "My own message"


def commit(pages):
    pages.open("/commit/topic")
    page = pages.page
    pages.stays(page.locator("tr.add td.n a").click, ".file-diff textarea:focus")
    page.keyboard.type("On a line")
    pages.stays(page.locator(".file-diff .submit button").click, ".file-diff .note:focus:has-text('On a line')")
    page.locator("#discussion textarea").fill("On all of it")
    pages.stays(
        page.get_by_role("button", name="Comment", exact=True).click, "#discussion .note:focus:has-text('On all of it')"
    )
    on_line = page.locator(".file-diff .comments")
    on_line.locator("summary", has_text="Reply").click()
    on_line.locator("textarea").fill("Indeed")
    pages.stays(page.get_by_role("button", name="Reply").click, ".file-diff .note:focus:has-text('Indeed')")
    reply = on_line.locator(".note", has_text="Indeed")
    pages.stays(reply.get_by_role("link", name="Edit comment").click, ".file-diff .note textarea:focus")
    page.locator(".file-diff .note textarea").fill("Certainly")
    pages.stays(page.get_by_role("button", name="Save changes").click, ".file-diff .note:focus:has-text('Certainly')")
    on_line.locator(".note", has_text="Certainly").get_by_role("button", name="Delete", exact=True).click()
    pages.stays(
        page.get_by_role("button", name="Delete comment").click, ".file-diff .comments:not(:has-text('Certainly'))"
    )
    expect(page.locator(".note:has(article)")).to_have_count(2)


def todos(pages):
    pages.page.goto("/dashboard/todos")
    pages.stays(
        lambda: pages.page.get_by_role("button", name="Done", exact=True).click(), "#todos:has-text('all caught up')"
    )


def text(pages):
    pages.open("/merge_requests/1")
    page, area = pages.page, pages.page.locator("#comment textarea")
    area.fill("**bold** ")
    pages.stays(lambda: page.get_by_role("button", name="Preview").click(), "#preview strong:has-text('bold')")
    pages.stays(lambda: pages.insert(area, "@adm"), ".completion button:has-text('@root Administrator')")
    area.press("ArrowDown")
    page.keyboard.press("Enter")
    assert area.input_value() == "**bold** @root "
    pages.stays(lambda: pages.insert(area, "#Show"), ".completion button:has-text('#2 Show boards')")
    page.keyboard.press("Escape")
    area.fill("Nice")
    pages.stays(
        lambda: page.locator("#comment").get_by_role("button", name="Emoji").click(),
        ".completion button:has-text(':tada:')",
    )
    pages.insert(area, "otte")
    page.locator(".completion button", has_text=":otter:").click()
    assert area.input_value() == "Nice 🦦 "
    area.fill("**bold** ")
    drop = """(area) => {
        const data = new DataTransfer();
        data.items.add(new File(["text"], "notes.txt", {type: "text/plain"}));
        area.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
    }"""
    area.evaluate(drop)
    expect(area).to_have_value(re.compile(r"\[notes\.txt\]\(/uploads/"))
    area.press("Control+Enter")
    page.locator(".note .markdown strong", has_text="bold").wait_for()


def lists(pages):
    pages.open("/issues")
    page = pages.page
    search = page.get_by_label("Search issues")
    pages.stays(lambda: search.press_sequentially("boards"), "#issues:not(:has-text('Login hangs'))")
    page.wait_for_url(re.compile("search=boards"))  # whoever types slowly is shown the results of "board" first
    expect(page.locator("#issues .row")).to_have_count(1)
    expect(page.locator("#states .count").first).to_have_text("1")
    expect(page.locator("#active .chip")).to_have_text(re.compile("^Search: boards"))


def lines(pages):
    pages.open("/blob/master/lines.txt#L3-5")
    page = pages.page
    page.locator("#L4.hit").wait_for()
    expect(page.locator(".hit")).to_have_count(3)
    page.locator("#L8").click()
    page.locator("#L10").click(modifiers=["Shift"])
    page.locator("#L9.hit").wait_for()
    assert page.url.endswith("#L8-10")
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.lines'))")
    assert page.evaluate("getSelection().toString()").startswith("line 1\nline 2\n"), "numbers are not copied"
    page.keyboard.press("y")
    page.wait_for_url(re.compile(r"/blob/[0-9a-f]{40}/lines.txt"))
    pages.open("/blob/master/long.py?plain=1#L2050-2051")
    page.wait_for_url(re.compile(r"\?plain=1&page=2#L2050-2051$"))
    expect(page.locator(".hit")).to_have_count(2)
    expect(page.locator("#L2050")).to_be_in_viewport()
    pages.open("/blob/master/long.py#L3000")
    page.wait_for_url(re.compile(r"\?page=2#L3000$"))  # the last part, and no further one


def keys(pages):
    pages.open("/issues/1")
    page = pages.page
    page.keyboard.press("r")
    assert page.evaluate("document.activeElement.name") == "body"
    page.keyboard.type("gi")
    assert page.url.endswith("/issues/1"), "no shortcut works in a field"
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/issues")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("o")
    page.wait_for_url("**/issues/1")
    page.goto("/profile/preferences")
    page.get_by_label("Keyboard shortcuts").uncheck()
    submit(page, "Save changes")
    pages.open("/issues/1")
    page.keyboard.press("r")
    assert page.evaluate("document.activeElement.tagName") == "BODY", "shortcuts are switched off"


def board(pages):
    pages.open("/boards")
    page = pages.page
    page.locator(".tile", has_text="Show boards").drag_to(page.locator("#list-closed"))
    page.locator("#list-closed .tile", has_text="Show boards").wait_for()


def pickers(pages):
    """Values of fields are picked by the keyboard, several after one another."""
    pages.open("/issues/new")
    page, labels = pages.page, pages.page.get_by_label("Labels")
    pages.stays(labels.focus, ".field .completion button:has-text('bug')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(labels).to_have_value("bug, ")
    expect(labels).to_be_focused()
    people = page.get_by_label("Assignees")
    people.focus()
    pages.stays(lambda: pages.insert(people, "adm"), ".field .completion button:has-text('@root Administrator')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(people).to_have_value("root, ")
    page.get_by_label("Title").fill("Picked")
    expect(page.locator(".completion")).to_have_count(0)
    with page.expect_navigation():
        page.get_by_role("button", name="Submit issue").click()
    expect(page.locator("#facts .label")).to_have_text("bug")
    expect(page.locator("#facts .person")).to_contain_text("Administrator")


def pickers_of_a_group(pages):
    """The fields of a group's pages pick from what the group has."""
    page = pages.page
    for path, field, shown, value in (
        ("issues", "Labels", "~river", "river, "),
        ("issues", "Milestone", "%Spring", "Spring"),
        ("issues", "Author", "@root Administrator", "root"),
        ("merge_requests", "Reviewer", "@root Administrator", "root"),
        ("epics", "Labels", "~river", "river, "),
        ("epics/new", "Labels", "~river", "river, "),
    ):
        page.goto(f"/groups/otters/-/{path}")
        if path in ("issues", "merge_requests"):
            page.get_by_text("Filters", exact=True).click()
        found = page.get_by_label(field)
        pages.stays(found.focus, f".completion button:has-text('{shown}')")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(found).to_have_value(value)


def places(pages):
    """The search field leads to what it suggests."""
    pages.open("/issues")
    page, search = pages.page, pages.page.locator("#search")
    pages.stays(lambda: pages.insert(search, "#1"), ".top-search .completion button:has-text('#1 Login hangs')")
    page.keyboard.press("Escape")
    expect(page.locator(".completion")).to_have_count(0)
    search.fill("")
    pages.stays(lambda: pages.insert(search, "ssh ke"), ".top-search .completion button:has-text('SSH keys')")
    page.keyboard.press("ArrowDown")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("SSH keys")
