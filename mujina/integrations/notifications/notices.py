"""Which events are mailed: each becomes one or more notices, which decide who gets a mail and how it begins."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from mujina.kernel.events import Changes


class Notice(msgspec.Struct, frozen=True):
    """One thing that an event says."""

    verb: str
    """The actor's deed with its object: `closed {thing}`."""
    subject: str = ""
    """The end of the subject line; empty: the line names the thread."""
    impersonal: bool = False
    """Whether the sentence names no user who did it."""
    participants: bool = True
    """Whether participants get it."""
    watchers: bool = True
    """Whether users at the level `watch` get it."""
    new: bool = False
    """Whether it starts the thread of its subject."""
    texts: bool = False
    """Whether it shows the description or the comment."""


NOTICES: Final[Mapping[str, Notice]] = {
    "new_issue": Notice("created {thing}", new=True, texts=True),
    "close_issue": Notice("closed {thing}"),
    "reopen_issue": Notice("reopened {thing}"),
    "reassign_issue": Notice("reassigned {thing}"),
    "move_issue": Notice("moved {thing}"),
    "new_merge_request": Notice("created {thing}", new=True, texts=True),
    "close_merge_request": Notice("closed {thing}"),
    "reopen_merge_request": Notice("reopened {thing}"),
    "reassign_merge_request": Notice("reassigned {thing}"),
    "merge_merge_request": Notice("merged {thing}"),
    "approve_merge_request": Notice("approved {thing}"),
    "unapprove_merge_request": Notice("unapproved {thing}"),
    "name_approvers": Notice("asked you to approve {thing}", participants=False, watchers=False),
    "resolve_discussions": Notice("resolved all discussions on {thing}"),
    # Only users who choose it at the level `custom` get a mail for each push.
    "push_to_merge_request": Notice("pushed to {thing}", participants=False, watchers=False),
    "relabel": Notice("added labels to {thing}", participants=False, watchers=False),
    "mention": Notice("mentioned you in {thing}", participants=False, watchers=False, texts=True),
    "new_note": Notice("commented on {thing}", texts=True),
    "failed_pipeline": Notice("{thing} has failed", "Failed pipeline for {title}", impersonal=True),
    "fixed_pipeline": Notice("{thing} has succeeded again", "Fixed pipeline for {title}", impersonal=True),
    # Only users who choose it at the level `custom` get a mail for each success.
    "success_pipeline": Notice(
        "{thing} has succeeded", "Successful pipeline for {title}", impersonal=True, participants=False, watchers=False
    ),
    "add_member": Notice("gave you access to {thing}", "Access granted"),
    "edit_member": Notice("changed your access to {thing}", "Access changed"),
    "expire_member": Notice("Your access to {thing} has expired", "Access expired", impersonal=True),
    "request_access": Notice("requests access to {thing}", "Access requested"),
    "deny_access": Notice("denied your request for access to {thing}", "Access denied"),
}
"""Events that users choose at the level `custom` have the same names there."""

MEMBERSHIP: Final = frozenset({"add_member", "edit_member", "expire_member", "request_access", "deny_access"})


MAILED: Final = (
    "access_request.created", "access_request.deleted", "epic.created", "epic.updated", "issue.created",
    "issue.updated", "issue.closed", "issue.moved", "issue.reopened", "member.added", "member.expired",
    "member.updated", "merge_request.approved", "merge_request.approvers_changed", "merge_request.created",
    "merge_request.closed", "merge_request.discussions_resolved", "merge_request.merged", "merge_request.pushed",
    "merge_request.reopened", "merge_request.unapproved", "merge_request.updated", "note.created", "pipeline.created",
    "pipeline.updated",
)  # fmt: skip
"""The kinds of events that may have notices."""


def notices_of(kind: str, changes: Changes) -> list[str]:
    """The names of the notices that the event consists of, the main one first; none: it is not mailed."""
    if kind in _ALWAYS:
        return [_ALWAYS[kind]]
    match kind.split("."):
        case ["issue" | "merge_request" as noun, "updated"]:
            return _edits(noun, changes)
        case ["issue" | "merge_request" as noun, "closed" | "reopened" | "merged" as verb]:
            main = {"closed": "close", "reopened": "reopen", "merged": "merge"}[verb]
            return [] if "moved_to" in changes else [f"{main}_{noun}", *_edits(noun, changes)]
        case ["issue", "created"]:
            return [] if "moved_from" in changes else ["new_issue"]
        case ["epic", "created" | "updated"]:
            return ["mention"] if _may_mention(changes) else []
        case ["merge_request", "approvers_changed"]:
            return ["name_approvers"] if added(changes, "approver_ids") else []
        case ["merge_request", "approved"]:
            return ["approve_merge_request"] if _approvals_left(changes)[1] == 0 else []
        case ["merge_request", "unapproved"]:
            return ["unapprove_merge_request"] if _approvals_left(changes)[0] == 0 else []
        case ["pipeline", "created" | "updated"]:
            return _pipeline(changes)
        case ["member", "updated"]:
            return ["edit_member"] if "access_level" in changes else []
        case _:
            return []


_ALWAYS: Final[Mapping[str, str]] = {
    "merge_request.created": "new_merge_request",
    "merge_request.discussions_resolved": "resolve_discussions",
    "merge_request.pushed": "push_to_merge_request",
    "issue.moved": "move_issue",
    "note.created": "new_note",
    "member.added": "add_member",
    "member.expired": "expire_member",
    "access_request.created": "request_access",
    "access_request.deleted": "deny_access",
}


def _pipeline(changes: Changes) -> list[str]:
    """Pipelines that only other systems report are not mailed: those systems do so."""
    status = "fixed" if changes["fixed"] else changes["status"][1]
    mailed = status in ("failed", "fixed", "success") and changes["source"] != "external"
    return [f"{status}_pipeline"] if mailed else []


def lists(changes: Changes, name: str) -> tuple[list[Any], list[Any]]:
    """A list as it was and as it is; both empty if it did not change."""
    change: Any = changes.get(name)
    return (change[0] or [], change[1] or []) if change else ([], [])


def added(changes: Changes, name: str) -> list[Any]:
    """The items that a change added to a list."""
    before, after = lists(changes, name)
    return [each for each in after if each not in before]


def removed(changes: Changes, name: str) -> list[Any]:
    """The items that a change removed from a list."""
    before, after = lists(changes, name)
    return [each for each in before if each not in after]


def texts(changes: Changes, which: int) -> list[str]:
    """The changed texts: 0 as they were, 1 as they are."""
    return [changes[name][which] or "" for name in ("title", "description", "body") if name in changes]


def _edits(noun: str, changes: Changes) -> list[str]:
    found = [f"reassign_{noun}"] if changes.keys() & {"assignee_ids", "reviewer_ids"} else []
    if added(changes, "labels"):
        found.append("relabel")
    return [*found, "mention"] if _may_mention(changes) else found


def _may_mention(changes: Changes) -> bool:
    return any("@" in text for text in texts(changes, 1))


def _approvals_left(changes: Changes) -> tuple[int, int]:
    before, after = changes["approvals_left"]
    return before, after
