"""Listing the projects of a source and their people, and moving the chosen ones.

Each run moves one, so that others get their turn between two.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from datetime import timedelta
from typing import Final

from mujina.accounts.users.rules import actor_of, find_user
from mujina.kernel import deferred_imports, errors
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import Actor
from mujina.moving.attempts import UNEXPECTED, exhausted
from mujina.moving.move_in.people import People
from mujina.moving.personal_moves import operations, people
from mujina.moving.personal_moves.operations import MoveStep
from mujina.moving.personal_moves.rules import MoveRow
from mujina.moving.reports.operations import SECONDS, ignore, reporting, store_report
from mujina.moving.sources.forge import Forge, ReportProblem
from mujina.moving.sources.operations import SourceError, SourceFailure, SourceUnavailable
from mujina.moving.sources.records import SourcePerson, SourceProject
from mujina.workspaces.projects.origins import forks

# Every process that runs jobs imports this module, and few of them ever move something.
_MoveIn: Final = deferred_imports.function("mujina.moving.move_in.operations", "MoveIn")
_MoveRequest: Final = deferred_imports.function("mujina.moving.move_in.operations", "MoveRequest")
_people_of_project: Final = deferred_imports.function("mujina.moving.move_in.dry_runs", "people_of_project")
_open_source: Final = deferred_imports.function("mujina.moving.sources.detection", "open_source")


class ImportRefused(Exception):
    """The project does not come; the text says why."""


@task(operations.LIST, limit=timedelta(minutes=30), long=True)
async def list_projects(run: Run, key: str) -> None:
    """The move has the list of the projects that its token shows, or has ended; a run after a crash completes the list."""
    async with run.database.transaction() as tx:
        move = await operations.find_open(tx, int(key), "listing")
    if move is None:
        return
    await _end_listing(run, move, _list)


@task(people.LIST, limit=timedelta(hours=2), long=True)
async def list_people(run: Run, key: str) -> None:
    """The move has the list of the people of its chosen projects, or has ended; a run after a crash completes the list."""
    async with run.database.transaction() as tx:
        move = await operations.find_open(tx, int(key), "listing")
    if move is not None:
        await _end_listing(run, move, _list_people)


async def _end_listing(run: Run, move: MoveRow, fill: Callable[[Run, MoveRow], Awaitable[None]]) -> None:
    """Fill the list, from which the person then chooses; a source that does not answer ends the move."""
    error = None
    try:
        _check_attempt(run)
        await fill(run, move)
    except SourceFailure as failure:
        error = failure.reason
    except ImportRefused as failure:
        error = str(failure)
    async with run.database.transaction() as tx:
        await operations.end_listing(tx, move.id, error)


async def _list(run: Run, move: MoveRow) -> None:
    """Store to whom the token belongs, and the paths of the projects of the source."""

    def fail(address: str, reason: str) -> None:
        raise SourceError(address, reason)

    async with aclosing(await _open(run, move, fail)) as source:
        if move.token is not None and (owner := await _token_owner(source)):
            async with run.database.transaction() as tx:
                await operations.store_login(tx, move.id, owner.username)
        async for page in source.projects():
            async with run.database.transaction() as tx:
                if not await operations.store_found(tx, move.id, [each.path_with_namespace for each in page]):
                    return


async def _token_owner(source: Forge) -> SourcePerson | None:
    with suppress(SourceError):  # a token that does not tell may still read projects
        return await source.token_owner()


async def _list_people(run: Run, move: MoveRow) -> None:
    """Store the people of the chosen projects. Only administrators learn who has confirmed an address."""
    async with run.database.reading() as tx:
        user = await find_user(tx, move.user_id)
        paths = await operations.chosen_paths(tx, move.id)
    async with aclosing(await _open(run, move, ignore)) as source:
        for path in paths:
            with suppress(SourceError):  # the report of the move tells what is wrong with a project
                project = await source.project(path)
                found = await _people_of_project(run.services, source, project, match=user.admin)
                async with run.database.transaction() as tx:
                    if not await people.store(tx, move.id, found):
                        return


@task(operations.MOVE, limit=timedelta(hours=6), long=True)
async def move_next_project(run: Run, key: str) -> None:
    """The next project of the move has come, or is said not to; a run after a crash continues the one that it was at."""
    async with run.database.transaction() as tx:
        step = await operations.next_step(tx, int(key))
    if step is None:
        return
    project_id, error, unavailable = step.project.project_id, None, False
    try:
        _check_attempt(run)
        actor = await _actor(run, step)
        project_id, project = await _place(run, step, actor)
        async with run.database.reading() as tx:
            names = await people.map_of(tx, actor, step.move.id)
        error = await _move(run, step, project, project_id, names)
    except SourceFailure as failure:
        error, unavailable = failure.reason, isinstance(failure, SourceUnavailable)
    except ImportRefused as failure:
        error = str(failure)
    except Exception:
        if await _is_alive(run, project_id):
            raise
        error = "The project was deleted here meanwhile."
    async with run.database.transaction() as tx:
        await operations.finish(tx, step, error)
        if project_id is not None:
            await forks.end(tx, project_id, error)
        if unavailable and await operations.is_moving(tx, step.move.id):  # nor would it give the next one
            await operations.end(tx, step.move.id, "failed", error)


def _check_attempt(run: Run) -> None:
    if exhausted(run):
        raise ImportRefused(UNEXPECTED)


async def _actor(run: Run, step: MoveStep) -> Actor:
    """The user who moves, with the rights of this moment."""
    async with run.database.reading() as tx:
        user = await find_user(tx, step.move.user_id)
    if user.state != "active":
        raise ImportRefused("The user who moves it is blocked.")
    return actor_of(user)


async def _place(run: Run, step: MoveStep, actor: Actor) -> tuple[int, SourceProject]:
    """The project here that is filled, and the one of the source."""
    async with aclosing(await _open(run, step.move, ignore)) as source:
        project = await source.project(step.project.path)
    try:
        async with run.database.transaction() as tx:
            project_id = await operations.place(tx, run.services, actor, step, project)
            await forks.begin(tx, project_id)
    except errors.ApiError as error:
        raise ImportRefused("; ".join(error.reasons)) from None
    return project_id, project


async def _open(run: Run, move: MoveRow, problem: ReportProblem) -> Forge:
    token = operations.token_of(run.services.vault, move)
    return await _open_source(run.services.settings.outbound_allow, move.address, token, problem, move.kind)


async def _move(run: Run, step: MoveStep, project: SourceProject, project_id: int, names: People) -> str | None:
    """Fill the project; why it is not whole, if it is not. A cancellation ends it within seconds."""
    wanted = _MoveRequest(
        step.move.address, operations.token_of(run.services.vault, step.move), project=project.path_with_namespace,
        into=step.namespace, kind=step.move.kind, project_id=project_id, people=operations.people_key(step.move),
        beside=step.beside,
    )  # fmt: skip
    move = _MoveIn(run.services, wanted, ignore)
    moving = asyncio.create_task(move.move(names))
    canceled = False
    try:
        async with reporting(run.database, project_id, move.report):
            while not canceled and not (await asyncio.wait([moving], timeout=SECONDS))[0]:
                async with run.database.reading() as tx:
                    canceled = not await operations.is_moving(tx, step.move.id)
    finally:
        moving.cancel()
        outcome = (await asyncio.gather(moving, return_exceptions=True))[0]
    async with run.database.transaction() as tx:
        await store_report(tx, project_id, move.report)
    if canceled:
        return "The import was canceled."
    if isinstance(outcome, BaseException):
        raise outcome
    return None if move.report.complete else move.report.problems[-1].reason


async def _is_alive(run: Run, project_id: int | None) -> bool:
    """Whether the project was not deleted meanwhile."""
    if project_id is None:
        return True
    async with run.database.reading() as tx:
        return bool(await tx.value("SELECT 1 FROM projects p WHERE p.id = :id AND p.deleted_at IS NULL", id=project_id))


@task("moves.expire", every=timedelta(hours=1))
async def expire_moves(run: Run, key: str) -> None:  # noqa: ARG001 - there is one list of moves
    """End the moves that no job continues, so that no token stays."""
    async with run.database.transaction() as tx:
        await operations.expire(tx)
