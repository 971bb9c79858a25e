"""Moves of one person: the projects of a source are listed, chosen, and moved one after another with that person's rights."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from urllib.parse import urlsplit

import msgspec

from mujina.adapters.outbound.client import Outbound
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert_each, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility, exceeds
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.places import adopt_settings
from mujina.moving.personal_moves.params import BeginMove, ChooseProjects
from mujina.moving.personal_moves.rules import ChosenProject, MoveRow, MoveStatus
from mujina.moving.sources.records import SourceProject
from mujina.workspaces.namespaces.rules import TargetNamespace, find_target_namespace
from mujina.workspaces.projects import operations as projects
from mujina.workspaces.projects.origins import imports
from mujina.workspaces.projects.params import CreateProject
from mujina.workspaces.projects.rules import ADMIN_PROJECT, find_project

LIST: Final = "moves.list"
MOVE: Final = "moves.move"
PURPOSE: Final = "move_token"
MAX_OPEN: Final = 3
"""Moves of one person that have not ended."""
MAX_FOUND: Final = 10_000
MAX_PATH_LENGTH: Final = 500
"""An index has it, in which PostgreSQL keeps 2,700 bytes."""
MAX_TOKEN_LENGTH: Final = 1_000
IDLE: Final = timedelta(days=1)
"""How long a move waits for its user to choose projects."""
STUCK: Final = timedelta(days=7)
NOT_AN_INSTANCE: Final = "must be that of an instance, such as https://gitlab.example.com"
RUNNING: Final = "It is being imported by another move."


class MoveStep(msgspec.Struct, frozen=True):
    """The next project of a move, and who moves it."""

    move: MoveRow
    project: ChosenProject
    namespace: str
    """The path of the namespace that receives it."""
    beside: dict[str, str]
    """Every project of the move: its path at the source → its path here."""


def address_of(services: Services, text: str) -> str:
    """The address of the source; 400 if it is none, or if the guard does not let requests go there."""
    address = text.strip().rstrip("/")
    try:
        parts = urlsplit(address)
    except ValueError:
        raise errors.invalid({"address": [NOT_AN_INSTANCE]}) from None
    rest = "@" in parts.netloc or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not parts.hostname or rest or len(address) > 500:
        raise errors.invalid({"address": [NOT_AN_INSTANCE]})
    if reason := Outbound(services.settings.outbound_allow).rejection(address):
        raise errors.invalid({"address": [reason]})
    return address


async def begin(tx: Tx, services: Services, actor: Actor, change: BeginMove) -> int:
    """A job lists the projects of the source; the id of the move."""
    if "git" not in (await read_settings(tx)).import_sources:
        raise errors.invalid({"address": [imports.DISABLED]})
    address, token = address_of(services, change.address), change.source_token.strip()
    if len(token) > MAX_TOKEN_LENGTH or not token.isascii() or not (token.isprintable()):
        raise errors.invalid({"source_token": [errors.INVALID]})
    await tx.value("SELECT u.id FROM users u WHERE u.id = :id FOR NO KEY UPDATE", id=actor.id)
    count: int = await tx.value(
        "SELECT count(*) FROM moves m WHERE m.user_id = :id AND m.status IN ('listing', 'listed', 'moving')",
        id=actor.id,
    )
    if count >= MAX_OPEN:
        raise errors.invalid({"base": [f"You have {MAX_OPEN} imports that have not ended: wait for one, or cancel it"]})
    move_id: int = await insert_id(
        tx, "moves", user_id=actor.id, address=address, kind=change.kind or None, status="listing",
        token=services.vault.encrypt(token, PURPOSE) if token else None, **timestamps(),
    )  # fmt: skip
    await enqueue(tx, LIST, move_id, owner_id=actor.id)
    return move_id


def token_of(vault: Vault, move: MoveRow) -> str:
    """The token of the source."""
    return vault.decrypt(move.token, PURPOSE) if move.token else ""


async def find_open(tx: Tx, move_id: int, status: MoveStatus) -> MoveRow | None:
    """The move, if it is in this state; a cancellation waits until the transaction has ended."""
    return await tx.row(
        MoveRow,
        f"SELECT {MoveRow.columns} FROM moves m WHERE m.id = :id AND m.status = :status FOR NO KEY UPDATE",
        id=move_id,
        status=status,
    )


async def store_found(tx: Tx, move_id: int, paths: Iterable[str]) -> bool:
    """List these projects of the source, but for paths that are too long; whether there is room for more."""
    rows = [
        {"move_id": move_id, "path": path, "path_folded": fold(path), "status": "found"}
        for path in paths
        if len(path) <= MAX_PATH_LENGTH
    ]
    await insert_each(tx, "move_projects", rows, "ON CONFLICT DO NOTHING")
    return await tx.value("SELECT count(*) FROM move_projects mp WHERE mp.move_id = :id", id=move_id) < MAX_FOUND


async def store_login(tx: Tx, move_id: int, login: str) -> None:
    """The token belongs to the user of this name at the source."""
    await update(tx, "moves", {"login": login}, id=move_id)


async def chosen_paths(tx: Tx, move_id: int) -> list[str]:
    """The paths of the chosen projects at the source."""
    return await tx.values(
        "SELECT mp.path FROM move_projects mp WHERE mp.move_id = :id AND mp.status = 'chosen' ORDER BY mp.id",
        id=move_id,
    )


async def end_listing(tx: Tx, move_id: int, error: str | None) -> None:
    """The user chooses projects now, unless the source gave an error or the move was canceled meanwhile."""
    if await find_open(tx, move_id, "listing") is None:
        return
    if error:
        await end(tx, move_id, "failed", error)
    else:
        await update(tx, "moves", {"status": "listed", "updated_at": clock.now()}, id=move_id)


async def choose(tx: Tx, move: MoveRow, change: ChooseProjects) -> None:
    """The projects of the page are chosen or not, as they are ticked; one that is named by its path is chosen."""
    if move.status != "listed":
        raise errors.conflict("The projects of this move are chosen already, or it has ended")
    sent = {"move_id": move.id, "listed": change.listed, "chosen": change.chosen}
    await tx.run("UPDATE move_projects SET status = 'found' WHERE move_id = :move_id AND id IN :listed", **sent)
    await tx.run("UPDATE move_projects SET status = 'chosen' WHERE move_id = :move_id AND id IN :chosen", **sent)
    if path := change.path.strip().strip("/"):
        await store_found(tx, move.id, [path])
        await tx.run(
            "UPDATE move_projects SET status = 'chosen' WHERE move_id = :id AND path = :path", id=move.id, path=path
        )
    await update(tx, "moves", {"updated_at": clock.now()}, id=move.id)


async def check_chosen(tx: Tx, move: MoveRow) -> None:
    if not await tx.value(
        "SELECT 1 FROM move_projects mp WHERE mp.move_id = :id AND mp.status = 'chosen' LIMIT 1", id=move.id
    ):
        raise errors.invalid({"base": ["Choose at least one project"]})


async def start(tx: Tx, actor: Actor, move: MoveRow, namespace: str) -> None:
    """Jobs move the chosen projects into the namespace, in which the actor must be allowed to create projects."""
    target = await find_target_namespace(tx, actor, namespace)
    await check_chosen(tx, move)
    await enqueue(tx, MOVE, move.id, owner_id=actor.id)
    await update(tx, "moves", {"status": "moving", "namespace_id": target.id, "updated_at": clock.now()}, id=move.id)


async def cancel(tx: Tx, move: MoveRow) -> None:
    """Move nothing more; what came stays. Repeating it changes nothing."""
    if move.open:
        await end(tx, move.id, "canceled")


async def end(tx: Tx, move_id: int, status: MoveStatus, error: str | None = None) -> None:
    """The move is over, and its token is gone."""
    now = clock.now()
    await update(tx, "moves", {"status": status, "error": error, "token": None, "updated_at": now}, id=move_id)


async def next_step(tx: Tx, move_id: int) -> MoveStep | None:
    """The project that is moved now: the one at which the last run broke off, else the next. None: the move is over."""
    move = await find_open(tx, move_id, "moving")
    if move is None:
        return None
    rows = await tx.rows(
        tuple[str, str],
        "SELECT mp.path, mp.status FROM move_projects mp WHERE mp.move_id = :id AND mp.status <> 'found'",
        id=move.id,
    )
    project = await tx.row(
        ChosenProject,
        f"""SELECT {ChosenProject.columns} FROM move_projects mp
            LEFT JOIN routes r ON r.project_id = mp.project_id LEFT JOIN import_reports i ON i.project_id = mp.project_id
            WHERE mp.move_id = :id AND mp.status IN ('moving', 'chosen')
            ORDER BY CASE mp.status WHEN 'moving' THEN 0 ELSE 1 END, mp.id LIMIT 1""",
        id=move.id,
    )
    place: str | None = await tx.value(
        "SELECT r.path FROM routes r WHERE r.namespace_id = :id", id=move.namespace_id or 0
    )
    if project is None or place is None:
        await end(tx, move.id, "finished" if place else "failed", None if place else "The namespace is gone.")
        return None
    await update(tx, "move_projects", {"status": "moving"}, id=project.id)
    await update(tx, "moves", {"updated_at": clock.now()}, id=move.id)
    return MoveStep(move, project, place, {path: f"{place}/{path.rpartition('/')[2]}" for path, _ in rows})


async def is_moving(tx: Tx, move_id: int) -> bool:
    """Whether the move was not canceled."""
    return await tx.value("SELECT m.status FROM moves m WHERE m.id = :id", id=move_id) == "moving"


async def place(tx: Tx, services: Services, actor: Actor, step: MoveStep, project: SourceProject) -> int:
    """The project here that receives the one of the source: where an earlier move of the same person put it, else a new one.

    It exists with the rights that the person has now; `ApiError` if those do not suffice.
    """
    key = people_key(step.move)
    known = await moved.find(tx, key, "project", project.id)
    if known is not None and await _manages(tx, actor, known.id):
        project_id = known.id
        if step.project.project_id != project_id and (await imports.state_of(tx, project_id)).running:
            raise errors.conflict(RUNNING)
    else:
        target = await find_target_namespace(tx, actor, str(step.move.namespace_id))
        visibility = await _visibility(tx, actor, target, project.visibility)
        new = CreateProject(
            name=project.name.strip() or UNSET, path=project.path, namespace_id=target.id, visibility=visibility
        )
        project_id = await projects.create(tx, services.vault, actor, new)
        await adopt_settings(tx, project_id, project)
        await moved.remember(tx, key, "project", project.id, project_id)
    await imports.mark_scheduled(tx, project_id)
    await update(tx, "move_projects", {"project_id": project_id}, id=step.project.id)
    return project_id


def people_key(move: MoveRow) -> str:
    """What the moves of one person from one source have in common; no other move finds what is known by it."""
    return f"user:{move.user_id} {move.address}"


async def _manages(tx: Tx, actor: Actor, project_id: int) -> bool:
    try:
        await find_project(tx, actor, Ref.of(project_id), to=ADMIN_PROJECT)
    except (errors.NotFound, errors.Forbidden):
        return False
    return True


async def _visibility(tx: Tx, actor: Actor, target: TargetNamespace, wanted: Visibility) -> Visibility:
    """The visibility at the source; private if the group or the instance does not allow it."""
    forbidden = (await read_settings(tx)).forbids(wanted) and not actor.admin
    above = target.visibility is not None and exceeds(wanted, target.visibility)
    return "private" if forbidden or above else wanted


async def finish(tx: Tx, step: MoveStep, error: str | None) -> None:
    """The project has come, or has not for this reason; a job goes on with the next one."""
    await enqueue(tx, MOVE, step.move.id, owner_id=step.move.user_id)
    status = "failed" if error else "moved"
    await update(tx, "move_projects", {"status": status, "error": error}, id=step.project.id)


async def expire(tx: Tx) -> None:
    """End the moves without chosen projects, and those that no job continues."""
    old: list[int] = await tx.values(
        """SELECT m.id FROM moves m WHERE m.status IN ('listing', 'listed', 'moving')
           AND m.updated_at < CASE m.status WHEN 'moving' THEN :stuck ELSE :idle END ORDER BY m.id FOR NO KEY UPDATE""",
        idle=clock.later(-IDLE),
        stuck=clock.later(-STUCK),
    )
    for move_id in old:
        await end(tx, move_id, "failed", "It was given up.")
