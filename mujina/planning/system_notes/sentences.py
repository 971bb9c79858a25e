"""The sentences of system notes: one for each change of a field that issues, merge requests and epics share."""

import re
from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Changes, Event
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.planning.time_tracking.durations import format_duration

TASK = deferred_pattern(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(\S.*)$", re.MULTILINE)
"""A line that is a task: its box and its text."""

MAX_TASK_NOTES = 20
"""If an edit marks more tasks, one note stands for all of them."""

Names = dict[tuple[str, int | str], str]
"""The references that notes use, for a user (by id), a label (by title) or a milestone (by id)."""


_NAMING_CHANGES = ("assignee_ids", "reviewer_ids", "labels", "milestone_id")


async def names_in(tx: Tx, event: Event) -> Names:
    """The references for everything that the changes name, from at most one statement."""
    if event.changes.keys().isdisjoint(_NAMING_CHANGES):
        return {}
    users, reviewers, titles, milestones = (event.changes.get(name, ([], [])) for name in _NAMING_CHANGES)
    rows = await tx.rows(
        tuple[str, int, str, str],
        _NAMES,
        project_id=event.project_id,
        group_id=event.group_id,
        user_ids=[*users[0], *users[1], *reviewers[0], *reviewers[1]],
        titles=[*titles[0], *titles[1]],
        milestone_id=milestones[1] or None,
    )
    return {(kind, title if kind == "label" else id_): name for kind, id_, title, name in rows}


# A label is referred to by id, so that the note stays valid when it is renamed; if the project and a group above it have
# labels of one title, the label of the group is meant. A milestone of a project is named by iid, of a group by title.
_NAMES: LiteralString = """
    SELECT 'user', u.id, '', '@' || u.username FROM users u WHERE u.id IN :user_ids
    UNION ALL
    SELECT 'label', coalesce(l.group_id, 0), l.title, '~' || l.id FROM labels l WHERE l.title IN :titles
        AND (l.project_id = :project_id OR l.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id =
            coalesce((SELECT p.namespace_id FROM projects p WHERE p.id = :project_id), CAST(:group_id AS bigint))))
    UNION ALL
    SELECT 'milestone', ms.id, '', CASE WHEN ms.project_id IS NULL THEN '%"' || ms.title || '"' ELSE '%' || ms.iid END
    FROM milestones ms WHERE ms.id = CAST(:milestone_id AS bigint)
    ORDER BY 1, 2"""


def title(changes: Changes) -> list[str]:
    if "title" not in changes:
        return []
    before, after = _marked(*changes["title"])
    return [f"changed title from **{before}** to **{after}**"]


def _marked(before: str, after: str) -> tuple[str, str]:
    """Both titles with the differing parts between `{-` `-}` and `{+` `+}`."""
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    end = next((n for n in range(shorter - start) if before[-1 - n] != after[-1 - n]), shorter - start)
    removed, added = before[start : len(before) - end], after[start : len(after) - end]
    tail = after[len(after) - end :]
    return (
        f"{before[:start]}{{-{removed}-}}{tail}" if removed else before,
        f"{after[:start]}{{+{added}+}}{tail}" if added else after,
    )


def description(changes: Changes) -> list[str]:
    """The checked and unchecked tasks, if nothing else changed."""
    if "description" not in changes:
        return []
    before, after = (text or "" for text in changes["description"])
    if TASK.sub(_unchecked, before) != TASK.sub(_unchecked, after):
        return ["changed the description"]
    pairs = zip(TASK.findall(before), TASK.findall(after), strict=True)
    marked = [(box, task) for (old, _), (box, task) in pairs if (old == " ") != (box == " ")]
    if len(marked) > MAX_TASK_NOTES:
        return [f"marked {len(marked)} tasks as completed or incomplete"]
    return [
        f"marked the task **{task.rstrip()}** as {'incomplete' if box == ' ' else 'completed'}" for box, task in marked
    ]


def _unchecked(task: re.Match[str]) -> str:
    return task[0].replace(f"[{task[1]}]", "[ ]", 1)


def assignees(changes: Changes, names: Names) -> list[str]:
    if "assignee_ids" not in changes:
        return []
    before, after = changes["assignee_ids"]
    if not after:
        return ["removed assignee"]
    added = [names["user", id_] for id_ in after if id_ not in before]
    removed = [names["user", id_] for id_ in before if id_ not in after]
    parts = [f"assigned to {join(added)}"] if added else []
    return [" and ".join([*parts, *([f"unassigned {join(removed)}"] if removed else [])])]


def labels(changes: Changes, names: Names) -> list[str]:
    if "labels" not in changes:
        return []
    before, after = changes["labels"]
    added = [names["label", title] for title in after if title not in before and ("label", title) in names]
    removed = [names["label", title] for title in before if title not in after and ("label", title) in names]
    parts = [*([f"added {' '.join(added)}"] if added else []), *([f"removed {' '.join(removed)}"] if removed else [])]
    return [f"{' and '.join(parts)} {'label' if len(added) + len(removed) == 1 else 'labels'}"] if parts else []


def milestone(changes: Changes, names: Names) -> list[str]:
    if "milestone_id" not in changes:
        return []
    name = names.get(("milestone", changes["milestone_id"][1]))
    return [f"changed milestone to {name}" if name else "removed milestone"]


def time(changes: Changes) -> list[str]:
    bodies: list[str] = []
    if "time_estimate" in changes:
        estimate = format_duration(changes["time_estimate"][1])
        bodies.append(f"changed time estimate to {estimate}" if estimate else "removed time estimate")
    if "time_spent" in changes:
        day, seconds = changes["time_spent"]
        verb, when = "added" if seconds > 0 else "subtracted", f" at {day}" if day else ""
        bodies.append(f"{verb} {format_duration(abs(seconds))} of time spent{when}")
    elif "total_time_spent" in changes:
        bodies.append("removed time spent")
    return bodies


def join(words: list[str]) -> str:
    """`a`, `a and b`, `a, b, and c`."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{', '.join(words[:-1])}, and {words[-1]}"
