"""Contributions as pages tell them: who did what, where, with links."""

from typing import Annotated, NamedTuple

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.activity.events import entities, filters
from mujina.activity.events.entities import ContributionView, PushData, pushed, wiki_slug
from mujina.activity.events.filters import NEWEST_FIRST, Feed
from mujina.activity.events.params import ListEvents
from mujina.code.wikis.slugs import address_of, title_of
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.feeds import FeedEntry, permanent_id
from mujina.kernel.http.paging import Page
from mujina.kernel.lists.pages import PagePlan
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import instance_address, quoted
from mujina.workspaces.projects.rules import ProjectRow

MAX_TEXT = 200
"""Characters of a comment that a feed shows."""


class ActivityView(ContributionView):
    """A contribution with the path of its project (`r`)."""

    event_id: Annotated[int, "event.id"]
    project_path: Annotated[str, "r.path"]
    commit_sha: Annotated[str | None, "c.sha"]


class ActivityTarget(NamedTuple):
    """The subject of a contribution, as a link."""

    icon: str
    action: str
    """`opened issue`."""
    name: str = ""
    """`#3`, or the name of a branch."""
    address: str = ""
    """The path of its page; empty: none."""
    title: str = ""
    text: str = ""
    """The start of a comment, or the title of a commit."""
    text_address: str = ""


class ActivityLine(msgspec.Struct, frozen=True):
    """One line of a feed."""

    id: int
    author: UserRef
    target: ActivityTarget
    project_name: str
    project_address: str
    created_at: str

    @property
    def sentence(self) -> str:
        """The contribution without links: the title of an entry in a feed reader."""
        target = " ".join(part for part in (self.target.action, self.target.name) if part)
        title = f": {self.target.title}" if self.target.title else ""
        return f"{self.author.name} {target} at {self.project_name}{title}"

    @property
    def address(self) -> str:
        """The page of what it is about, or of its project."""
        return self.target.address or self.target.text_address or self.project_address


class ActivityFeed(msgspec.Struct, frozen=True):
    """One page of a feed. Feeds are long and grow all the time, so they are not counted."""

    lines: list[ActivityLine]
    page: Page
    more: bool
    """Whether there are older lines."""


async def read_project_feed(tx: Tx, actor: Actor, project: ProjectRow, page: Page) -> ActivityFeed:
    """Reads the feed of one project, which the actor may read."""
    return await read_feed(tx, filters.of_project(actor, project, ListEvents()), page)


async def read_feed(tx: Tx, selection: Feed, page: Page) -> ActivityFeed:
    """One page of these contributions, newest first."""
    plan = PagePlan(NEWEST_FIRST, page.size + 1, page.start)
    rows = await entities.read(tx, ActivityView, selection, plan, "JOIN routes r ON r.project_id = p.id")
    return ActivityFeed([_line(row) for row in rows[: page.size]], page, len(rows) > page.size)


def _line(row: ActivityView) -> ActivityLine:
    project = quoted(f"/{row.project_path}")
    return ActivityLine(
        id=row.event_id, author=row.shown(), target=_target(row, project), project_name=row.project_name,
        project_address=project, created_at=row.created_at,
    )  # fmt: skip


def _target(row: ActivityView, project: str) -> ActivityTarget:
    noun, _, verb = row.kind.partition(".")
    match noun:
        case "issue":
            return _numbered("issue", verb, f"#{row.issue_iid}", f"{project}/issues/{row.issue_iid}", row.issue_title)
        case "merge_request":
            iid = row.merge_request_iid
            address = f"{project}/merge_requests/{iid}"
            return _numbered("merge request", verb, f"!{iid}", address, row.merge_request_title)
        case "note":
            return _comment(row, project)
        case "milestone":
            action = {"created": "opened", "activated": "reopened", "deleted": "deleted"}.get(verb, verb)
            address = f"{project}/milestones/{row.milestone_iid}" if row.milestone_iid else ""
            return ActivityTarget("milestone", f"{action} milestone", row.milestone_title or "", address)
        case "project":
            return ActivityTarget("folder", "imported the project" if row.imported else "created the project")
        case "member":
            joined = verb == "added"
            return ActivityTarget(
                "log-in" if joined else "log-out", "joined the project" if joined else "left the project"
            )
        case "wiki_page":
            slug = wiki_slug(row)
            address = "" if verb == "deleted" else f"{project}/wikis/{quoted(address_of(slug))}"
            return ActivityTarget("book-open", f"{verb} wiki page", title_of(slug), address)
        case _:
            return _push(pushed(row), project)


_ISSUE_ICONS = {"created": "circle-dot", "reopened": "circle-dot", "closed": "circle-check"}
_MERGE_REQUEST_ICONS = {"closed": "git-pull-request-closed", "merged": "git-merge"}


def _numbered(noun: str, verb: str, name: str, address: str, title: str | None) -> ActivityTarget:
    icon = _ISSUE_ICONS[verb] if noun == "issue" else _MERGE_REQUEST_ICONS.get(verb, "git-pull-request")
    return ActivityTarget(icon, f"{'opened' if verb == 'created' else verb} {noun}", name, address, title or "")


def _comment(row: ActivityView, project: str) -> ActivityTarget:
    at = f"?note={row.subject_id}#note_{row.subject_id}"
    if row.issue_iid is not None:
        found = ("issue", f"#{row.issue_iid}", f"/issues/{row.issue_iid}{at}", row.issue_title)
    elif row.merge_request_iid is not None:
        iid = row.merge_request_iid
        found = ("merge request", f"!{iid}", f"/merge_requests/{iid}{at}", row.merge_request_title)
    elif row.snippet_id is not None:
        found = (
            "snippet",
            f"${row.snippet_id}",
            f"/snippets/{row.snippet_id}#note_{row.subject_id}",
            row.snippet_title,
        )
    else:
        sha = row.commit_sha or ""
        found = ("commit", sha[:8], f"/commit/{sha}#note_{row.subject_id}", row.commit_title)
    noun, name, address, title = found
    text = " ".join((row.note_body or "").split())
    shown = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"
    return ActivityTarget(
        icon="message-square", action=f"commented on {noun}", name=name, address=f"{project}{address}",
        title=title or "", text=shown,
    )  # fmt: skip


def _push(push: PushData, project: str) -> ActivityTarget:
    """The commits are linked, not the branch: it may be gone by now."""
    action = {"created": "pushed new", "removed": "deleted"}.get(push.action, "pushed to")
    icon = "tag" if push.ref_type == "tag" else "git-branch" if push.action == "removed" else "git-commit-horizontal"
    text, address = "", ""
    if push.commit_to is not None:
        text, address = push.commit_title or push.commit_to[:8], f"{project}/commit/{push.commit_to}"
    more = f"{push.commit_count:,} commits" if push.commit_count > 1 else ""
    return ActivityTarget(
        icon=icon, action=f"{action} {push.ref_type}", name=push.ref, address="", title=more, text=text,
        text_address=address,
    )  # fmt: skip


def entries(feed: ActivityFeed) -> list[FeedEntry]:
    """The lines for feed readers."""
    base = instance_address.get().base
    return [
        FeedEntry(
            id=permanent_id("event", line.id, line.created_at), title=line.sentence, address=f"{base}{line.address}",
            updated_at=line.created_at, author=line.author.name, text=line.target.text,
        )
        for line in feed.lines
    ]  # fmt: skip
