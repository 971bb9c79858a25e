"""The steps that the commands of a text stand for, before any is carried out.

Issues and merge requests share most commands: `CommandKind` is what differs between them.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint, Product
from mujina.kernel.services import Services
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.quick_actions.parsing import Command
from mujina.planning.work_items.kinds import WorkItem, WorkItemKind
from mujina.workspaces.owners.rules import Owner

Action = Callable[[Tx, Actor, Any], Awaitable[object]]
"""An operation other than an edit of the target."""

Deferred = Callable[[Services, Actor], Awaitable[None]]
"""The work after the transaction."""

Recorded = dict[str, Any]
"""The changes of an edit: name → (old value, new value)."""


class Outcome(msgspec.Struct, frozen=True):
    """The report of a command."""

    summary: str
    """The report for people."""
    changes: dict[str, Any]
    """The report for programs: `commands_changes` in the response; empty if the command did nothing."""


class Step(msgspec.Struct, frozen=True):
    """The intended effect of one command."""

    summary: str
    changes: dict[str, Any]
    edit: dict[str, Any] = {}
    """Fields of an edit."""
    action: Action | None = None
    deferred: Deferred | None = None
    confirm: Callable[[Recorded], Outcome] | None = None
    """Describes the effect of the command by the changes of the edit; without them, its intention."""
    command: str = ""

    def outcome(self, recorded: Recorded) -> Outcome:
        return self.confirm(recorded) if self.confirm else Outcome(self.summary, self.changes)


@dataclass(frozen=True)
class Plan:
    """The target, the actor, and the steps so far."""

    kind: "CommandKind"
    tx: Tx
    actor: Actor
    owner: Owner
    path: str
    """The full path of the project."""
    triager: bool
    target: Any
    """The `WorkItem`; None while it is being created."""
    assignee_ids: list[int]
    """The assignees after the steps so far."""
    assignees_before: tuple[int, ...] = ()
    steps: list[Step] = field(default_factory=list[Step])
    rejected: list[str] = field(default_factory=list[str])
    """A sentence for each command that is not carried out."""
    prepared: Any = None
    """The result of `CommandKind.prepare`, read before the transaction."""

    @property
    def noun(self) -> str:
        return self.kind.item.noun

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
    """Whether it works in the description of something new."""
    slot: str
    """The slot of the command: of several commands in one slot the last one counts."""
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


class CommandKind(msgspec.Struct, frozen=True, kw_only=True):
    """How commands about an issue, or about a merge request, are carried out."""

    item: WorkItemKind
    commands: Mapping[str, CommandSpec]
    find: Callable[[Tx, Actor, Noteable], Awaitable[WorkItem]]
    """The target, if the actor may edit it; otherwise an `ApiError`."""
    edit: Callable[[Tx, Actor, Any, dict[str, Any], Any], Awaitable[Recorded]]
    """Edit these fields of the target, with what was prepared."""
    noteable: Callable[[Any], Noteable]
    prepare: Callable[[Services, Actor, Ref, int, list[Command]], Awaitable[Any]] | None = None
    """The facts that commands need and a transaction cannot read."""


COMMAND_KINDS: Final = ExtensionPoint[CommandKind]("what takes commands")


def command_kind(product: Product, name: str) -> CommandKind | None:
    """That of the noteable of this name; None: texts about it have no commands."""
    return next((kind for kind in product.all(COMMAND_KINDS) if kind.item.name == name), None)
