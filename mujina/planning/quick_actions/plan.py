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

Recorded = dict[str, Any]
"""What an edit changed: name → (old value, new value)."""


class Outcome(msgspec.Struct, frozen=True):
    """What a command did."""

    summary: str
    """For people."""
    changes: dict[str, Any]
    """For programs: `commands_changes` in the response; empty if the command did nothing."""


class Step(msgspec.Struct, frozen=True):
    """What one command is going to do."""

    summary: str
    changes: dict[str, Any]
    edit: dict[str, Any] = {}
    """Fields of an edit of the issue."""
    action: Action | None = None
    confirm: Callable[[Recorded], Outcome] | None = None
    """What the command did, from what the edit changed; without it, what the step is going to do."""
    command: str = ""

    def outcome(self, recorded: Recorded) -> Outcome:
        return self.confirm(recorded) if self.confirm else Outcome(self.summary, self.changes)


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
    assignees_before: tuple[int, ...] = ()
    steps: list[Step] = field(default_factory=list[Step])
    rejected: list[str] = field(default_factory=list[str])
    """A sentence for each command that is not carried out."""

    def edit(self) -> dict[str, Any]:
        """The fields that all steps set; labels to add and to remove accumulate."""
        fields: dict[str, Any] = {}
        for step in self.steps:
            for name, value in step.edit.items():
                more = name in ("add_labels", "remove_labels") and name in fields
                fields[name] = [*fields[name], *value] if more else value
        return fields


ReadCommand = Callable[[Plan, str], Awaitable[Step | str]]
"""The step for a command with this argument; a sentence that says why there is none."""


class CommandSpec(msgspec.Struct, frozen=True):
    read: ReadCommand
    triage: bool
    """Whether it requires the right to triage."""
    at_creation: bool
    """Whether it works in the description of a new issue."""
    slot: str
    """Of the commands of one slot only the last one counts."""
    collects: bool
    """Whether the arguments of all commands of this name count."""


class Commands(dict[str, CommandSpec]):
    """Commands by their names."""

    def command(
        self, *names: str, triage: bool = False, at_creation: bool = False, slot: str = "", collects: bool = False
    ) -> Callable[[ReadCommand], ReadCommand]:
        """Register the function for the commands of these names."""

        def register(read: ReadCommand) -> ReadCommand:
            spec = CommandSpec(read, triage, at_creation, slot or names[0], collects)
            self.update(dict.fromkeys(names, spec))
            return read

        return register
