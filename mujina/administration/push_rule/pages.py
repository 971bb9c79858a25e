"""The push rule that new projects get."""

from mujina.code.push_rules import operations
from mujina.code.push_rules.params import ChangePushRule
from mujina.code.push_rules.rules import default_push_rule
from mujina.instance.editions.rules import check_route
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view

PAGE = "/admin/push_rule"


@view(PAGE, admin=True)
async def show_default_push_rule(request: PageRequest) -> HtmlPage:
    check_route("push_rules")
    async with request.reading() as tx:
        return HtmlPage("administration/push_rule.html", {"rule": await default_push_rule(tx)})


@form(PAGE, admin=True)
async def save_default_push_rule(request: PageRequest, change: ChangePushRule) -> Redirect:
    check_route("push_rules")
    async with request.transaction() as tx:
        rule = await default_push_rule(tx)
        if rule is None:
            await operations.create(tx, request.actor, None, change)
        else:
            await operations.edit(tx, request.actor, rule, change)
    return Redirect(PAGE, flash="Push rule saved.")


@form(f"{PAGE}/delete", admin=True, again=PAGE)
async def delete_default_push_rule(request: PageRequest) -> Redirect:
    check_route("push_rules")
    async with request.transaction() as tx:
        rule = await default_push_rule(tx)
        if rule is not None:
            await operations.remove(tx, request.actor, rule)
    return Redirect(PAGE, flash="Push rule removed.")
