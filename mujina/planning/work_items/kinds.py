"""What issues and merge requests have in common: assignees, labels, a milestone and tracked time.

The slice that owns the rows describes its kind, and the manifest of its chapter adds it to `WORK_ITEM_KINDS`.
"""

from typing import Final, LiteralString, Protocol

import msgspec

from mujina.kernel.events import Changes
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.product import ExtensionPoint


class WorkItem(Protocol):
    """An issue or merge request, as a look-up found it for the actor."""

    @property
    def id(self) -> int: ...
    @property
    def iid(self) -> int: ...
    @property
    def project_id(self) -> int: ...
    @property
    def namespace_id(self) -> int: ...
    @property
    def full_path(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def triager(self) -> bool: ...


class WorkItemKind(msgspec.Struct, frozen=True, kw_only=True):
    """Where the rows of one kind are, and who may be assigned to them."""

    name: LiteralString
    """The name of the kind of noteable, with which the kinds of events begin: `merge_request`."""
    noun: str
    """The kind in sentences: `merge request`."""
    table: LiteralString
    """The table of the rows: `issues`."""
    key: LiteralString
    """The column that names a row in the tables below: `issue_id`."""
    labels: LiteralString
    assignees: LiteralString
    reviewers: LiteralString | None = None
    assignable: Rule
    """Whether a user of the project `p` may be assigned."""
    confidential: LiteralString = "FALSE"
    """Whether the row `item` is confidential."""
    present: LiteralString = "TRUE"
    """Whether the row `item` is not deleted."""

    @property
    def people(self) -> list[LiteralString]:
        """The tables of users who have a part in it."""
        return [self.assignees] if self.reviewers is None else [self.assignees, self.reviewers]

    def edit_event(self, changes: Changes) -> str:
        """The kind of the event of an edit with these changes: `issue.closed`, `issue.reopened`, `issue.updated`."""
        _, state = changes.get("state", (None, None))
        verb = {"closed": "closed", "opened": "reopened"}.get(state, "updated")
        return f"{self.name}.{verb}"


WORK_ITEM_KINDS: Final = ExtensionPoint[WorkItemKind]("issues and merge requests")
