"""Updates mentions, todos and cross references when a text is written."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.text import fold
from mujina.kernel.urls import instance_address
from mujina.planning.issues.participants import who_may_read
from mujina.planning.references import operations
from mujina.planning.references.operations import MentionSource
from mujina.planning.references.parsing import parse_all
from mujina.planning.todos import operations as todos


async def update_issue_references(tx: Tx, event: Event) -> None:
    """For the title and description of an issue, when one of them changes."""
    changed = [event.changes[name] for name in ("title", "description") if name in event.changes]
    before, after = ([change[n] or "" for change in changed] for n in (0, 1))
    if any(_may_refer(text) for text in (*before, *after)):
        source, texts = await _issue(tx, event.subject_id)
        await _update(tx, event, source, before, after, all_texts=texts)


async def update_note_references(tx: Tx, event: Event) -> None:
    """For a new or edited note."""
    before, after = (text or "" for text in event.changes["body"])
    if event.changes["noteable_kind"] == "issue" and (_may_refer(before) or _may_refer(after)):
        issue, _ = await _issue(tx, event.changes["noteable_id"])
        note = MentionSource("note", event.subject_id, "issue", issue.id, issue.project_id, issue.path, issue.iid)
        await _update(tx, event, note, [before], [after], all_texts=[after])


def _may_refer(text: str) -> bool:
    """A cheap check first: most texts have no references."""
    return "@" in text or "#" in text or "/issues/" in text


async def _issue(tx: Tx, issue_id: int) -> tuple[MentionSource, list[str]]:
    """The issue as a source of mentions, and its texts."""
    row = await tx.row(
        tuple[int, str, int, str, str | None],
        """SELECT i.project_id, r.path, i.iid, i.title, i.description FROM issues i
           JOIN routes r ON r.project_id = i.project_id WHERE i.id = :id""",
        id=issue_id,
    )
    assert row is not None
    return MentionSource("issue", issue_id, "issue", issue_id, *row[:3]), [row[3], row[4] or ""]


async def _update(
    tx: Tx, event: Event, source: MentionSource, before: list[str], after: list[str], *, all_texts: list[str]
) -> None:
    """Store all mentions of the source; only new references cause todos and system notes."""
    base_url = instance_address.get().base
    old, new = parse_all(before, base_url), parse_all(after, base_url)
    users = await operations.mentioned_users(tx, event.actor, source.project_id, parse_all(all_texts, base_url).users)
    await operations.put_mentions(tx, source, sorted(set[int]().union(*users.values())))
    await operations.cross_refer(tx, event, source, [issue for issue in new.issues if issue not in old.issues])

    def ids(names: list[str]) -> set[int]:
        return {id_ for name in names for id_ in users.get(fold(name), ())}

    await _add_todos(tx, event, source, ids(new.users) - ids(old.users), ids(new.addressed))


async def _add_todos(tx: Tx, event: Event, source: MentionSource, new: set[int], addressed: set[int]) -> None:
    """A todo for each newly mentioned user who may read the issue."""
    readers = await who_may_read(tx, source.subject_id, sorted(new)) if new else []
    note_id = source.id if source.kind == "note" else None
    for action, chosen in (
        ("directly_addressed", [id_ for id_ in readers if id_ in addressed]),
        ("mentioned", [id_ for id_ in readers if id_ not in addressed]),
    ):
        await todos.add(tx, event, chosen, action, "issue", source.subject_id, source.project_id, note_id=note_id)
