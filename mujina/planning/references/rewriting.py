"""Rewrites references in a text that is copied to another project: `#4` becomes `group/project#4`."""

import re
from collections.abc import Collection, Iterable
from typing import Final, LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.workspaces.owners.rules import Owner, inherited

MAX_GROWTH: Final = 100_000
"""Characters by which a text grows at most; references after that stay as they are."""

MAX_NAMES: Final = 1_000
"""Further names of labels, milestones, snippets and epics are not looked up."""

_TEXT: Final = deferred_pattern(
    r"""(?P<code> ```.*?(?:```|\Z) | ~~~.*?(?:~~~|\Z) | `[^`\n]*` )
      | (?<![\w./#!&-]) (?P<sibling> [A-Za-z0-9_][A-Za-z0-9_.-]* )? (?P<mark> [#!]) (?P<iid> \d{1,18} ) (?!\w)
      | (?<![\w./#!&~%$-]) (?P<kind> [~%$&] ) (?: "(?P<quoted> [^"\n]{1,255} )" | (?P<bare> \w (?: [\w?.&-]{0,254} \w )? ) )""",
    re.VERBOSE | re.DOTALL,
)


def qualify_references(text: str, path: str, known: Collection[str] = ()) -> str:
    """The text with references that are valid outside the project at `path`; code stays as it is.

    Labels, milestones, snippets and epics are rewritten if they are `known`: `~5` or `%1` may mean anything else.
    """
    group = path.rpartition("/")[0]
    parts: list[str] = []
    at = growth = 0
    for found in _TEXT.finditer(text):
        if found["code"] is not None or (found["kind"] and _name(found) not in known):
            continue
        prefix = f"{group}/{found['sibling']}" if found["sibling"] else group if found["kind"] == "&" else path
        growth += len(prefix) - len(found["sibling"] or "")
        if growth > MAX_GROWTH:
            break
        parts += [text[at : found.start()], prefix]
        at = found.start() + len(found["sibling"] or "")
    return "".join([*parts, text[at:]])


async def known_references(tx: Tx, project: Owner, target: Owner, texts: Iterable[str]) -> set[str]:
    """The references in these texts, such as `~bug`, `%4`, `$7` and `&1`, that mean something in the project only."""
    named = {_name(found): None for text in texts for found in _TEXT.finditer(text) if found["kind"]}
    names = list(named)[:MAX_NAMES]
    if not names:
        return set()
    numbers = {name: int(name[1:]) for name in names if name[1:].isascii() and name[1:].isdigit() and len(name) < 20}
    found = await tx.rows(
        tuple[str, str, int | None],
        _KNOWN,
        labels=[name[1:] for name in names if name[0] == "~"],
        label_ids=[number for name, number in numbers.items() if name[0] == "~"],
        milestones=[name[1:] for name in names if name[0] == "%"],
        milestone_iids=[number for name, number in numbers.items() if name[0] == "%"],
        snippet_ids=[number for name, number in numbers.items() if name[0] == "$"],
        epic_iids=[number for name, number in numbers.items() if name[0] == "&"],
        target_namespace_id=target.namespace_id,
        **project.bound,
    )
    known = {(kind, number) for kind, _, number in found}
    by_number = {name for name, number in numbers.items() if (name[0], number) in known}
    return by_number | {f"{kind}{title}" for kind, title, _ in found if title}


def _name(found: re.Match[str]) -> str:
    return f"{found['kind']}{found['quoted'] or found['bare']}"


# Labels and milestones of a group that the target is in mean the same there.
_KNOWN: LiteralString = f"""
    SELECT '~', l.title, l.id FROM labels l WHERE (l.title IN :labels OR l.id IN :label_ids)
        AND {inherited("l")}
        AND (l.group_id IS NULL OR l.group_id NOT IN
            (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :target_namespace_id))
    UNION ALL
    SELECT '%', ms.title, CASE WHEN ms.project_id IS NULL THEN NULL ELSE ms.iid END FROM milestones ms
    WHERE (ms.title IN :milestones OR (ms.project_id = :project_id AND ms.iid IN :milestone_iids))
        AND {inherited("ms")}
        AND (ms.group_id IS NULL OR ms.group_id NOT IN
            (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :target_namespace_id))
    UNION ALL
    SELECT '$', '', s.id FROM snippets s WHERE s.project_id = :project_id AND s.id IN :snippet_ids
    UNION ALL
    SELECT '&', '', e.iid FROM epics e WHERE e.group_id = :namespace_id AND e.iid IN :epic_iids
        AND e.group_id <> :target_namespace_id"""
