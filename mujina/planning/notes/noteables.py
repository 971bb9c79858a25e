"""Where the API addresses what can be commented on, and the function that finds it."""

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import Noteable, NoteableName, Purpose, noteable_kind
from mujina.kernel.params import Ref

PATHS: dict[NoteableName, str] = {
    "issue": "/projects/:id/issues/:noteable_id",
    "merge_request": "/projects/:id/merge_requests/:noteable_id",
    "snippet": "/projects/:id/snippets/:noteable_id",
}


def paths(suffix: str, *, without: NoteableName | None = None) -> dict[str, str]:
    """The paths with this suffix, by kind, as the decorators of routes take them; one kind may have a route of its own."""
    return {kind: path + suffix for kind, path in PATHS.items() if kind != without}


async def find_noteable(
    tx: Tx, actor: Actor, kind: NoteableName, ref: Ref, number: int, *, to: Purpose = "read"
) -> Noteable:
    """The noteable of this kind, if the rules of its kind let the actor read it or comment on it."""
    registered = noteable_kind(kind)
    if registered is None:
        raise errors.not_found("Noteable")
    return await registered.find(tx, actor, ref, number, to)
