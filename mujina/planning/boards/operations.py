"""Creating, editing and deleting boards and their lists."""

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.boards.rules import BoardListRow, BoardRow
from mujina.planning.labels.rules import USABLE
from mujina.workspaces.owners.rules import Owner

MAX_NAME_LENGTH = 255


async def create(tx: Tx, actor: Actor, owner: Owner, name: str) -> int:
    _check(name)
    board_id: int = await insert_id(tx, "boards", name=name.strip(), **owner.ids, **timestamps())
    await _record(tx, "board.created", actor, owner, board_id, (None, name.strip()))
    return board_id


async def rename(tx: Tx, actor: Actor, owner: Owner, board: BoardRow, name: str) -> None:
    _check(name)
    await update(tx, "boards", {"name": name.strip(), "updated_at": clock.now()}, id=board.id)
    await _record(tx, "board.updated", actor, owner, board.id, (board.name, name.strip()))


async def remove(tx: Tx, actor: Actor, owner: Owner, board: BoardRow) -> None:
    """Delete the board and its lists; concurrent requests record the deletion once."""
    if await tx.run("DELETE FROM boards WHERE id = :id", id=board.id):
        await _record(tx, "board.deleted", actor, owner, board.id, (board.name, None))


async def add_list(tx: Tx, board: BoardRow, owner: Owner, label_id: int) -> int:
    """A list for the label, after the others."""
    await _lock(tx, board)
    usable = await tx.value(
        f"SELECT 1 FROM labels l WHERE l.id = :label_id AND {USABLE} FOR KEY SHARE", label_id=label_id, **owner.bound
    )
    if usable is None:
        # Compat: clients expect this message for a label that is not usable here.
        raise errors.unacceptable("Label not found!")
    list_id: int | None = await tx.value(
        """
        INSERT INTO board_lists (board_id, label_id, position, created_at, updated_at)
        VALUES (:board_id, :label_id,
            (SELECT coalesce(max(list.position) + 1, 0) FROM board_lists list WHERE list.board_id = :board_id), :now, :now)
        ON CONFLICT (board_id, label_id) DO NOTHING
        RETURNING id
        """,
        board_id=board.id,
        label_id=label_id,
        now=clock.now(),
    )
    if list_id is None:
        raise errors.taken("label")
    return list_id


async def move_list(tx: Tx, board: BoardRow, board_list: BoardListRow, position: int) -> None:
    """Move the list to this position, counted from 0; positions beyond the last are rejected."""
    await _lock(tx, board)
    ids: list[int] = await tx.values(
        "SELECT list.id FROM board_lists list WHERE list.board_id = :id ORDER BY list.position, list.id", id=board.id
    )
    if board_list.id not in ids:
        # The list or its label was deleted in the meantime.
        raise errors.not_found("List")
    if not 0 <= position < len(ids):
        raise errors.bad_request("Failed to move list!")
    ids.remove(board_list.id)
    ids.insert(position, board_list.id)
    await tx.run_each(
        "UPDATE board_lists SET position = :position, updated_at = :now WHERE id = :id AND position <> :position",
        [{"id": id_, "position": index, "now": clock.now()} for index, id_ in enumerate(ids)],
    )


async def remove_list(tx: Tx, board_list: BoardListRow) -> None:
    """Delete the list; the label and its issues stay."""
    await tx.run("DELETE FROM board_lists WHERE id = :id", id=board_list.id)


async def _lock(tx: Tx, board: BoardRow) -> None:
    """Changes to the lists of a board run one after another; 404 if it was deleted in the meantime."""
    found = await tx.value("SELECT board.id FROM boards board WHERE board.id = :id FOR UPDATE", id=board.id)
    errors.or_not_found(found, "Board")


async def _record(
    tx: Tx, kind: str, actor: Actor, owner: Owner, board_id: int, name: tuple[str | None, str | None]
) -> None:
    await record(tx, kind, actor, subject_id=board_id, changes={"name": name}, **owner.ids)


def _check(name: str) -> None:
    problems = Problems()
    problems.require("name", name, MAX_NAME_LENGTH)
    problems.refuse()
