"""Where the API addresses what can be commented on, and the function that finds it."""

from typing import Literal

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable, NoteableName, Purpose, noteable_kind

NoteAddress = Literal[NoteableName, "epic_by_id"]
"""How a path of notes or discussions names what they are on."""

PATHS: dict[NoteableName, tuple[str, ...]] = {
    "issue": ("/projects/:id/issues/:noteable_id",),
    "merge_request": ("/projects/:id/merge_requests/:noteable_id",),
    "snippet": ("/projects/:id/snippets/:noteable_id",),
    "epic": ("/groups/:id/-/epics/:noteable_id", "/groups/:id/epics/:noteable_id"),
}


def paths(suffix: str, *, without: NoteableName | None = None) -> dict[str, tuple[str, ...]]:
    """The paths with this suffix, by kind, as the decorators of routes take them; one kind may have a route of its own."""
    return {kind: tuple(path + suffix for path in given) for kind, given in PATHS.items() if kind != without}


def note_paths(suffix: str, *, without: NoteableName | None = None) -> dict[str, tuple[str, ...]]:
    """The paths of notes and discussions with this suffix, by kind."""
    by_kind = paths(suffix, without=without)
    # Compat: below `/groups/:id/epics`, notes and discussions name the epic by its id; everything else, and all below
    # `/groups/:id/-/epics`, by its iid. The family's clients send the id.
    by_iid, by_id = by_kind["epic"]
    return {**by_kind, "epic": (by_iid,), "epic_by_id": (by_id,)}


async def find_noteable(
    tx: Tx, actor: Actor, kind: NoteAddress, ref: Ref, number: int, *, to: Purpose = "read"
) -> Noteable:
    """The noteable of this kind, if the rules of its kind let the actor read it or comment on it."""
    name, _, by_id = kind.partition("_by_")
    registered = noteable_kind(tx.product, name)
    find = registered and (registered.find_by_id if by_id else registered.find)
    return await errors.or_not_found(find, "Noteable")(tx, actor, ref, number, to)
