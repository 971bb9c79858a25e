"""The settings and the license of the instance, for administrators."""

from typing import Any

from mujina.instance.application_settings import entities, operations
from mujina.instance.application_settings.page_fields import sections
from mujina.instance.application_settings.params import EditApplicationSettings
from mujina.instance.application_settings.rules import read_settings
from mujina.instance.editions.rules import LOWEST_EDITION, has_feature
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view

PAGE = "/admin/application_settings"


@view(PAGE, admin=True)
async def show_application_settings(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        current = await read_settings(tx)
    return HtmlPage("administration/application_settings.html", {"sections": sections(current)})


@form(PAGE, admin=True)
async def edit_application_settings(request: PageRequest) -> Redirect:
    """Each section is a form of its own, which names its settings."""
    change = request.read_form(EditApplicationSettings, "application_setting")
    named: Any = request.tree.get("application_setting")
    async with request.transaction() as tx:
        await operations.edit(tx, request.actor, change, tuple(named or ()))
    return Redirect(PAGE, flash="Settings saved.")


@view("/admin/license", admin=True)
async def show_license(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        license = await entities.license_of(tx)
    features = {name: has_feature(name) for name in LOWEST_EDITION}
    return HtmlPage("administration/license.html", {"license": license, "features": features})
