"""An event as mail tells it: what it is about, whom it concerns, and its sentences."""

from collections.abc import Sequence
from typing import Any, LiteralString

import msgspec

from mujina.accounts.users.rules import ActorRow
from mujina.integrations.notifications.notices import (
    MEMBERSHIP,
    NOTICES,
    added,
    lists,
    notices_of,
    removed,
    texts,
)
from mujina.integrations.notifications.recipients import MailAudience
from mujina.integrations.notifications.threads import MailThread, find_thread
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import EventRow
from mujina.kernel.permissions.levels import MASTER, OWNER, ROLES
from mujina.kernel.urls import instance_address
from mujina.planning.references.operations import MentionSource, mentioned_users
from mujina.planning.references.parsing import parse_all
from mujina.workspaces.members.lists.all_members import ALL_GROUP_MEMBERS, ALL_PROJECT_MEMBERS


class MailedEvent(EventRow):
    id: int


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """The content that all recipients of an event get."""

    event: MailedEvent
    changes: dict[str, Any]
    notices: Sequence[str]
    """Names of `NOTICES`, the main one first."""
    thread: MailThread
    actor_name: str
    """Empty: the instance itself."""
    text: str | None
    """The description or the comment, as it is now."""
    details: Sequence[str]
    note_id: int | None
    destination: MailThread | None
    """Where an issue was moved to."""

    @property
    def about_membership(self) -> bool:
        return self.notices[0] in MEMBERSHIP

    @property
    def about_pipeline(self) -> bool:
        return self.thread.kind == "pipeline"

    @property
    def subject(self) -> str:
        """The end of the subject line of its own that the mail has; empty: it belongs to the thread."""
        return NOTICES[self.notices[0]].subject

    @property
    def new(self) -> bool:
        return NOTICES[self.notices[0]].new

    @property
    def headline(self) -> str:
        notice = NOTICES[self.notices[0]]
        sentence = notice.verb.format(thing=self.thread.name)
        if notice.impersonal:
            return f"{sentence[0].upper()}{sentence[1:]}"
        return f"{self.actor_name or 'The server'} {sentence}"

    @property
    def url(self) -> str:
        return self.thread.url if self.note_id is None else f"{self.thread.url}#note_{self.note_id}"


async def find_announcement(tx: Tx, event_id: int) -> Announcement | None:
    """Returns the announcement of the event; None if its subject or its comment is gone."""
    event = await tx.row(MailedEvent, f"SELECT {MailedEvent.columns} FROM events e WHERE e.id = :id", id=event_id)
    if event is None:
        return None
    changes: dict[str, Any] = msgspec.json.decode(event.changes)
    notices = notices_of(event.kind, changes)
    thread = await find_thread(tx, *_subject(event, changes))
    note_id = event.subject_id if event.kind == "note.created" else None
    text: str | None = None if note_id is None else await tx.value(_NOTE, id=note_id)
    if not notices or thread is None or (note_id is not None and text is None):
        return None
    if note_id is None and any(NOTICES[name].texts for name in notices):
        text = thread.subject.text
    moved_to: int | None = changes["issue_id"][1] if "move_issue" in notices else None
    return Announcement(
        event=event, changes=changes, notices=notices, thread=thread, text=text, note_id=note_id,
        actor_name=await tx.value(_NAME, id=event.actor_id or 0) or "",
        details=await _details(tx, changes, notices),
        destination=None if moved_to is None else await find_thread(tx, "issue", moved_to),
    )  # fmt: skip


async def is_gone(tx: Tx, announcement: Announcement) -> bool:
    """Whether the comment that it shows was deleted meanwhile."""
    return announcement.note_id is not None and await tx.value(_NOTE, id=announcement.note_id) is None


def _subject(event: MailedEvent, changes: dict[str, Any]) -> tuple[str, int]:
    """The kind and the id of what the event is about."""
    noun = event.kind.partition(".")[0]
    if noun == "note":
        return changes["noteable_kind"], changes["noteable_id"]
    if noun in ("member", "access_request"):
        return ("group", event.group_id or 0) if event.project_id is None else ("project", event.project_id)
    return noun, event.subject_id


_NOTE: LiteralString = "SELECT note.body FROM notes note WHERE note.id = :id"
_STARTED_BY: LiteralString = "SELECT pl.user_id FROM pipelines pl WHERE pl.id = :id AND pl.user_id IS NOT NULL"
_NAME: LiteralString = "SELECT u.name FROM users u WHERE u.id = :id AND u.deleted_at IS NULL"


async def _details(tx: Tx, changes: dict[str, Any], notices: Sequence[str]) -> list[str]:
    """Further sentences: who is assigned, which labels were added, which access was given."""
    found: list[str] = []
    main = notices[0]
    for name, title in (("assignee_ids", "Assignees"), ("reviewer_ids", "Reviewers")):
        if name in changes and main != "move_issue":
            before, after = [await _names(tx, ids) for ids in lists(changes, name)]
            found.append(f"{title}: {after}" if NOTICES[main].new else f"{title} changed from {before} to {after}")
    if "relabel" in notices:
        found.append(f"Labels added: {', '.join(added(changes, 'labels'))}")
    if main in ("add_member", "edit_member") and changes["access_level"][1] in ROLES:
        found.append(f"Access level: {ROLES[changes['access_level'][1]]}")
    if main == "push_to_merge_request":
        found.append(f"New head: {changes['sha'][1]}")
    return found


async def _names(tx: Tx, user_ids: list[int]) -> str:
    names: list[str] = await tx.values(
        "SELECT u.name FROM users u WHERE u.id IN :ids AND u.deleted_at IS NULL ORDER BY u.name, u.id", ids=user_ids
    )
    return ", ".join(names) or "nobody"


async def find_audience(tx: Tx, announcement: Announcement, *, commit_author_id: int | None) -> MailAudience:
    """Finds the users whom the event concerns. The author of a commit participates in its comments."""
    thread, event = announcement.thread, announcement.event
    if announcement.about_membership:
        user_ids = await _concerned_by_membership(tx, announcement)
        reason = "managing_members" if announcement.notices[0] == "request_access" else "membership"
        return MailAudience(
            thread=thread, actor_id=event.actor_id, notices=announcement.notices, only=user_ids,
            reasons=dict.fromkeys(user_ids, reason),
        )  # fmt: skip
    if announcement.about_pipeline:
        user_ids = await tx.values(_STARTED_BY, id=event.subject_id)
        return MailAudience(thread=thread, notices=announcement.notices, only=user_ids, taking_part=user_ids)
    return MailAudience(
        thread=thread, actor_id=event.actor_id, notices=announcement.notices,
        reasons=await _reasons(tx, announcement), label_ids=await _label_ids(tx, announcement),
        taking_part=[] if commit_author_id is None else [commit_author_id],
    )  # fmt: skip


async def _reasons(tx: Tx, announcement: Announcement) -> dict[int, str]:
    """The users whom the event names: the strongest reason of each."""
    changes = announcement.changes
    if announcement.notices[0] == "move_issue":
        return {}
    return {
        **dict.fromkeys([*removed(changes, "assignee_ids"), *removed(changes, "reviewer_ids")], "unassigned"),
        **dict.fromkeys(await _mentioned(tx, announcement), "mentioned"),
        **dict.fromkeys(added(changes, "approver_ids"), "approval_required"),
        **dict.fromkeys(lists(changes, "reviewer_ids")[1], "review_requested"),
        **dict.fromkeys(lists(changes, "assignee_ids")[1], "assigned"),
    }


async def _mentioned(tx: Tx, announcement: Announcement) -> list[int]:
    """The users whom the texts mention now, and did not before."""
    changes, thread, event = announcement.changes, announcement.thread, announcement.event
    if not any("@" in text for text in texts(changes, 1)):
        return []
    base_url = instance_address.get().base
    before, after = (set(parse_all(texts(changes, which), base_url).users) for which in (0, 1))
    actor = await tx.row(
        ActorRow,
        f"SELECT {ActorRow.columns} FROM users u WHERE u.id = :id AND u.deleted_at IS NULL",
        id=event.actor_id or 0,
    )
    if actor is None or not after - before:
        return []
    subject = thread.subject
    source = MentionSource(
        kind=thread.kind, id=subject.id, subject_kind=thread.kind, subject_id=subject.id,
        project_id=subject.project_id, group_id=subject.namespace_id if subject.project_id is None else None,
        path=subject.path, iid=0, noun=thread.noun, sign="",
    )  # fmt: skip
    found = await mentioned_users(tx, actor.actor(), source, sorted(after - before))
    return sorted(set[int]().union(*found.values()))


async def _label_ids(tx: Tx, announcement: Announcement) -> list[int]:
    """The labels that the event puts on an issue or merge request, as far as they are still there."""
    titles = added(announcement.changes, "labels")
    if not titles:
        return []
    match announcement.thread.kind:
        case "issue":
            return await tx.values(_ISSUE_LABELS, id=announcement.thread.subject.id, titles=titles)
        case "merge_request":
            return await tx.values(_REQUEST_LABELS, id=announcement.thread.subject.id, titles=titles)
        case _:
            return []


_ISSUE_LABELS: LiteralString = """
    SELECT il.label_id FROM issue_labels il JOIN labels l ON l.id = il.label_id
    WHERE il.issue_id = :id AND l.title IN :titles"""
_REQUEST_LABELS: LiteralString = """
    SELECT ml.label_id FROM merge_request_labels ml JOIN labels l ON l.id = ml.label_id
    WHERE ml.merge_request_id = :id AND l.title IN :titles"""


async def _concerned_by_membership(tx: Tx, announcement: Announcement) -> list[int]:
    event, thread = announcement.event, announcement.thread
    match announcement.notices[0]:
        case "request_access" if thread.kind == "project":
            return await tx.values(_MASTERS, project_id=thread.subject.id, level=MASTER, today=clock.today())
        case "request_access":
            return await tx.values(_OWNERS, group_id=thread.subject.id, level=OWNER, today=clock.today())
        case "add_member" | "edit_member":
            # Who was removed since, or whom a directory added, gets no mail.
            return await tx.values(
                """SELECT m.user_id FROM members m WHERE m.source_kind = :kind AND m.source_id = :id
                   AND m.user_id = :user_id AND m.expires_on > :today AND NOT m.from_directory""",
                kind=thread.kind, id=thread.subject.id, user_id=event.subject_id, today=clock.today(),
            )  # fmt: skip
        case _:
            return [event.subject_id]


_MASTERS: LiteralString = f"SELECT DISTINCT m.user_id FROM ({ALL_PROJECT_MEMBERS}) m WHERE m.level >= :level"
_OWNERS: LiteralString = f"SELECT DISTINCT m.user_id FROM ({ALL_GROUP_MEMBERS}) m WHERE m.level >= :level"
