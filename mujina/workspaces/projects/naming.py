"""Checks of a project's name and path."""

import re
import unicodedata

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.operations import MAX_LENGTH
from mujina.accounts.paths.reserved import BELOW_A_GROUP
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.text import fold

NAME_RULE = (
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."
)
PATH_RULE = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"


WIKI = ".wiki"


def check_name(problems: Problems, name: str) -> None:
    if not name.strip():
        problems.add("name", BLANK)
        return
    problems.limit("name", name, MAX_LENGTH)
    if not _name_fits(name):
        problems.add("name", NAME_RULE)


def _name_fits(name: str) -> bool:
    """Letters, marks, digits, symbols such as emoji, and a little punctuation inside."""
    kinds = [unicodedata.category(character)[0] for character in name]
    return (kinds[0] in "LNS" or name[0] == "_") and all(
        kind in "LNSM" or character in "_.- \u200d" for kind, character in zip(kinds, name, strict=True)
    )


_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*(?<!\.git)(?<!\.atom)")


def check_path(problems: Problems, path: str) -> None:
    if not path.strip():
        problems.add("path", BLANK)
        return
    problems.limit("path", path, MAX_LENGTH)
    if not _PATH.fullmatch(path) or path in (".", ".."):
        problems.add("path", PATH_RULE)
    elif fold(path) in BELOW_A_GROUP:
        problems.add("path", f"{path} is a reserved name")


async def check_name_taken(tx: Tx, problems: Problems, namespace_id: int, name: str) -> None:
    """Two projects of one namespace differ in name."""
    if await tx.value(
        "SELECT 1 FROM projects p WHERE p.namespace_id = :id AND p.name = :name AND p.deleted_at IS NULL",
        id=namespace_id, name=name,
    ):  # fmt: skip
        problems.add("name", TAKEN)


async def check_path_taken(tx: Tx, problems: Problems, full_path: str) -> None:
    """Paths are unique regardless of case, and no project has the path of another project's wiki."""
    if await paths.taken(tx, full_path):
        problems.add("path", TAKEN)
    elif await tx.value(
        "SELECT 1 FROM routes r WHERE r.path_folded = :path AND r.project_id IS NOT NULL", path=_beside(fold(full_path))
    ):
        problems.add("name", TAKEN)


def _beside(path: str) -> str:
    """The path of the project whose wiki would be at this path, or the path of this project's wiki."""
    return path.removesuffix(WIKI) if path.endswith(WIKI) else path + WIKI
