"""What the pages of two instances show of a project, without what belongs to one instance."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import requests
from selectolax.lexbor import LexborHTMLParser

from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer
from tests.moving.world import admin

LISTS = (
    "", "/-/tree/master", "/-/blob/master/README.md", "/-/commits/master", "/-/branches", "/-/tags", "/-/issues",
    "/-/issues?state=closed",
    "/-/boards", "/-/merge_requests", "/-/merge_requests?state=all", "/-/milestones", "/-/labels", "/-/releases",
    "/-/wikis", "/-/wikis/home",
    "/-/snippets", "/-/packages", "/-/project_members", "/-/nothing",
)  # fmt: skip
PASSWORD = "correct horse battery staple"
SAMPLES = 3
"""Issues and merge requests of a project that are opened."""
PARTS_OF_REQUESTS = ("", "/commits", "/diffs")
_OF_ONE_INSTANCE = (
    (re.compile(r"/uploads/[0-9a-f]{32}/"), "/uploads/SECRET/"),
    (re.compile(r"(?:ssh://)?git@[^\s\"]+?:(?:\d+/)?"), "SSH/"),
    (
        re.compile(r"\b(note_|discussion_|notes/|labels/|snippets/|packages/|boards/|parent_id=|namespace_id=)\d+"),
        r"\1ID",
    ),
    (re.compile(r"\b(?:just now|\d+ \w+ ago)\b"), "AGO"),
)


class PageReader:
    """A browser of the administrator of a running instance."""

    def __init__(self, server: RunningServer) -> None:
        self._server, self._browser = server, requests.Session()
        instance = admin(server)
        user_id = instance.request("GET", "/user")["id"]
        instance.request("PUT", f"/users/{user_id}", password=PASSWORD)
        # A password that the API sets must be changed before any page opens.
        in_transaction(server.database_url, lambda tx: tx.run("UPDATE users SET password_expires_at = NULL"))
        form = LexborHTMLParser(self._read("/users/sign_in").text).css_first("input[name=authenticity_token]")
        assert form is not None
        fields = {"user[login]": "root", "user[password]": PASSWORD, "authenticity_token": form.attributes["value"]}
        answer = self._browser.post(f"{server.url}/users/sign_in", fields, timeout=60)
        assert answer.url == f"{server.url}/", answer.url

    def shown(self, project: str) -> dict[str, list[str]]:
        """Address of each page of the project (its full path) → its status, and the lines of its text and links."""
        return {path: self._open(path) for path in self._addresses(project)}

    def close(self) -> None:
        self._browser.close()

    def _addresses(self, project: str) -> Iterator[str]:
        yield f"/{project.rpartition('/')[0]}"
        yield from (f"/{project}{rest}" for rest in LISTS)
        instance, here = admin(self._server), f"/projects/{quote(project, safe='')}"
        for noun, parts in (("issues", ("",)), ("merge_requests", PARTS_OF_REQUESTS)):
            for each in instance.request("GET", f"{here}/{noun}?state=all&sort=asc&per_page={SAMPLES}"):
                yield from (f"/{project}/-/{noun}/{each['iid']}{part}" for part in parts)

    def _open(self, path: str) -> list[str]:
        answer = self._read(path)
        return [str(answer.status_code), *comparable(answer.text, self._server.url)]

    def _read(self, path: str) -> requests.Response:
        return self._browser.get(f"{self._server.url}{path}", timeout=60)


def comparable(page: str, url: str) -> list[str]:
    """The text and the links of a page without hosts, ids and secrets; an instant instead of the time since."""
    main = LexborHTMLParser(page).css_first("main")
    if main is None:
        return [page]
    for node in main.css("time[datetime]"):
        node.replace_with(node.attributes["datetime"] or "")
    links = [node.attributes["href"] or "" for node in main.css("a[href]")]
    values = [node.attributes["value"] or "" for node in main.css("input[readonly][value]")]
    lines = [line.strip() for line in main.text(separator="\n").splitlines()]
    text = "\n".join([*filter(None, lines), *links, *values]).replace(url, "HOST")
    for pattern, replacement in _OF_ONE_INSTANCE:
        text = pattern.sub(replacement, text)
    return text.splitlines()
