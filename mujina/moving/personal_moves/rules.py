"""The only ways to load a move: everybody finds their own."""

from typing import Annotated, Literal, LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
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


_PROJECTS: LiteralString = f"""SELECT {ChosenProject.columns} FROM move_projects mp
    LEFT JOIN projects p ON p.id = mp.project_id AND p.deleted_at IS NULL AND {ADMIN_PROJECT.for_scan}
    LEFT JOIN routes r ON r.project_id = p.id LEFT JOIN import_reports i ON i.project_id = p.id
    WHERE mp.move_id = :move_id"""
"""A project that the actor does not manage any more is shown without its path and report: others may have changed them."""


async def find_move(tx: Tx, actor: Actor, move_id: int, *, lock: bool = False) -> MoveRow:
    """The actor's own move of this id."""
    found = await tx.row(
        MoveRow,
        f"SELECT {MoveRow.columns} FROM moves m WHERE m.id = :id AND m.user_id = :user_id"
        + (" FOR NO KEY UPDATE" if lock else ""),
        id=move_id,
        user_id=actor.id,
    )
    return errors.or_not_found(found, "Move")


async def moves_of(tx: Tx, actor: Actor, page: Page) -> Paged[MoveRow]:
    """The actor's moves, the newest first."""
    total = await tx.value("SELECT count(*) FROM moves m WHERE m.user_id = :user_id", user_id=actor.id)
    rows = await tx.rows(
        MoveRow,
        f"SELECT {MoveRow.columns} FROM moves m WHERE m.user_id = :user_id ORDER BY m.id DESC LIMIT :limit OFFSET :offset",
        user_id=actor.id,
        **page.bound,
    )
    return page.of(rows, total)


async def count_projects(tx: Tx, move_id: int) -> ProjectCounts:
    found = await tx.row(
        ProjectCounts, f"SELECT {ProjectCounts.columns} FROM move_projects mp WHERE mp.move_id = :id", id=move_id
    )
    assert found is not None  # an aggregate has one row
    return found


async def projects_found(tx: Tx, actor: Actor, move_id: int, search: str, page: Page) -> Paged[ChosenProject]:
    """The projects of the source whose paths contain this text, by their paths."""
    asked = {"move_id": move_id, "pattern": f"%{like(fold(search.strip()))}%"}
    total = await tx.value(
        """SELECT count(*) FROM move_projects mp WHERE mp.move_id = :move_id AND mp.path_folded LIKE :pattern ESCAPE '\\'""",
        **asked,
    )
    rows = await tx.rows(
        ChosenProject,
        f"""{_PROJECTS} AND mp.path_folded LIKE :pattern ESCAPE '\\' ORDER BY mp.path LIMIT :limit OFFSET :offset""",
        **asked,
        **page.bound,
        **actor.bound,
    )
    return page.of(rows, total)


async def projects_chosen(tx: Tx, actor: Actor, move_id: int, page: Page) -> Paged[ChosenProject]:
    """The projects that are moved, in their order."""
    total = await tx.value(
        "SELECT count(*) FROM move_projects mp WHERE mp.move_id = :move_id AND mp.status <> 'found'", move_id=move_id
    )
    rows = await tx.rows(
        ChosenProject,
        f"{_PROJECTS} AND mp.status <> 'found' ORDER BY mp.id LIMIT :limit OFFSET :offset",
        move_id=move_id,
        **page.bound,
        **actor.bound,
    )
    return page.of(rows, total)


async def people_of(tx: Tx, move_id: int) -> list[MovePerson]:
    """The people of the source who are known by now, by their usernames there."""
    return await tx.rows(
        MovePerson,
        f"""SELECT {MovePerson.columns} FROM move_people mw
            LEFT JOIN users u ON u.id = mw.user_id AND u.kind = 'person' AND u.deleted_at IS NULL
            WHERE mw.move_id = :move_id ORDER BY mw.login""",
        move_id=move_id,
    )
