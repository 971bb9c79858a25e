"""Every template in a real browser: accessible, on a desk and on a phone, in light and in dark, with nothing that the content
security policy refuses, although every text of the instance is hostile.

The pages are rendered before the browser asks for them; it keeps what they share. It is shown those that have an element of a
kind that no other shows; in the long form all of them. The rules about what is visible are repeated in the second look at those
that have an element with a class that no other shows; in the long form at all of them.
"""

import hashlib
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mujina.kernel.html.pages import pages_of
from mujina.kernel.product import Chapter, Product
from mujina.product import PRODUCT
from tests.harness.browsers import browser_of
from tests.harness.chromium import chromium, new_context
from tests.web.gallery import pages as gallery
from tests.web.page_checks import ParsedPage
from tests.web.samples import address

AXE = Path(__file__).parent / "axe"
LOOKS = {(1280, "light"): "all", (360, "dark"): "visual"}
"""Both widths and both schemes in two passes over one load; the second one repeats the rules that depend on what is visible."""
ONLY_LAYOUT = "none"
"""Instead of `visual`, for a page whose elements other pages show: whether it fits the screen is judged all the same."""
LOADED = "link[href], img[src], use[href], script[src]"
MARK = "data-mark"
HOSTILE = f"x\"><img {MARK} src=x onerror=alert(1)><script {MARK}>alert(1)</script>{{{{7*7}}}}' \u202e{'w' * 99}"
"""Its last word is wider than a phone."""
WATCH = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (e) => violations.push(`${e.violatedDirective} ${e.blockedURI}`));
"""
JUDGE = """
    async (which) => {
        const visual = ["button-name", "color-contrast", "link-name", "scrollable-region-focusable", "target-size"];
        const idle = (rule) => !rule.enabled || rule.tags.some((tag) => axe._audit.tagExclude.includes(tag));
        const grave = axe._audit.rules.filter((rule) => !idle(rule) && !["minor", "moderate"].includes(rule.impact));
        // Of the bars around the content, each part is judged on the first page that has it, once with each set of rules.
        const hash = (text) => {
            let [one, other] = [1, 2];
            for (const c of text) {
                one = Math.imul(one ^ c.codePointAt(), 2654435761);
                other = Math.imul(other ^ c.codePointAt(), 1597334677);
            }
            return `${one} ${other}`;
        };
        const judged = new Set(JSON.parse(sessionStorage[which] || "[]"));
        document.querySelectorAll("[data-judged]").forEach((part) => part.removeAttribute("data-judged"));
        for (const part of document.querySelectorAll("body *")) {
            if (part.closest("main, aside.side, [data-judged]") || part.querySelector("main")) continue;
            let place = part.outerHTML.replace(/value="[0-9a-f]{64,}"/g, "");
            for (let each = part.parentElement; each; each = each.parentElement) place += ` ${each.tagName}.${each.className}`;
            if (judged.has(hash(place))) part.setAttribute("data-judged", "");
            else judged.add(hash(place));
        }
        sessionStorage[which] = JSON.stringify([...judged]);
        const numbers = which === "visual" ? [".lines .n"] : []; // the numbers of lines are as close as the lines
        const found = which === "none" ? {violations: []} : await axe.run({exclude: ["[data-judged]", ...numbers]}, {
            resultTypes: ["violations"], preload: false, runOnly: which === "visual" ? visual : grave.map((rule) => rule.id),
        });
        return {
            rules: grave.length,
            axe: found.violations.map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target).join(" ")}`),
            policy: violations.splice(0),
            wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
            cut: [...document.querySelectorAll("td")].filter((cell) => !cell.closest(".scroll, .code, .md-table")
                && (cell.getBoundingClientRect().right > innerWidth || cell.scrollWidth > cell.clientWidth + 1)).length,
        };
    }
"""

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


def test_axe_is_as_published():
    digest, name = (AXE / "SHA512SUMS").read_text().split()
    assert hashlib.sha512((AXE / name).read_bytes()).hexdigest() == digest


def poison(world):
    """Write the hostile text wherever the API stores text that pages show; how often it was accepted."""
    ids, root = world.ids["private"], world.cast.root
    project, group = f"/projects/{world.cast.private.id}", f"/groups/{world.cast.team.id}"
    epic, request = ids["/groups/:/-/epics/:"], ids["/projects/:/merge_requests/:"]
    changes = [
        (project, {"name": HOSTILE, "description": HOSTILE, "tag_list": [HOSTILE]}),
        (group, {"name": HOSTILE, "description": HOSTILE}),
        (f"/users/{world.cast.reporter.id}", {"name": HOSTILE, "bio": HOSTILE, "location": HOSTILE, "organization": HOSTILE}),
        (f"{project}/issues/{world.cast.open}", {"title": HOSTILE, "description": HOSTILE, "labels": HOSTILE.replace(",", "")}),
        (f"{project}/merge_requests/{request}", {"title": HOSTILE, "description": HOSTILE}),
        (f"{project}/milestones/{ids['/projects/:/milestones/:']}", {"title": HOSTILE, "description": HOSTILE}),
        (f"{project}/boards/{ids['/projects/:/boards/:']}", {"name": HOSTILE}),
        (f"{project}/snippets/{ids['/projects/:/snippets/:']}", {"title": HOSTILE, "description": HOSTILE, "code": HOSTILE}),
        (f"{project}/wikis/home", {"title": "home", "content": HOSTILE}),
        (f"{group}/milestones/{ids['/groups/:/milestones/:']}", {"title": HOSTILE, "description": HOSTILE}),
        (f"{group}/-/epics/{epic}", {"title": HOSTILE, "description": HOSTILE}),
        (f"{project}/issues/{world.cast.open}/notes/{ids['/projects/:/issues/:/notes/:']}", {"body": HOSTILE}),
        (f"{project}/labels", {"name": "A label", "new_name": HOSTILE, "description": HOSTILE}),
    ]  # fmt: skip
    accepted = [root.put(path, **change).status == 200 for path, change in changes]
    file = {"action": "create", "file_path": f"a <img data-mark>{'w' * 99}.md", "content": HOSTILE}
    commit = {
        "branch": f"<img data-mark>{'w' * 99}",
        "start_branch": "master",
        "commit_message": HOSTILE,
        "actions": [file],
    }
    accepted.append(root.post(f"{project}/repository/commits", author_name=HOSTILE, **commit).status == 201)
    return sum(accepted)


def render(world, stage, product):
    """Every page as the administrator sees it and one of each error, by address, and a function that opens what they load."""
    client = stage.client(world.database, stage.home / "world", product=product)
    root, anonymous = (browser_of(person, world.database, client) for person in (world.cast.root, world.cast.anonymous))
    views = {}
    for page in pages_of(product):
        if page.verb == "GET" and not page.for_clients:
            views.setdefault(page.handler, page)  # further addresses of a handler show the same template
    pages = {}
    for page in views.values():
        visitor, path = anonymous if page.path.startswith("/users/") else root, address(page, world)
        answer = visitor.open(path)
        seen = answer.status != 200 and answer.status in {other.status for other in pages.values()}
        if answer.headers.get("Content-Type", "").startswith("text/html") and not seen:
            pages[path] = answer
    return pages, root.open


def load(pages, open_):
    """Everything that the pages load, by address."""
    loaded = {}
    for answer in pages.values():
        for link in ParsedPage(answer.text).tree.css(f"{LOADED}, [hx-trigger=load]"):
            target = next(filter(None, map(link.attributes.get, ("href", "src", "hx-get")))).partition("#")[0]
            if target.startswith("/") and target not in loaded:
                loaded[target] = open_(target)
    return loaded


def kinds(answer):
    """The elements of the content, without their texts and values."""
    found = ParsedPage(answer.text).tree.css("main *")
    return {
        (each.tag, each.attributes.get("class"), each.attributes.get("type"), *sorted(each.attributes))
        for each in found
    }


def visible_kinds(answer):
    """The elements of the content, by what the style sheet tells apart."""
    found = ParsedPage(answer.text).tree.css("main *")
    return {(each.tag, each.attributes.get("class"), each.attributes.get("type")) for each in found}


def covering(pages, kinds):
    """Few pages that together have an element of every kind: in turn the one with the most kinds that those before lack."""
    lacking = {path: kinds(answer) for path, answer in pages.items()}
    while lacking:
        path = max(lacking, key=lambda path: len(lacking[path]))
        seen = lacking[path]
        lacking = {path: new for path, those in lacking.items() if (new := those - seen)}
        yield path


@pytest.mark.long(45)
@one_engine
def test_every_template_is_accessible_and_obeys_the_policy(world, stage, thorough):
    gallery.use_templates()
    assert poison(world) >= 9
    everything, open_ = render(world, stage, Product([*PRODUCT.chapters, Chapter("tests.web.gallery")]))
    pages = {path: everything[path] for path in (everything if thorough else covering(everything, kinds))}
    visual = {*pages} if thorough else {*covering(pages, visible_kinds)}

    assert len(pages) > 60
    assert len(visual) > 30
    faults = [
        f"{path} contains markup that users wrote"
        for path, answer in everything.items()
        if ParsedPage(answer.text).tree.css(f"[{MARK}]") or "{49}" in answer.text or "49&#39;" in answer.text
    ]
    loaded = load(pages, open_)
    # While playwright runs, no other event loop of this thread can: everything is rendered by now.
    with (
        served({**loaded, **pages}, faults) as base,
        chromium() as browser,
        new_context(browser, base_url=base, reduced_motion="reduce") as context,
    ):
        context.add_init_script(WATCH)
        context.add_init_script(path=AXE / "axe.min.js")
        faults += judge(context.new_page(), pages, visual)
    assert not faults, "\n".join(faults)


@contextmanager
def served(answers, faults):
    """The address of a server on loopback that answers with what was rendered before."""

    class Rendered(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            found = answers.get(self.path)
            if found is None:
                faults.append(f"{self.headers['Referer']} loads {self.path}")
            self.send_response(404 if found is None else found.status)
            for name, value in {} if found is None else found.headers.items():
                if name.lower() not in ("content-length", "date", "server"):
                    self.send_header(name, value)
            body = b"" if found is None else found.body
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Rendered)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def judge(page, pages, visual):
    """What is wrong with the pages, of which some are `visual`."""
    seen = []
    page.on("dialog", lambda dialog: (seen.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: seen.append(f"an error of a script: {error}"))
    looks, current = [*LOOKS.items()], None
    for path in pages:
        for (width, scheme), rules in looks:
            if current != (width, scheme):
                page.set_viewport_size({"width": width, "height": 900})
                page.emulate_media(color_scheme=scheme)
                current = width, scheme
            if looks[0][0] == current:
                page.goto(path)
            judged = page.evaluate(JUDGE, rules if rules == "all" or path in visual else ONLY_LAYOUT)
            assert judged["rules"] > 40
            wrong = [each for each in judged["axe"] if each.startswith(("serious", "critical"))]
            wrong += [f"policy {each}" for each in judged["policy"]] + seen + ["scrolls sideways"] * judged["wide"]
            wrong += ["cells reach beyond the screen"] * (judged["cut"] > 0)
            yield from (f"{path} at {width}, {scheme}: {each}" for each in wrong)
            seen.clear()
        looks.reverse()  # the next page begins as this one ended
