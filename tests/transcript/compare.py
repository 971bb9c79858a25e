"""Two recordings side by side: what differs, grouped by route."""

import json
import re
from collections import defaultdict
from difflib import unified_diff
from typing import Any

Exchange = dict[str, Any]

_MARKUP = re.compile(r"<(form|input|select|textarea|button|a|link|meta)\b([^>]*)>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(method|action|name|type|href|value)=\"([^\"]*)\"")
_ID = re.compile(r'((?:\\"|_|&quot;|\b)ids?\\":\s?\[?|/|%2F)\d+\b(?!\.)')
_LONGEST = 12
"""Differences that are printed of one exchange."""


def differences(
    left: list[Exchange], right: list[Exchange], *, texts: bool = False, ids: bool = True
) -> dict[str, list[str]]:
    """Route → what differs in each of its exchanges.

    Without `texts`, pages are compared by their links and fields. Without `ids`, numbers that a database gives are
    not compared: after a rollback, PostgreSQL leaves a number out and SQLite does not.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for before, after in (
        zip(left, right, strict=False) if ids else zip(*map(_without_ids, (left, right)), strict=False)
    ):
        lines = [
            *_in_requests(before, after),
            *_lines("status", before["status"], after["status"]),
            *_in_headers(before["headers"], after["headers"]),
            *_in_answers(before, after, texts=texts),
        ]
        if lines:
            title = f"#{before['number']} {before['caller']}: {before['request']}"
            sent = f"\n    sent {before['body'][:200]}" if before["body"] else ""
            found[before["route"]].append(title + sent + "".join(f"\n    {line}" for line in lines))
    if len(left) != len(right):
        found["(the recordings)"].append(f"{len(left)} exchanges on the left, {len(right)} on the right")
    return dict(found)


def _without_ids(exchanges: list[Exchange]) -> list[Exchange]:
    return [json.loads(_ID.sub(r"\1<id>", json.dumps(each))) for each in exchanges]


def _in_requests(before: Exchange, after: Exchange) -> list[str]:
    """Requests are made of earlier answers: a difference here follows from one above."""
    names = ("caller", "request", "sent", "body")
    return [line for name in names for line in _lines(f"request, {name}", before[name], after[name])]


def _in_headers(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return [
        line
        for name in sorted(before.keys() | after.keys())
        for line in _lines(f"header {name}", before.get(name), after.get(name))
    ]


def _in_answers(before: Exchange, after: Exchange, *, texts: bool) -> list[str]:
    if before["answer"] == after["answer"]:
        return []
    if not texts and all("text/html" in each["headers"].get("content-type", "") for each in (before, after)):
        return _in_texts(_outline(before["answer"]), _outline(after["answer"]))
    try:
        lines = list(_in_values("body", json.loads(before["answer"]), json.loads(after["answer"])))
    except ValueError:
        return _in_texts(before["answer"].splitlines(), after["answer"].splitlines())
    more = [f"and {len(lines) - _LONGEST} more"] if len(lines) > _LONGEST else []
    return lines[:_LONGEST] + more or ["body: the same values, in another order or spelling of JSON"]


def _in_values(place: str, before: Any, after: Any) -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        missing = object()
        return [
            line
            for key in dict.fromkeys([*before, *after])
            for line in _in_members(f"{place}.{key}", before.get(key, missing), after.get(key, missing), missing)
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [line for n, (one, other) in pairs for line in _in_values(f"{place}[{n}]", one, other)]
    return _lines(place, before, after)


def _in_members(place: str, before: Any, after: Any, missing: object) -> list[str]:
    if before is missing:
        return [f"{place}: only on the right: {_short(after)}"]
    if after is missing:
        return [f"{place}: only on the left: {_short(before)}"]
    return _in_values(place, before, after)


def _in_texts(before: list[str], after: list[str]) -> list[str]:
    changes = [
        line for line in unified_diff(before, after, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))
    ]
    more = [f"and {len(changes) - _LONGEST} more"] if len(changes) > _LONGEST else []
    return [f"body {line[:300]}" for line in changes[:_LONGEST]] + more


def _outline(page: str) -> list[str]:
    """The links, forms and fields of a page, without its sentences."""
    return [
        f"{tag} {' '.join('='.join(pair) for pair in _ATTRIBUTE.findall(rest))}" for tag, rest in _MARKUP.findall(page)
    ]


def _lines(name: str, before: Any, after: Any) -> list[str]:
    same = type(before) is type(after) and before == after
    return [] if same else [f"{name}: {_short(before)} -> {_short(after)}"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}…"
