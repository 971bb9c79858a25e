"""Creating, editing, promoting and deleting labels, and labeling issues and merge requests."""

from collections.abc import Sequence
from typing import Any, LiteralString, Protocol

from mujina.kernel import clock, errors
from mujina.kernel.db.errors import UniqueViolation, unique
from mujina.kernel.db.rows import (
    changed_columns,
    delete_row,
    insert_each,
    insert_id,
    sent_columns,
    timestamps,
    update,
    upsert,
)
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET, Names, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold, folded_columns
from mujina.planning.labels import colors
from mujina.planning.labels.params import CreateLabel, EditLabel
from mujina.planning.labels.presets import DEFAULT_SET
from mujina.planning.labels.rules import NAMED, USABLE, LabelRow, owned
from mujina.planning.work_items.kinds import WORK_ITEM_KINDS, WorkItemKind
from mujina.workspaces.owners.rules import Owner

MAX_TITLE_LENGTH = 255
_BELOW: LiteralString = """
    SELECT l.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
    JOIN labels l ON l.project_id = p.id AND l.title = :title
    WHERE t.ancestor_id = :group_id ORDER BY l.id FOR UPDATE OF l"""
"""The labels of this title in the projects of the group and of the groups below it, locked."""


async def create(tx: Tx, actor: Actor, owner: Owner, change: CreateLabel) -> int:
    """A new label; 409 if a label of its name is usable here."""
    columns = _columns(change, change.name)
    title = columns["title"]
    _check(title, columns["color"], change.priority)
    if title in await known(tx, owner, [title]):
        raise _exists()
    try:
        label_id: int = await insert_id(tx, "labels", **columns, title_folded=fold(title), **owner.ids, **timestamps())
    except UniqueViolation:
        raise _exists() from None
    await _set_priority(tx, owner, label_id, change.priority)
    await _record(tx, "label.created", actor, owner, label_id, {"title": (None, title)})
    return label_id


async def create_default_set(tx: Tx, actor: Actor, owner: Owner) -> int:
    """Create the labels of the default set whose names are not usable here yet; their number."""
    present = await known(tx, owner, [title for title, _ in DEFAULT_SET])
    new = [(title, color) for title, color in DEFAULT_SET if title not in present]
    for title, color in new:
        await create(tx, actor, owner, CreateLabel(name=title, color=color))
    return len(new)


async def edit(tx: Tx, actor: Actor, owner: Owner, label: LabelRow, change: EditLabel) -> None:
    """Apply the change; issues keep the label under its new name. A taken name is a validation error."""
    columns = _columns(change, change.new_name)
    _check(columns.get("title", label.title), columns.get("color", label.color), change.priority)
    if columns and not owned(label, owner):
        raise _not_owned()
    if columns.get("title", label.title) != label.title and columns["title"] in await known(
        tx, owner, [columns["title"]]
    ):
        raise errors.taken("title")
    with unique("title"):
        await update(
            tx, "labels", {**columns, **folded_columns(columns, "title"), "updated_at": clock.now()}, id=label.id
        )
    await _set_priority(tx, owner, label.id, change.priority)
    await _record(tx, "label.updated", actor, owner, label.id, changed_columns(label, columns))


async def remove(tx: Tx, actor: Actor, owner: Owner, label: LabelRow) -> None:
    """Delete the label and remove it from its issues."""
    if not owned(label, owner):
        raise _not_owned()
    await delete_row(tx, "labels", "Label", id=label.id)
    await _record(tx, "label.deleted", actor, owner, label.id, {"title": (label.title, None)})


async def subscribe(tx: Tx, actor: Actor, label: LabelRow, *, subscribed: bool) -> bool:
    """Subscribe or unsubscribe the actor; False if nothing changes."""
    changed = await tx.run(
        """
        INSERT INTO label_subscriptions (label_id, user_id, subscribed) VALUES (:id, :actor, :subscribed)
        ON CONFLICT (label_id, user_id) DO UPDATE SET subscribed = excluded.subscribed
        WHERE label_subscriptions.subscribed <> excluded.subscribed
        """
        if subscribed
        else "DELETE FROM label_subscriptions WHERE label_id = :id AND user_id = :actor AND subscribed",
        id=label.id,
        actor=actor.id,
        subscribed=subscribed,
    )
    return changed > 0


async def known(tx: Tx, owner: Owner, titles: list[str]) -> dict[str, int]:
    """The ids of usable labels of these titles; labels of a group come before those of the project."""
    return preferred(await tx.rows(tuple[str, int, int | None], NAMED, titles=titles, **owner.bound))


def preferred(named: Sequence[tuple[str, int, int | None]]) -> dict[str, int]:
    """The ids by title, of labels as `NAMED` finds them: those of a group come before those of the project."""
    ordered = sorted(named, key=lambda row: (row[2] is None, row[2] or 0), reverse=True)
    return {title: id_ for title, id_, _ in ordered}


async def copy_to_issue(tx: Tx, issue_id: int, project: Owner, new_id: int) -> None:
    """Give the issue `new_id` the usable labels of the project whose titles the other issue has."""
    await tx.run(
        f"""
        INSERT INTO issue_labels (issue_id, label_id)
        SELECT CAST(:new_id AS bigint), coalesce(min(CASE WHEN l.project_id IS NULL THEN l.id END), min(l.id))
        FROM labels l WHERE {USABLE} AND l.title IN (
            SELECT old.title FROM issue_labels il JOIN labels old ON old.id = il.label_id WHERE il.issue_id = :id)
        GROUP BY l.title
        """,
        id=issue_id,
        new_id=new_id,
        **project.bound,
    )


class LabelChange(Protocol):
    """The parameters of a request that replaces labels, or adds and removes some."""

    @property
    def labels(self) -> Names | Unset: ...
    @property
    def add_labels(self) -> Names | Unset: ...
    @property
    def remove_labels(self) -> Names | Unset: ...


async def relabel(tx: Tx, kind: WorkItemKind, project: Owner, id: int, change: LabelChange) -> dict[str, Any]:
    """Label the issue or merge request as requested; new titles become labels of the project.

    `labels` → the titles before and after; empty if nothing changes.
    """
    exactly = None if change.labels is UNSET else change.labels or []
    added, removed = change.add_labels or [], change.remove_labels or []
    if exactly is None and not added and not removed:
        return {}
    titles = [*(exactly or []), *added]
    check_titles(titles)
    found = await tx.rows(tuple[str, int, bool], _current_or_named(kind), id=id, titles=titles, **project.bound)
    before = sorted(title for title, _, current in found if current)
    kept = before if exactly is None else exactly
    after = sorted({title for title in [*kept, *added] if title not in removed})
    if after == before:
        return {}
    known = {title: id_ for title, id_, _ in reversed(found) if title in after}
    new = [title for title in after if title not in known]
    if obsolete := [id_ for title, id_, current in found if current and title not in known]:
        await tx.run(f"DELETE FROM {kind.labels} WHERE {kind.key} = :id AND label_id IN :ids", id=id, ids=obsolete)
    await add(tx, kind, project, id, list(known.values()), new)
    return {"labels": (before, after)}


def _current_or_named(kind: WorkItemKind) -> LiteralString:
    """Title, id, and whether the row has it: its labels come first, then those of groups, then those of the project.

    Of two with one title the first is meant.
    """
    return f"""
    SELECT found.title, found.id, found.present FROM (
        SELECT l.title, l.id, l.group_id, TRUE AS present FROM {kind.labels} used JOIN labels l ON l.id = used.label_id
        WHERE used.{kind.key} = :id
        UNION ALL
        SELECT named.title, named.id, named.group_id, FALSE FROM ({NAMED}) named) found
    ORDER BY CASE WHEN found.present THEN 0 ELSE 1 END, found.group_id NULLS LAST"""


async def create_missing(tx: Tx, project: Owner, titles: list[str]) -> None:
    """New labels of the project; concurrent requests create one label per title."""
    if titles:
        fixed = {"project_id": project.id, "color": colors.DEFAULT, **timestamps()}
        labels = [{"title": title, "title_folded": fold(title), **fixed} for title in titles]
        await insert_each(tx, "labels", labels, "ON CONFLICT DO NOTHING")


async def add(tx: Tx, kind: WorkItemKind, project: Owner, id: int, label_ids: list[int], new: list[str]) -> None:
    """Add labels: those of these ids, and new ones of the project. Labels being deleted are skipped."""
    await create_missing(tx, project, new)
    if label_ids or new:
        meant = (
            "l.id IN :label_ids OR (l.project_id = :project_id AND l.title IN :titles)" if new else "l.id IN :label_ids"
        )
        await tx.run_each(
            f"""
            INSERT INTO {kind.labels} ({kind.key}, label_id) SELECT CAST(:id AS bigint), l.id FROM labels l
            WHERE {meant} ORDER BY l.id FOR KEY SHARE ON CONFLICT DO NOTHING
            """,
            [{"id": id, "label_ids": label_ids, **({"project_id": project.id, "titles": new} if new else {})}],
        )


NOT_COLUMNS = {"name", "new_name", "priority"}
"""The parameters that no column is set to as they are."""


def _columns(change: CreateLabel | EditLabel, name: str | Unset) -> dict[str, Any]:
    """The columns that a request sets."""
    columns: dict[str, Any] = {} if name is UNSET else {"title": name.strip()}
    columns |= sent_columns(LabelRow, change.sent_fields(), exclude=NOT_COLUMNS)
    if change.color is not UNSET:
        columns["color"] = colors.code(change.color)
    if change.description is not UNSET:
        columns["description"] = change.description or None
    return columns


def _check(title: str, color: str | None, priority: Any) -> None:
    problems = Problems()
    problems.require("title", title, MAX_TITLE_LENGTH)
    if "," in title:
        problems.add("title", INVALID)
    if color is None:
        problems.add("color", "must be a valid color code")
    if isinstance(priority, int) and priority < 0:
        problems.add("priority", "must be greater than or equal to 0")
    problems.refuse()


def check_titles(titles: list[str]) -> None:
    """Titles that become labels of an issue; the complaint stands under the name of the embedded entity."""
    if all(len(title) <= MAX_TITLE_LENGTH for title in titles):
        return
    title, issue = Problems(), Problems()
    for name in titles:
        title.limit("title", name, MAX_TITLE_LENGTH)
    issue.embed("labels", title.found)
    issue.refuse()


async def priority_of(tx: Tx, owner: Owner, label: LabelRow) -> int | None:
    """The priority that the project gives to the label."""
    return await tx.value(
        "SELECT lp.priority FROM label_priorities lp WHERE lp.project_id = :project_id AND lp.label_id = :id",
        project_id=owner.project_id,
        id=label.id,
    )


async def _set_priority(tx: Tx, owner: Owner, label_id: int, priority: Any) -> None:
    """Set the priority of the label in the project; None removes it."""
    if owner.project_id is None or priority is UNSET:
        return
    if priority is None:
        await tx.run(
            "DELETE FROM label_priorities WHERE project_id = :project_id AND label_id = :id",
            project_id=owner.project_id,
            id=label_id,
        )
        return
    key: LiteralString = "project_id, label_id"
    await upsert(tx, "label_priorities", key, project_id=owner.project_id, label_id=label_id, priority=priority)


def _exists() -> errors.ApiError:
    return errors.conflict("Label already exists")


def _not_owned() -> errors.ApiError:
    return errors.forbidden("a label of a group is changed in the group")


async def _record(tx: Tx, kind: str, actor: Actor, owner: Owner, label_id: int, changes: dict[str, Any]) -> None:
    await record(tx, kind, actor, subject_id=label_id, changes=changes, **owner.ids)


async def promote(tx: Tx, actor: Actor, project: Owner, label: LabelRow, group: Owner) -> int:
    """The label belongs to the group; labels of its title in the projects below are merged into it.

    If the group has a label of this title, they are all merged into that one. Returns the id of the label.
    """
    below: list[int] = await tx.values(_BELOW, title=label.title, group_id=group.id)
    if not owned(label, project) or label.id not in below:  # another request has promoted or deleted it meanwhile
        raise errors.not_found("Label")
    existing = await tx.value(
        "SELECT l.id FROM labels l WHERE l.group_id = :group_id AND l.title = :title",
        group_id=group.id,
        title=label.title,
    )
    promoted = existing or label.id
    if existing is None:
        columns = {"project_id": None, "group_id": group.id, "updated_at": clock.now()}
        await update(tx, "labels", columns, id=label.id)
    former = [label_id for label_id in below if label_id != promoted]
    await _merge(tx, promoted, former)
    await record(  # before the deletion: what follows still sees the labels
        tx, "label.promoted", actor, subject_id=promoted, group_id=group.id,
        changes={"title": (label.title, label.title), "label_ids": (former, promoted)},
    )  # fmt: skip
    await tx.run("DELETE FROM labels WHERE id IN :ids", ids=former)
    return promoted


async def _merge(tx: Tx, promoted: int, former: list[int]) -> None:
    """Whatever has one of the former labels has the promoted one as well."""
    for kind in tx.product.all(WORK_ITEM_KINDS):
        await tx.run(
            f"""INSERT INTO {kind.labels} ({kind.key}, label_id)
                SELECT DISTINCT used.{kind.key}, CAST(:promoted AS bigint) FROM {kind.labels} used
                WHERE used.label_id IN :former ON CONFLICT DO NOTHING""",
            promoted=promoted,
            former=former,
        )
    await tx.run(
        """INSERT INTO label_priorities (project_id, label_id, priority)
           SELECT lp.project_id, CAST(:promoted AS bigint), lp.priority FROM label_priorities lp
           WHERE lp.label_id IN :former ON CONFLICT DO NOTHING""",
        promoted=promoted,
        former=former,
    )
    await tx.run(
        """INSERT INTO label_subscriptions (label_id, user_id, subscribed)
           SELECT CAST(:promoted AS bigint), sub.user_id, max(CASE WHEN sub.subscribed THEN 1 ELSE 0 END) = 1
           FROM label_subscriptions sub WHERE sub.label_id IN :former GROUP BY sub.user_id ON CONFLICT DO NOTHING""",
        promoted=promoted,
        former=former,
    )
