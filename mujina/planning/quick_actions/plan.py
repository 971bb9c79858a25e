"""What the commands of one text amount to, before any of it is done."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner
from mujina.planning.issues.rules import IssueRow

Deed = Callable[[Tx, Actor, IssueRow], Awaitable[object]]
"""An operation other than an edit, as the route of its own would call it."""


class Step(msgspec.Struct, frozen=True):
    """What one command amounts to."""

    summary: str
    """For people."""
    changes: dict[str, Any]
    """For programs: `commands_changes` of the answer."""
    edit: dict[str, Any] = {}
    """Fields of an edit of the issue."""
    deed: Deed | None = None


@dataclass(frozen=True)
class Plan:
    """The issue that is spoken to, who speaks, and the steps so far."""

    tx: Tx
    actor: Actor
    home: Owner
    path: str
    """The full path of the project."""
    triager: bool
    issue: IssueRow | None
    """None while it is being created."""
    assignee_ids: list[int]
    """Who will be assigned, as the steps so far have it."""
    steps: list[Step] = field(default_factory=list[Step])

    def edit(self) -> dict[str, Any]:
        """All the fields that the steps set; labels to add and to remove add up."""
        fields: dict[str, Any] = {}
        for step in self.steps:
            for name, value in step.edit.items():
                more = name in ("add_labels", "remove_labels") and name in fields
                fields[name] = [*fields[name], *value] if more else value
        return fields


Read = Callable[[Plan, str], Awaitable[Step | None]]
"""What a command amounts to, given what follows its name; None where it says nothing that can be done."""


class Spec(msgspec.Struct, frozen=True):
    read: Read
    triage: bool
    """Only for those who may decide what triage decides."""
    at_creation: bool
    """May stand in the description of a new issue."""


class Commands(dict[str, Spec]):
    """Commands by their names."""

    def command(self, *names: str, triage: bool = False, at_creation: bool = False) -> Callable[[Read], Read]:
        """The function reads the command that goes by these names."""

        def register(read: Read) -> Read:
            self.update(dict.fromkeys(names, Spec(read, triage, at_creation)))
            return read

        return register
