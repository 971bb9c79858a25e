"""Moving projects here from another forge."""

from typing import Any, Final

import msgspec

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import Page
from mujina.kernel.permissions.actor import Actor
from mujina.moving.personal_moves import operations, people
from mujina.moving.personal_moves.params import BeginMove, ChooseProjects, SearchMove
from mujina.moving.personal_moves.rules import (
    ChosenProject,
    MovePerson,
    MoveRow,
    count_projects,
    find_move,
    moves_of,
    people_of,
    projects_chosen,
    projects_found,
)
from mujina.moving.reports.operations import ImportReport
from mujina.workspaces.namespaces import entities as namespaces

_NEW: Final = "/projects/new/forge"
_ONE: Final = "/import/{move_id:int}"
KINDS: Final = (
    ("", "Detect automatically"), ("gitlab", "GitLab or Mujina"), ("gitea", "Gitea or Forgejo"), ("github", "GitHub"),
    ("redmine", "Redmine"),
)  # fmt: skip
SHOWN_PROBLEMS: Final = 100
"""Problems of each project in the document about a move; that about the project has the rest."""


@view("/import")
async def show_moves(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        moves = await moves_of(tx, request.actor, page)
    return HtmlPage("moving/moves.html", {"moves": moves})


@view(_NEW)
async def show_new_move(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        imports = "git" in (await read_settings(tx)).import_sources
    return HtmlPage("moving/new_move.html", {"kinds": KINDS, "imports": imports})


@form(_NEW)
async def begin_move(request: PageRequest, change: BeginMove) -> Redirect:
    async with request.transaction() as tx:
        move_id = await operations.begin(tx, request.services, request.actor, change)
    return Redirect(f"/import/{move_id}")


@view(_ONE)
async def show_move(request: PageRequest, move_id: int, page: Page, query: SearchMove) -> HtmlPage:
    async with request.reading() as tx:
        move = await find_move(tx, request.actor, move_id)
        counts = await count_projects(tx, move.id)
        if move.status in ("listing", "listed"):
            shown = await projects_found(tx, request.actor, move.id, query.search, page)
        else:
            shown = await projects_chosen(tx, request.actor, move.id, page)
        homes = await namespaces.homes(tx, request.actor) if move.status == "listed" else []
        known = await people_of(tx, move.id) if move.status in ("listing", "listed") else []
    reports = {each.id: _report_of(each) for each in shown.items}
    context = {"homes": [(home.id, f"/{home.full_path}/") for home in homes], "reports": reports, "counts": counts}
    context |= {"people": known, "people_map": _map(known), "mine": _is_mine(request.actor, move, known)}
    return HtmlPage("moving/move.html", {**context, "move": move, "projects": shown})


def _map(people: list[MovePerson]) -> str:
    """The map of people as the command line reads it."""
    found = {person.login: person.username for person in people}
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() if found else ""


def _is_mine(actor: Actor, move: MoveRow, people: list[MovePerson]) -> bool:
    return any(person.login == move.login and person.user_id == actor.id for person in people)


@form(f"{_ONE}/start", again=_ONE)
async def start_move(request: PageRequest, move_id: int, change: ChooseProjects) -> Redirect:
    async with request.transaction() as tx:
        move = await find_move(tx, request.actor, move_id, lock=True)
        await operations.choose(tx, move, change)
        await people.map_people(tx, request.actor, move, change)
        if change.act == "start":
            await operations.start(tx, request.actor, move, change.namespace or "")
        elif change.act == "people":
            await people.begin_listing(tx, request.actor, move)
    return Redirect(f"/import/{move_id}", flash="The selection is saved." if change.act == "keep" else "")


@form(f"{_ONE}/cancel", again=_ONE)
async def cancel_move(request: PageRequest, move_id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.cancel(tx, await find_move(tx, request.actor, move_id, lock=True))
    return Redirect(f"/import/{move_id}", flash="The import is canceled.")


@view(f"{_ONE}/report.json")
async def show_report(request: PageRequest, move_id: int, page: Page) -> Response:
    """A page of the projects of the move for programs, each with what came and what did not."""
    async with request.reading() as tx:
        move = await find_move(tx, request.actor, move_id)
        counts = await count_projects(tx, move.id)
        shown = await projects_chosen(tx, request.actor, move.id, page)
    body = {
        "id": move.id, "source": move.address, "status": move.status, "error": move.error, "created_at": move.created_at,
        "chosen": counts.chosen, "moved": counts.moved, "failed": counts.failed,
        "projects": [_described(each) for each in shown.items],
    }  # fmt: skip
    return Response(body)


def _described(project: ChosenProject) -> dict[str, Any]:
    report = _report_of(project)
    if report is not None:
        report.problems = report.problems[:SHOWN_PROBLEMS]
    return {
        "path": project.path, "status": project.status, "error": project.error, "project_id": project.project_id,
        "path_with_namespace": project.full_path, "report": report,
    }  # fmt: skip


def _report_of(project: ChosenProject) -> ImportReport | None:
    return None if project.report is None else msgspec.json.decode(project.report, type=ImportReport)
