"""What a chat is told about an event: one sentence with links, and details; written from the payload of the hook."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from mujina.code.pushes.changes import ZERO

Body = Mapping[str, Any]
MAX_COMMITS: Final = 10
"""Commits that a message lists."""
MAX_DETAILS: Final = 1_000
"""Characters of a comment or a description."""


class ChatLink(NamedTuple):
    text: str
    url: str


class ChatMessage(NamedTuple):
    parts: tuple[str | ChatLink, ...]
    """The sentence: plain texts and links."""
    lines: Sequence[tuple[str | ChatLink, ...]] = ()
    """The details."""
    status: str = ""
    """`success` and `failed` have a color."""


class Dialect(NamedTuple):
    """How a chat writes a plain text and a link."""

    escape: Callable[[str], str]
    link: Callable[[str, str], str]

    def write(self, parts: Sequence[str | ChatLink]) -> str:
        return "".join(
            self.link(self.escape(part.text), quote(part.url, safe=":/?#@!$&'*+,;=%~"))
            if isinstance(part, ChatLink)
            else self.escape(part)
            for part in parts
        )

    def details(self, message: ChatMessage) -> str:
        return "\n".join(self.write(line) for line in message.lines)


def _escape_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escape_markdown(text: str) -> str:
    """Nothing that a user wrote is markup or notifies a person: a zero-width space follows each `@`."""
    return re.sub(r"([\\`*_{}\[\]()#+!|~<>])", r"\\\1", text).replace("@", "@\u200b")


def _link_slack(text: str, url: str) -> str:
    return f"<{url}|{text.replace('|', '¦')}>"


def _link_markdown(text: str, url: str) -> str:
    return f"[{text}]({url})"


def _as_it_is(text: str, _: str = "") -> str:
    return text


SLACK: Final = Dialect(_escape_slack, _link_slack)
MARKDOWN: Final = Dialect(_escape_markdown, _link_markdown)
PLAIN: Final = Dialect(_as_it_is, _as_it_is)


def message_of(body: Body) -> ChatMessage | None:
    """The message about an event; None for an event that chats are not told of."""
    write = _MESSAGES.get(str(body.get("object_kind")))
    return None if write is None else write(body)


def branch_of(body: Body) -> str | None:
    """The branch that a push or a pipeline is about; None for other events, and for tags."""
    if body.get("object_kind") == "push":
        return str(body["ref"]).removeprefix("refs/heads/")
    if body.get("object_kind") == "pipeline" and not body["object_attributes"]["tag"]:
        return body["object_attributes"]["ref"]
    return None


def _project(body: Body) -> ChatLink:
    return ChatLink(body["project"]["path_with_namespace"], body["project"]["web_url"])


def _push(body: Body) -> ChatMessage | None:
    project, who = _project(body), str(body["user_name"])
    tag = body["object_kind"] == "tag_push"
    name = str(body["ref"]).removeprefix("refs/tags/" if tag else "refs/heads/")
    noun = "tag" if tag else "branch"
    if body["after"] == ZERO:
        return ChatMessage((who, f" removed {noun} {name} from ", project))
    ref = ChatLink(name, f"{project.url}/{'tags' if tag else 'commits'}/{name}")
    if body["before"] == ZERO:
        return ChatMessage((who, f" pushed new {noun} ", ref, " to ", project))
    compare = ChatLink("Compare changes", f"{project.url}/compare/{body['before']}...{body['after']}")
    commits = [
        (ChatLink(str(each["id"])[:8], each["url"]), f": {str(each['message']).partition(chr(10))[0]} - {each['author']['name']}")
        for each in body["commits"][-MAX_COMMITS:]
    ]  # fmt: skip
    return ChatMessage((who, f" pushed to {noun} ", ref, " of ", project, " (", compare, ")"), commits)


def _item(noun: str, sign: str) -> Callable[[Body], ChatMessage | None]:
    past = {
        "open": "opened", "close": "closed", "reopen": "reopened", "merge": "merged", "update": "updated",
        "approved": "approved", "unapproved": "unapproved",
    }  # fmt: skip

    def write(body: Body) -> ChatMessage | None:
        item = body["object_attributes"]
        verb = past.get(item.get("action") or "open", "updated")
        if verb == "updated":
            return None  # an edit is no news
        link = ChatLink(f"{sign}{item['iid']} {item['title']}", item["url"])
        described = str(item.get("description") or "")[:MAX_DETAILS] if verb == "opened" else ""
        details = [(described,)] if described else []
        return ChatMessage((str(body["user"]["name"]), f" {verb} {noun} ", link, " in ", _project(body)), details)

    return write


def _note(body: Body) -> ChatMessage | None:
    note = body["object_attributes"]
    noun = {"Issue": "an issue", "MergeRequest": "a merge request", "Commit": "a commit", "Snippet": "a snippet"}.get(
        note["noteable_type"], "an item"
    )
    titles = [str(body[name]["title"]) for name in ("issue", "merge_request", "snippet") if name in body]
    titles += [str(body["commit"]["message"]).partition("\n")[0]] if "commit" in body else []
    title = titles[0] if titles else ""
    details = [(f"{title}: {str(note['note'])[:MAX_DETAILS]}" if title else str(note["note"])[:MAX_DETAILS],)]
    sentence = (str(body["user"]["name"]), " ", ChatLink(f"commented on {noun}", note["url"]), " in ", _project(body))
    return ChatMessage(sentence, details)


def _pipeline(body: Body) -> ChatMessage | None:
    pipeline, project = body["object_attributes"], _project(body)
    status = pipeline["status"]
    if status not in ("success", "failed", "canceled"):
        return None
    word = {"success": "has passed", "failed": "has failed", "canceled": "was canceled"}[status]
    link = ChatLink(f"#{pipeline['id']}", f"{project.url}/pipelines/{pipeline['id']}")
    kind = "tag" if pipeline["tag"] else "branch"
    ref = ChatLink(pipeline["ref"], f"{project.url}/commits/{pipeline['ref']}")
    return ChatMessage(("Pipeline ", link, f" of {kind} ", ref, " in ", project, f" {word}"), status=status)


def _wiki_page(body: Body) -> ChatMessage | None:
    page = body["object_attributes"]
    verb = {"create": "created", "delete": "deleted"}.get(page.get("action", ""), "edited")
    link = ChatLink(page["title"], page["url"])
    return ChatMessage((str(body["user"]["name"]), f" {verb} wiki page ", link, " in ", _project(body)))


_MESSAGES: Final[dict[str, Callable[[Body], ChatMessage | None]]] = {
    "push": _push, "tag_push": _push, "issue": _item("issue", "#"), "merge_request": _item("merge request", "!"),
    "note": _note, "pipeline": _pipeline, "wiki_page": _wiki_page,
}  # fmt: skip
