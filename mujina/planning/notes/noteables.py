"""Where the API addresses what can be commented on, and the function that finds it."""

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import Noteable, NoteableName, Purpose, noteable_kind
from mujina.kernel.params import Ref

PATHS: dict[NoteableName, tuple[str, ...]] = {
    "issue": ("/projects/:id/issues/:noteable_id",),
    "merge_request": ("/projects/:id/merge_requests/:noteable_id",),
    "snippet": ("/projects/:id/snippets/:noteable_id",),
    "epic": ("/groups/:id/-/epics/:noteable_id", "/groups/:id/epics/:noteable_id"),
}


def paths(suffix: str, *, without: NoteableName | None = None) -> dict[str, tuple[str, ...]]:
    """The paths with this suffix, by kind, as the decorators of routes take them; one kind may have a route of its own."""
    return {kind: tuple(path + suffix for path in given) for kind, given in PATHS.items() if kind != without}


async def find_noteable(
    tx: Tx, actor: Actor, kind: NoteableName, ref: Ref, number: int, *, to: Purpose = "read"
) -> Noteable:
    """The noteable of this kind, if the rules of its kind let the actor read it or comment on it."""
    registered = noteable_kind(kind)
    if registered is None:
        raise errors.not_found("Noteable")
    return await registered.find(tx, actor, ref, number, to)
