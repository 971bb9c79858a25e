"""The steps that the commands of a text stand for, before any is carried out."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner
from mujina.planning.issues.rules import IssueRow

Action = Callable[[Tx, Actor, IssueRow], Awaitable[object]]
"""An operation other than an edit of the issue."""


class Step(msgspec.Struct, frozen=True):
    """What one command does."""

    summary: str
    """For people."""
    changes: dict[str, Any]
    """For programs: `commands_changes` in the response."""
    edit: dict[str, Any] = {}
    """Fields of an edit of the issue."""
    action: Action | None = None


@dataclass(frozen=True)
class Plan:
    """The issue, the actor, and the steps so far."""

    tx: Tx
    actor: Actor
    owner: Owner
    path: str
    """The full path of the project."""
    triager: bool
    issue: IssueRow | None
    """None while it is being created."""
    assignee_ids: list[int]
    """The assignees after the steps so far."""
    steps: list[Step] = field(default_factory=list[Step])

    def edit(self) -> dict[str, Any]:
        """The fields that all steps set; labels to add and to remove accumulate."""
        fields: dict[str, Any] = {}
        for step in self.steps:
            for name, value in step.edit.items():
                more = name in ("add_labels", "remove_labels") and name in fields
                fields[name] = [*fields[name], *value] if more else value
        return fields


ReadCommand = Callable[[Plan, str], Awaitable[Step | None]]
"""The step for a command with this argument; None if the argument is invalid."""


class CommandSpec(msgspec.Struct, frozen=True):
    read: ReadCommand
    triage: bool
    """Whether it requires the right to triage."""
    at_creation: bool
    """Whether it works in the description of a new issue."""


class Commands(dict[str, CommandSpec]):
    """Commands by their names."""

    def command(
        self, *names: str, triage: bool = False, at_creation: bool = False
    ) -> Callable[[ReadCommand], ReadCommand]:
        """Register the function for the commands of these names."""

        def register(read: ReadCommand) -> ReadCommand:
            self.update(dict.fromkeys(names, CommandSpec(read, triage, at_creation)))
            return read

        return register
