"""The feature flags of a project: the list with its switches, a form for a new one, and what programs need to read them."""

from typing import Final

from mujina.ci.feature_flags import entities, operations
from mujina.ci.feature_flags.entities import Strategy
from mujina.ci.feature_flags.params import EditFeatureFlag, FeatureFlagForm, FlagSwitch, ListFeatureFlags
from mujina.ci.feature_flags.rules import find_flag
from mujina.ci.user_lists.rules import READ_FEATURE_FLAGS, WRITE_FEATURE_FLAGS
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.urls import api
from mujina.workspaces.projects.rules import ProjectRow, changing

_ALL = "/{project}/-/feature_flags"
_STRATEGIES: Final = {
    "default": "All users",
    "gradualRolloutUserId": "Percent of users:",
    "flexibleRollout": "Percent of users:",
    "userWithId": "User IDs",
    "gitlabUserList": "User list",
}


@view(_ALL, to=READ_FEATURE_FLAGS, rights={"write": WRITE_FEATURE_FLAGS})
async def show_feature_flags(
    request: PageRequest, project: ProjectRow, query: ListFeatureFlags, page: Page
) -> HtmlPage:
    async with request.reading() as tx:
        flags = await entities.load_page(tx, project.id, query, page)
        token = await operations.read_token(tx, request.services.vault, project.id)
    address = api(f"/feature_flags/unleash/{project.id}")
    context = {"flags": flags, "query": query, "token": token, "address": address}
    return HtmlPage("ci/feature_flags.html", {**context, "strategies": _STRATEGIES, "percentage": _percentage})


@view(f"{_ALL}/new", to=WRITE_FEATURE_FLAGS, anonymous=False)
async def show_new_feature_flag(_: PageRequest) -> HtmlPage:
    return HtmlPage("ci/feature_flag_form.html")


@form(_ALL, to=WRITE_FEATURE_FLAGS, again=f"{_ALL}/new")
async def create_feature_flag(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(FeatureFlagForm, "feature_flag").change()
    async with changing(request, project, to=WRITE_FEATURE_FLAGS) as tx:
        await operations.create(tx, request.actor, project.id, change)
    return _listed(request, "Feature flag created.")


@form(f"{_ALL}/token", to=WRITE_FEATURE_FLAGS, again=_ALL)
async def renew_feature_flag_token(request: PageRequest, project: ProjectRow) -> Redirect:
    async with changing(request, project, to=WRITE_FEATURE_FLAGS) as tx:
        await operations.renew_token(tx, request.services.vault, request.actor, project.id)
    return _listed(request, "Programs need the new instance ID from now on.")


@form(f"{_ALL}/{{name}}", to=WRITE_FEATURE_FLAGS, again=_ALL)
async def switch_feature_flag(request: PageRequest, project: ProjectRow, name: str, change: FlagSwitch) -> Redirect:
    async with changing(request, project, to=WRITE_FEATURE_FLAGS) as tx:
        flag = await find_flag(tx, project.id, name)
        await operations.edit(tx, request.actor, flag, EditFeatureFlag(active=change.active))
    return _listed(request, f"{name} is {'on' if change.active else 'off'} now.")


@form(f"{_ALL}/{{name}}/delete", to=WRITE_FEATURE_FLAGS, again=_ALL)
async def delete_feature_flag(request: PageRequest, project: ProjectRow, name: str) -> Redirect:
    async with changing(request, project, to=WRITE_FEATURE_FLAGS) as tx:
        await operations.remove(tx, request.actor, await find_flag(tx, project.id, name))
    return _listed(request, "Feature flag deleted.")


def _percentage(strategy: Strategy) -> str | None:
    return strategy.parameters.get("rollout") or strategy.parameters.get("percentage")


def _listed(request: PageRequest, sentence: str) -> Redirect:
    return Redirect(f"{request.here}/-/feature_flags", flash=sentence)
