"""The only ways to load a move: each user finds only their own."""

from typing import Annotated, Final, Literal

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection, ascending, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold, like
from mujina.workspaces.projects.rules import ADMIN_PROJECT

MoveStatus = Literal["listing", "listed", "moving", "finished", "failed", "canceled"]
ProjectStatus = Literal["found", "chosen", "moving", "moved", "failed"]


class MoveRow(Row, alias="m"):
    """A move."""

    id: int
    user_id: int
    address: str
    kind: Literal["gitlab", "gitea", "github", "redmine"] | None
    """What the source is; None: it is asked."""
    login: str | None
    """The username that the token's user has at the source; None if the source does not tell."""
    token: str | None
    """Encrypted; None once it has ended."""
    status: MoveStatus
    error: str | None
    namespace_id: int | None
    created_at: str

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.status in ("listing", "listed", "moving")


class ChosenProject(Row, alias="mp"):
    """A project of the source, and where it is here."""

    id: int
    path: str
    status: ProjectStatus
    error: str | None
    project_id: int | None
    full_path: Annotated[str | None, "r.path"]
    report: Annotated[str | None, "i.report"]


class ProjectCounts(Row, alias="mp"):
    """How many projects of a move are in which state."""

    found: Annotated[int, "count(*)"]
    chosen: Annotated[int, "count(*) FILTER (WHERE mp.status <> 'found')"]
    moved: Annotated[int, "count(*) FILTER (WHERE mp.status = 'moved')"]
    failed: Annotated[int, "count(*) FILTER (WHERE mp.status = 'failed')"]


class MovePerson(Row, alias="mw"):
    """A person of the source; `username` is their user here, None for an imported name."""

    login: str
    name: str
    user_id: int | None
    username: Annotated[str | None, "u.username"]


_PROJECTS: Final = f"""move_projects mp
    LEFT JOIN projects p ON p.id = mp.project_id AND p.deleted_at IS NULL AND {ADMIN_PROJECT.for_scan}
    LEFT JOIN routes r ON r.project_id = p.id LEFT JOIN import_reports i ON i.project_id = p.id"""
"""A project that the actor does not manage any more is shown without its path and report: others may have changed them."""


async def find_move(tx: Tx, actor: Actor, move_id: int, *, lock: bool = False) -> MoveRow:
    """The actor's own move of this id."""
    selection = _own_moves(actor).where("m.id = :id", id=move_id)
    return await find_row(tx, MoveRow, selection, "Move", lock="FOR NO KEY UPDATE" if lock else "")


async def moves_of(tx: Tx, actor: Actor, page: Page) -> Paged[MoveRow]:
    """The actor's moves, the newest first."""
    return await load_rows(tx, MoveRow, _own_moves(actor), descending("m.id"), page)


def _own_moves(actor: Actor) -> Selection:
    return Selection("moves m", "m.user_id = :user_id", user_id=actor.id)


async def count_projects(tx: Tx, move_id: int) -> ProjectCounts:
    found = await tx.row(
        ProjectCounts, f"SELECT {ProjectCounts.columns} FROM move_projects mp WHERE mp.move_id = :id", id=move_id
    )
    assert found is not None  # an aggregate has one row
    return found


async def projects_found(tx: Tx, actor: Actor, move_id: int, search: str, page: Page) -> Paged[ChosenProject]:
    """The projects of the source whose paths contain this text, by their paths."""
    pattern = f"%{like(fold(search.strip()))}%"
    selection = _projects_of(actor, move_id).where("mp.path_folded LIKE :pattern ESCAPE '\\'", pattern=pattern)
    return await load_rows(tx, ChosenProject, selection, ascending("mp.path"), page)


async def projects_chosen(tx: Tx, actor: Actor, move_id: int, page: Page) -> Paged[ChosenProject]:
    """The projects that are moved, in their order."""
    selection = _projects_of(actor, move_id).where("mp.status <> 'found'")
    return await load_rows(tx, ChosenProject, selection, ascending("mp.id"), page)


def _projects_of(actor: Actor, move_id: int) -> Selection:
    return Selection(_PROJECTS, "mp.move_id = :move_id", move_id=move_id, **actor.bound)


async def people_of(tx: Tx, move_id: int) -> list[MovePerson]:
    """The people of the source who are known by now, by their usernames there."""
    return await tx.rows(
        MovePerson,
        f"""SELECT {MovePerson.columns} FROM move_people mw
            LEFT JOIN users u ON u.id = mw.user_id AND u.kind = 'person' AND u.deleted_at IS NULL
            WHERE mw.move_id = :move_id ORDER BY mw.login""",
        move_id=move_id,
    )
