"""Bodies and query strings become one tree of plain values: dicts, lists, text, numbers, uploads.

The bracket grammar of this API family (`iids[]=1`, `custom_attributes[key]=v`, `actions[][action]=create`) is read by
hand because no kept library does: falcon's own reader stops at flat names.
"""

import re
from collections.abc import Iterable
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec

from mujina.kernel import errors

MAX_FIELDS = 5_000
MAX_DEPTH = 8
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_PLAIN = re.compile(r"[A-Za-z0-9_.=&-]{,500}")
"""A query without anything encoded and without brackets."""

Tree = dict[str, Any]


class Upload(msgspec.Struct, frozen=True):
    """A file that arrived in a multipart body."""

    filename: str
    content_type: str
    data: bytes


def read_query(text: bytes | str, *, named: str = "query") -> Tree:
    """A query string or a form body as a tree; 400 when it is not UTF-8 or absurdly large, with what it is `named`."""
    if not text:
        return {}
    if isinstance(text, str) and _PLAIN.fullmatch(text):
        parts = [pair.partition("=") for pair in text.split("&") if pair]
        return {name: value for name, _, value in parts}
    try:
        raw = text.decode() if isinstance(text, bytes) else text
        pairs = parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS, encoding="utf-8")
    except ValueError:
        raise errors.unacceptable(f"{named} is invalid") from None
    return nest(pairs)


def read_json(body: bytes) -> Tree:
    """A JSON body as a tree; an array or a scalar adds no parameters."""
    if not body.strip():
        return {}
    try:
        value: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise errors.malformed_body() from None
    return cast("Tree", value) if isinstance(value, dict) else {}


def nest(pairs: Iterable[tuple[str, Any]]) -> Tree:
    """Pairs with bracketed names as a tree: `a[]` appends, `a[k]` is a dict, `a[][k]` a list of dicts."""
    tree: Tree = {}
    for name, value in pairs:
        head, bracket, _ = name.partition("[")
        steps = _BRACKETS.findall(name[len(head) :]) if bracket else []
        if len(steps) > MAX_DEPTH:
            raise errors.unacceptable(f"{head} is invalid")
        _put(tree, head or name, steps, value)
    return tree


def _put(tree: Tree, name: str, steps: list[str], value: Any) -> None:
    if not steps:
        tree[name] = value
        return
    step, rest = steps[0], steps[1:]
    if step:
        branch = tree.get(name)
        if not isinstance(branch, dict):
            branch = tree[name] = Tree()
        _put(cast("Tree", branch), step, rest, value)
        return
    items = tree.get(name)
    if not isinstance(items, list):
        items = tree[name] = []
    _append(cast("list[Any]", items), rest, value)


def _append(items: list[Any], steps: list[str], value: Any) -> None:
    """`a[][k]=v`: a key the last element already has starts the next element."""
    if not steps:
        items.append(value)
        return
    last = items[-1] if items else None
    if not isinstance(last, dict) or (len(steps) == 1 and steps[0] in last):
        last = Tree()
        items.append(last)
    _put(cast("Tree", last), steps[0] or "", steps[1:], value)
