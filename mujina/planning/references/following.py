"""When a text is written: whom it mentions takes part and has something to do, what it mentions is told of it."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.text import fold
from mujina.kernel.urls import instance_address
from mujina.planning.issues.participants import who_may_read
from mujina.planning.references import operations
from mujina.planning.references.operations import MentionSource
from mujina.planning.references.reading import read_each
from mujina.planning.todos import operations as todos


async def follow_issue(tx: Tx, event: Event) -> None:
    """The title and description of an issue, whenever one of them changes."""
    changed = [event.changes[name] for name in ("title", "description") if name in event.changes]
    before, after = ([change[n] or "" for change in changed] for n in (0, 1))
    if any(_refers(text) for text in (*before, *after)):
        holder, words = await _issue(tx, event.subject_id)
        await _follow(tx, event, holder, before, after, whole=words)


async def follow_note(tx: Tx, event: Event) -> None:
    """A note, when it is written and when it is edited."""
    before, after = (text or "" for text in event.changes["body"])
    if event.changes["noteable_kind"] == "issue" and (_refers(before) or _refers(after)):
        issue, _ = await _issue(tx, event.changes["noteable_id"])
        note = MentionSource("note", event.subject_id, "issue", issue.id, issue.project_id, issue.path, issue.iid)
        await _follow(tx, event, note, [before], [after], whole=[after])


def _refers(text: str) -> bool:
    """Most texts refer to nothing, and cost nothing."""
    return "@" in text or "#" in text or "/issues/" in text


async def _issue(tx: Tx, issue_id: int) -> tuple[MentionSource, list[str]]:
    """The issue as one that speaks, and what it says."""
    row = await tx.row(
        tuple[int, str, int, str, str | None],
        """SELECT i.project_id, r.path, i.iid, i.title, i.description FROM issues i
           JOIN routes r ON r.project_id = i.project_id WHERE i.id = :id""",
        id=issue_id,
    )
    assert row is not None
    return MentionSource("issue", issue_id, "issue", issue_id, *row[:3]), [row[3], row[4] or ""]


async def _follow(
    tx: Tx, event: Event, holder: MentionSource, before: list[str], after: list[str], *, whole: list[str]
) -> None:
    """Everybody mentioned takes part; those mentioned only now have something to do."""
    address = instance_address.get().base
    said, now = read_each(before, address), read_each(after, address)
    people = await operations.called_by(tx, event.actor, holder.project_id, read_each(whole, address).users)
    await operations.put_mentions(tx, holder, sorted(set[int]().union(*people.values())))
    await operations.cross_refer(tx, event, holder, [each for each in now.issues if each not in said.issues])

    def called(names: list[str]) -> set[int]:
        return {id_ for name in names for id_ in people.get(fold(name), ())}

    await _remind(tx, event, holder, called(now.users) - called(said.users), called(now.addressed))


async def _remind(tx: Tx, event: Event, holder: MentionSource, new: set[int], addressed: set[int]) -> None:
    """A todo for each who may read the issue: addressed directly, or mentioned."""
    readers = await who_may_read(tx, holder.subject_id, sorted(new)) if new else []
    note_id = holder.id if holder.kind == "note" else None
    for action, chosen in (
        ("directly_addressed", [id_ for id_ in readers if id_ in addressed]),
        ("mentioned", [id_ for id_ in readers if id_ not in addressed]),
    ):
        await todos.add(tx, event, chosen, action, "issue", holder.subject_id, holder.project_id, note_id=note_id)
