"""Checks of a project's name and path."""

import re
import unicodedata

from mujina.accounts.paths import operations as paths
from mujina.accounts.paths.operations import MAX_LENGTH
from mujina.accounts.paths.reserved import BELOW_A_GROUP
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import BLANK, TAKEN, Problems
from mujina.kernel.text.folding import fold

NAME_RULE = (
    "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'."
)
PATH_RULE = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
WIKI = ".wiki"
WIKI_RULE = f"cannot end in '{WIKI}': the wiki of another project is there"


def check_name(problems: Problems, name: str) -> None:
    if not name.strip():
        problems.add("name", BLANK)
        return
    problems.limit("name", name, MAX_LENGTH)
    if not _name_fits(name):
        problems.add("name", NAME_RULE)


def _name_fits(name: str) -> bool:
    """Letters, marks, digits and emoji; inside also dashes, dots, spaces and what joins emoji."""
    return (_is_word(name[0]) or name[0] == "_") and all(
        _is_word(character)
        or unicodedata.category(character)[0] == "M"
        or character in "_. \u200d"
        or unicodedata.category(character) == "Pd"
        for character in name
    )


def _is_word(character: str) -> bool:
    """A letter, a digit or an emoji. Symbols of mathematics and money and accents alone, such as `<`, `$`, `^`, are none."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category == "So" or character in _SKIN_TONES


_SKIN_TONES = frozenset("\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Emoji that change the one before; Unicode counts them as accents."""


_PATH = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]*(?<!\.git)(?<!\.atom)", re.IGNORECASE | re.ASCII)


def check_path(problems: Problems, path: str) -> None:
    if not path.strip():
        problems.add("path", BLANK)
        return
    problems.limit("path", path, MAX_LENGTH)
    if not _PATH.fullmatch(path) or path in (".", ".."):
        problems.add("path", PATH_RULE)
    elif fold(path).endswith(WIKI):
        problems.add("path", WIKI_RULE)
    elif fold(path) in BELOW_A_GROUP:
        problems.add("path", f"{path} is a reserved name")


async def check_name_taken(tx: Tx, problems: Problems, namespace_id: int, name: str) -> None:
    """Two projects of one namespace differ in name."""
    if await is_name_taken(tx, namespace_id, name):
        problems.add("name", TAKEN)


async def is_name_taken(tx: Tx, namespace_id: int, name: str) -> bool:
    """Whether a project of the namespace has the name."""
    found = await tx.value(
        "SELECT 1 FROM projects p WHERE p.namespace_id = :id AND p.name = :name AND p.deleted_at IS NULL",
        id=namespace_id,
        name=name,
    )
    return found is not None


async def check_path_taken(tx: Tx, problems: Problems, full_path: str) -> None:
    """Paths are unique regardless of case."""
    if await paths.taken(tx, full_path):
        problems.add("path", TAKEN)
