"""The runners of a project, of a group and of the instance: forms and, for the instance, the list."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from mujina.ci.runners import entities, operations
from mujina.ci.runners.filters import all_runners
from mujina.ci.runners.operations import IssuedRunner
from mujina.ci.runners.params import FilterRunners, RunnerChange
from mujina.ci.runners.registration import read_registration_token, reset_registration_token
from mujina.ci.runners.rules import (
    ManagedRunnerRow,
    check_assignable,
    check_editable,
    check_managed,
    check_removable,
    find_runner,
    is_editable,
    is_removable,
)
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.urls import instance_address
from mujina.workspaces.owners.rules import ADMIN_OWNER, INSTANCE, find_page_owner
from mujina.workspaces.projects.rules import ADMIN_PROJECT, ProjectRow, changing

_OWNER, _INSTANCE = "/{owner}/runners", "/admin/runners"
_OF_OWNER, _OF_INSTANCE = f"{_OWNER}/{{runner_id:int}}", f"{_INSTANCE}/{{runner_id:int}}"
_OF_PROJECT = "/{project}/runners/{runner_id:int}"
_OWNER_LIST, _PROJECT_LIST = "/{owner}/settings/ci_cd", "/{project}/settings/ci_cd"


@view(_INSTANCE, admin=True)
async def show_runners(request: PageRequest, query: FilterRunners, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        context = {
            "runners": await entities.load_managed_page(tx, request.actor, all_runners(query.listed), page),
            "registration_token": await read_registration_token(tx, request.services.vault, INSTANCE),
        }
    shared = {"query": query, "base": instance_address.get().base, "editable": partial(is_editable, request.actor)}
    return HtmlPage("ci/runners.html", {**context, **shared})


@view(f"{_OWNER}/new", to=ADMIN_OWNER, anonymous=False)
@view(f"{_INSTANCE}/new", admin=True)
async def show_new_runner(request: PageRequest) -> HtmlPage:
    return HtmlPage("ci/runner.html", {"runner": None, "back": _list_of(request), "editable": True})


@form(_OWNER, to=ADMIN_OWNER, again=f"{_OWNER}/new")
@form(_INSTANCE, admin=True, again=f"{_INSTANCE}/new")
async def create_runner(request: PageRequest) -> HtmlPage:
    """The response shows the token; no other does."""
    change = request.read_form(RunnerChange, "runner")
    async with request.transaction() as tx:
        issued = await operations.create(tx, request.actor, await find_page_owner(tx, request), change)
    return _issued(request, issued)


@form(f"{_OWNER}/reset_registration_token", to=ADMIN_OWNER, again=_OWNER_LIST)
@form(f"{_INSTANCE}/reset_registration_token", admin=True, again=_INSTANCE)
async def reset_registration(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        owner = await find_page_owner(tx, request)
        await reset_registration_token(tx, request.services.vault, request.actor, owner)
    return Redirect(_list_of(request), flash="There is a new registration token.")


@view(f"{_OF_OWNER}/edit", to=ADMIN_OWNER, anonymous=False)
@view(f"{_OF_INSTANCE}/edit", admin=True)
async def show_runner(request: PageRequest, runner_id: int) -> HtmlPage:
    async with request.reading() as tx:
        runner = await find_runner(tx, request.actor, runner_id)
        check_managed(request.actor, runner)
        details = await entities.to_details(tx, request.actor, runner)
    context = {
        "runner": details, "back": _list_of(request), "several": runner.project_count > 1,
        "editable": is_editable(request.actor, runner), "removable": is_removable(request.actor, runner),
    }  # fmt: skip
    return HtmlPage("ci/runner.html", context)


@form(_OF_OWNER, to=ADMIN_OWNER, again=f"{_OF_OWNER}/edit")
@form(_OF_INSTANCE, admin=True, again=f"{_OF_INSTANCE}/edit")
async def save_runner(request: PageRequest, runner_id: int) -> Redirect:
    await _edit(request, runner_id, request.read_form(RunnerChange, "runner"))
    return Redirect(f"{request.here}/runners/{runner_id}/edit", flash="Changes saved.")


@form(f"{_OF_OWNER}/pause", to=ADMIN_OWNER, again=_OWNER_LIST)
@form(f"{_OF_INSTANCE}/pause", admin=True, again=_INSTANCE)
async def pause_runner(request: PageRequest, runner_id: int) -> Redirect:
    await _edit(request, runner_id, RunnerChange(paused=True))
    return Redirect(_list_of(request), flash="The runner takes no further jobs.")


@form(f"{_OF_OWNER}/resume", to=ADMIN_OWNER, again=_OWNER_LIST)
@form(f"{_OF_INSTANCE}/resume", admin=True, again=_INSTANCE)
async def resume_runner(request: PageRequest, runner_id: int) -> Redirect:
    await _edit(request, runner_id, RunnerChange(paused=False))
    return Redirect(_list_of(request), flash="The runner takes jobs again.")


@form(f"{_OF_OWNER}/reset_token", to=ADMIN_OWNER, again=f"{_OF_OWNER}/edit")
@form(f"{_OF_INSTANCE}/reset_token", admin=True, again=f"{_OF_INSTANCE}/edit")
async def reset_runner_token(request: PageRequest, runner_id: int) -> HtmlPage:
    """The response shows the token; no other does."""
    async with _changing(request, runner_id) as (tx, runner):
        check_removable(request.actor, runner)
        issued = await operations.reset_token(tx, request.actor, runner)
    return _issued(request, issued)


@form(f"{_OF_OWNER}/delete", to=ADMIN_OWNER, again=f"{_OF_OWNER}/edit")
@form(f"{_OF_INSTANCE}/delete", admin=True, again=f"{_OF_INSTANCE}/edit")
async def delete_runner(request: PageRequest, runner_id: int) -> Redirect:
    async with _changing(request, runner_id) as (tx, runner):
        check_removable(request.actor, runner)
        await operations.remove(tx, request.actor, runner)
    return Redirect(_list_of(request), flash="Runner removed.")


@form(f"{_OF_PROJECT}/enable", to=ADMIN_PROJECT, again=_PROJECT_LIST)
async def enable_runner(request: PageRequest, project: ProjectRow, runner_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        runner = await find_runner(tx, request.actor, runner_id, lock=True)
        check_assignable(request.actor, runner)
        await operations.assign(tx, request.actor, runner, project.id)
    return Redirect(_list_of(request), flash="The runner takes jobs of this project.")


@form(f"{_OF_PROJECT}/disable", to=ADMIN_PROJECT, again=f"{_OF_PROJECT}/edit")
async def disable_runner(request: PageRequest, project: ProjectRow, runner_id: int) -> Redirect:
    async with changing(request, project, to=ADMIN_PROJECT) as tx:
        await operations.unassign(tx, request.actor, runner_id, project.id)
    return Redirect(_list_of(request), flash="The runner takes no further jobs of this project.")


@asynccontextmanager
async def _changing(request: PageRequest, runner_id: int) -> AsyncGenerator[tuple[Tx, ManagedRunnerRow]]:
    """A transaction in which the actor may still change the runner."""
    async with request.transaction() as tx:
        runner = await find_runner(tx, request.actor, runner_id, lock=True)
        check_editable(request.actor, runner)
        yield tx, runner


async def _edit(request: PageRequest, runner_id: int, change: RunnerChange) -> None:
    async with _changing(request, runner_id) as (tx, runner):
        await operations.edit(tx, request.actor, runner, change)


def _list_of(request: PageRequest) -> str:
    """The page that lists the runners."""
    return f"{request.here}/settings/ci_cd" if request.container else _INSTANCE


def _issued(request: PageRequest, issued: IssuedRunner) -> HtmlPage:
    context = {"issued": issued, "back": _list_of(request), "base": instance_address.get().base}
    return HtmlPage("ci/runner_token.html", context)
