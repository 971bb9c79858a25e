"""The field's words: one public class of each name, and none of the names that say nothing to a stranger."""

import ast
import re
from collections import defaultdict

from tests.architecture.source import Module, modules

BANNED = (
    "House", "house", "furnish", "Holder", "Heard", "Ledger", "said", "told", "heard", "brought", "judge", "mend",
    "settle", "look_ahead", "_ear", "_hear", "Unsettled", "dressed", "Standing", "Demands", "Unfit", "Unwieldy",
    "NotBelieved", "BREATH", "TOLD", "AROUND", "LONGEST", "FRESH_SECONDS",
)  # fmt: skip

OFFENDERS: dict[str, set[str]] = {
    "mujina/activity/events/entities.py": {"told"},
    "mujina/activity/search/operations.py": {"said"},
    "mujina/adapters/git.py": {"said"},
    "mujina/adapters/git_copying.py": {"said", "told"},
    "mujina/adapters/git_grep.py": {"told"},
    "mujina/adapters/git_history.py": {"said"},
    "mujina/adapters/git_log.py": {"said"},
    "mujina/adapters/git_pointers.py": {"LONGEST"},
    "mujina/adapters/git_reading.py": {"told"},
    "mujina/adapters/git_refs.py": {"said"},
    "mujina/adapters/git_trees.py": {"Unwieldy"},
    "mujina/adapters/git_writing.py": {"Unfit", "Unwieldy", "told"},
    "mujina/adapters/outbound_guard.py": {"judge"},
    "mujina/cli/programs.py": {"told"},
    "mujina/code/commit_statuses/operations.py": {"LONGEST", "Standing"},
    "mujina/code/commits/operations.py": {"Unfit", "Unwieldy", "told"},
    "mujina/code/commits/routes.py": {"Unfit", "told"},
    "mujina/code/files/operations.py": {"Unwieldy"},
    "mujina/code/files/routes.py": {"Unfit"},
    "mujina/code/imports/jobs.py": {"said"},
    "mujina/code/protected_branches/grants.py": {"said"},
    "mujina/code/push_rules/patterns.py": {"LONGEST"},
    "mujina/code/repositories/jobs.py": {"mend"},
    "mujina/code/snippets/operations.py": {"LONGEST"},
    "mujina/code/tags/operations.py": {"LONGEST"},
    "mujina/code/wikis/operations.py": {"LONGEST", "Unfit", "Unwieldy"},
    "mujina/git/exchange.py": {"said"},
    "mujina/git/hook_line.py": {"judge", "settle"},
    "mujina/git/lfs_locks.py": {"said"},
    "mujina/git/lfs_login.py": {"said"},
    "mujina/git/lfs_requests.py": {"said"},
    "mujina/git/packs.py": {"look_ahead", "said", "told"},
    "mujina/git/receive.py": {
        "Demands",
        "FRESH_SECONDS",
        "Standing",
        "Unsettled",
        "judge",
        "look_ahead",
        "mend",
        "settle",
        "told",
    },
    "mujina/git/ref_checks.py": {"Demands"},
    "mujina/git/standing.py": {"Demands", "Standing"},
    "mujina/planning/issues/durations.py": {"LONGEST"},
    "mujina/planning/issues/filters.py": {"said"},
    "mujina/planning/issues/moving.py": {"said"},
    "mujina/planning/issues/routes.py": {"said"},
    "mujina/planning/issues/time_tracking.py": {"LONGEST"},
    "mujina/planning/labels/operations.py": {"LONGEST"},
    "mujina/planning/milestones/operations.py": {"LONGEST"},
    "mujina/planning/notes/system_notes.py": {"said"},
    "mujina/planning/quick_actions/deeds.py": {"said"},
    "mujina/planning/quick_actions/edits.py": {"said", "told"},
    "mujina/planning/quick_actions/naming.py": {"said"},
    "mujina/planning/quick_actions/operations.py": {"said", "told"},
    "mujina/planning/quick_actions/reading.py": {"said"},
    "mujina/planning/references/following.py": {"said"},
    "mujina/processes/supervisor.py": {"heard"},
    "mujina/web/health.py": {"told"},
}
"""File → banned identifiers that are still in it. Nothing may be added; what is gone must be struck out."""

REPEATED: dict[str, set[str]] = {
    "Comparison": {"mujina.code.commits.entities", "mujina.code.commits.operations"},
    "Contribution": {"mujina.activity.events.entities", "mujina.activity.events.kinds"},
    "ListRow": {"mujina.planning.boards.entities", "mujina.planning.boards.rules"},
    "ProtectBranch": {"mujina.code.branches.params", "mujina.code.protected_branches.params"},
    "Refused": {"mujina.adapters.outbound_guard", "mujina.git.receive"},
    "ShownRow": {
        "mujina.activity.events.entities",
        "mujina.planning.awards.entities",
        "mujina.planning.notes.entities",
        "mujina.planning.todos.entities",
    },
    "Standing": {"mujina.code.commit_statuses.operations", "mujina.git.standing"},
}
"""Class name → the modules that share it. Nothing may be added; what is gone must be struck out."""


MODULES = ["mujina/git/standing.py"]
"""Modules that still have a banned name."""


def identifiers(module: Module) -> set[str]:
    """Every name that the module defines, assigns, takes as a parameter or gives as a keyword."""
    found: set[str] = set()
    for node in ast.walk(module.tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
            case ast.keyword(arg=str(name)):
                found.add(name)
            case _:
                pass
    return found


def test_no_banned_identifier_is_used():
    used = {module.place: identifiers(module) & set(BANNED) for module in modules().values()}
    assert {place: names for place, names in used.items() if names} == OFFENDERS


def test_no_module_has_a_banned_name():
    plain = {word.strip("_").lower() for word in BANNED}
    assert [m.place for m in modules().values() if plain & set(re.split(r"[._]", m.name))] == MODULES


def test_a_public_class_name_exists_once():
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules().values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(module.name)
    assert {name: places for name, places in homes.items() if len(places) > 1} == REPEATED
