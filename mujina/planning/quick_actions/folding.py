"""Folds the commands of a text, so that their number does not depend on its length."""

from collections.abc import Mapping

from mujina.planning.quick_actions.arguments import split_users
from mujina.planning.quick_actions.parsing import Command
from mujina.planning.quick_actions.plan import CommandSpec


def fold_commands(commands: list[Command], specs: Mapping[str, CommandSpec]) -> list[Command]:
    """Keeps at most one command for each slot: the last one, or one with the arguments of all if they collect."""
    folded: dict[str, Command] = {}
    arguments: dict[str, dict[str, None]] = {}
    for command in _fold_assignees(commands):
        spec = specs[command.name]
        slot = spec.slot
        if spec.collects:
            # Without an argument it means all, which is a command of its own.
            slot = f"{slot} {'some' if command.argument else 'all'}"
            arguments.setdefault(slot, {})[command.argument] = None
        folded.pop(slot, None)
        folded[slot] = command
    return [
        Command(command.name, " ".join(arguments[slot])) if slot in arguments else command
        for slot, command in folded.items()
    ]


def _fold_assignees(commands: list[Command]) -> list[Command]:
    """The last command that assigns or unassigns a user counts; `/unassign` alone undoes those before it."""
    others: list[Command] = []
    names: dict[str, str] = {}
    everybody: list[Command] = []
    for command in commands:
        if command.name not in _ASSIGNING:
            others.append(command)
        elif command.argument:
            names |= dict.fromkeys(split_users(command.argument), _ASSIGNING[command.name])
        elif command.name == "assign":
            others.append(command)
        else:
            everybody = [command]
            names.clear()
    kept = {action: " ".join(name for name, last in names.items() if last == action) for action in _ASSIGNING.values()}
    return [*others, *everybody, *(Command(action, argument) for action, argument in kept.items() if argument)]


_ASSIGNING = {"unassign": "unassign", "remove_assignee": "unassign", "assign": "assign"}
