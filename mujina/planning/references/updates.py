"""Updates mentions, todos and cross references when a text is written."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.text.folding import fold
from mujina.kernel.urls import instance_address
from mujina.planning.noteables.kinds import Noteable, noteable_kind
from mujina.planning.references import operations
from mujina.planning.references.operations import MentionSource
from mujina.planning.references.parsing import parse_all
from mujina.planning.subscriptions.participation import who_may_read
from mujina.planning.todos import operations as todos


async def update_references(tx: Tx, event: Event) -> None:
    """Updates the references of the title and description of a noteable when one of them changes."""
    changed = [event.changes[name] for name in ("title", "description") if name in event.changes]
    before, after = ([change[n] or "" for change in changed] for n in (0, 1))
    if not any(_may_refer(text) for text in (*before, *after)):
        return
    if (found := await _source(tx, event.subject_kind, event.subject_id)) is not None:
        await _update(tx, event, found[0], before, after, all_texts=found[1])


async def update_note_references(tx: Tx, event: Event) -> None:
    """Updates the references of a new or edited note."""
    before, after = (text or "" for text in event.changes["body"])
    on: Noteable | None = event.context
    if on is None or not (_may_refer(before) or _may_refer(after)):
        return
    kind = noteable_kind(tx.product, on.kind)
    if kind is not None and kind.texts:
        note = MentionSource(
            kind="note", id=event.subject_id, subject_kind=on.kind, subject_id=on.id, project_id=on.project_id,
            group_id=on.group_id, path=on.path, iid=on.iid or 0, noun=kind.noun, sign=kind.sign,
        )  # fmt: skip
        await _update(tx, event, note, [before], [after], all_texts=[after])


def _may_refer(text: str) -> bool:
    """A cheap check first: most texts have no references."""
    return text != "" and (
        "@" in text or "#" in text or "!" in text or "&" in text
        or "/issues/" in text or "/merge_requests/" in text or "/epics/" in text
    )  # fmt: skip


async def _source(tx: Tx, name: str, id: int) -> tuple[MentionSource, list[str]] | None:
    """The row as a source of mentions, and its texts; None for a kind whose texts have no references."""
    kind = noteable_kind(tx.product, name)
    if kind is None or not kind.texts:
        return None
    [(project_id, group_id, path, iid, title, description)] = await tx.rows(
        tuple[int | None, int | None, str, int, str, str | None], kind.texts, id=id
    )
    source = MentionSource(
        kind=name, id=id, subject_kind=name, subject_id=id, project_id=project_id, group_id=group_id, path=path,
        iid=iid, noun=kind.noun, sign=kind.sign,
    )  # fmt: skip
    return source, [title, description or ""]


async def _update(
    tx: Tx, event: Event, source: MentionSource, before: list[str], after: list[str], *, all_texts: list[str]
) -> None:
    """Store all mentions of the source; only new references cause todos and system notes."""
    base_url = instance_address.get().base
    old, new = parse_all(before, base_url), parse_all(after, base_url)
    users = await operations.mentioned_users(tx, event.actor, source, parse_all(all_texts, base_url).users)
    mentioned = sorted(set[int]().union(*users.values()))
    if not event.kind.endswith(".created"):  # nothing is stored about a text that is new
        await operations.remove_mentions(tx, source, but=mentioned)
    await operations.add_mentions(tx, source, mentioned)
    await operations.cross_refer(tx, event, source, new.without(old))

    def ids(names: list[str]) -> set[int]:
        return {id_ for name in names for id_ in users.get(fold(name), ())}

    await _add_todos(tx, event, source, ids(new.users) - ids(old.users), ids(new.addressed))


async def _add_todos(tx: Tx, event: Event, source: MentionSource, new: set[int], addressed: set[int]) -> None:
    """A todo for each newly mentioned user who may read the text."""
    readers = await who_may_read(tx, source.subject_kind, source.subject_id, sorted(new)) if new else []
    note_id = source.id if source.kind == "note" else None
    for action, selection in (
        ("directly_addressed", [id_ for id_ in readers if id_ in addressed]),
        ("mentioned", [id_ for id_ in readers if id_ not in addressed]),
    ):
        await todos.add(tx, event, selection, action, source.subject_kind, source.subject_id, note_id=note_id)
