"""The actions of a commit, as clients spell them."""

import base64
import binascii
from collections.abc import Callable
from typing import Any

from mujina.code.commits.operations import Action
from mujina.kernel import errors
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import BadValue, read_boolean, read_text

VERBS = ("create", "update", "delete", "move", "chmod")
WRITING = ("create", "update")
MAX_COUNT = 1_000


def read_actions(trees: list[Tree]) -> list[Action]:
    """Every action, or the first complaint about one."""
    if not trees:
        raise errors.unacceptable("actions is empty")
    if len(trees) > MAX_COUNT:
        raise errors.unacceptable(f"actions is too long (maximum is {MAX_COUNT})")
    return [_read(tree) for tree in trees]


def _read(tree: Tree) -> Action:
    verb, path = _text(tree, "action"), _text(tree, "file_path")
    if not verb:
        raise errors.missing("actions[action]")
    if verb not in VERBS:
        raise errors.unacceptable("actions[action] does not have a valid value")
    if not path:
        raise errors.missing("actions[file_path]")
    if verb in WRITING and "content" not in tree:
        raise errors.missing("actions[content]")
    if verb == "move" and not _text(tree, "previous_path"):
        raise errors.missing("actions[previous_path]")
    has_content = tree.get("content") is not None
    return Action(
        action=verb,
        path=path,
        content=decode(_text(tree, "content"), _text(tree, "encoding"), "actions[{}]") if has_content else None,
        previous_path=_text(tree, "previous_path"),
        last_commit_id=_text(tree, "last_commit_id"),
        executable=_field(tree, "execute_filemode", read_boolean),
    )


def _text(tree: Tree, name: str) -> Any:
    return _field(tree, name, read_text) or ""


def _field(tree: Tree, name: str, read: Callable[[Any], Any]) -> Any:
    """The value of a field; None if it is not there."""
    try:
        return read(tree[name]) if tree.get(name) is not None else None
    except BadValue:
        raise errors.unacceptable(f"actions[{name}] is invalid") from None


def decode(content: str, encoding: str, name: str = "{}") -> bytes:
    """Decodes the content that a client sends as text, or as base64, which some break into lines.

    `name` spells the name of a parameter in complaints.
    """
    if encoding in ("", "text"):
        return content.encode()
    if encoding != "base64":
        raise errors.unacceptable(f"{name.format('encoding')} does not have a valid value")
    try:
        return base64.b64decode("".join(content.split()), validate=True)
    except (binascii.Error, ValueError):
        raise errors.unacceptable(f"{name.format('content')} is invalid") from None
