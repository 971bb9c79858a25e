"""Enabling and disabling two-factor authentication."""

from mujina.accounts.sessions.logins import check_own_password
from mujina.accounts.two_factor import operations, totp
from mujina.accounts.two_factor.params import CurrentPassword, Enable
from mujina.accounts.users import entities
from mujina.kernel.pages import HtmlPage, Obligation, PageRequest, Redirect, form, view

PAGE = "/profile/two_factor_auth"
SETTLES: tuple[Obligation, ...] = ("second factor",)


@view(PAGE, settles=SETTLES)
async def show_two_factor(visit: PageRequest, codes: list[str] | None = None) -> HtmlPage:
    async with visit.reading() as tx:
        enabled = (await entities.own(tx, visit.actor)).two_factor_enabled
        key = None if enabled else await operations.key_of(tx, visit.services.vault, visit.actor.id)
    link = totp.uri(key, visit.actor.username) if key else ""
    return HtmlPage("two_factor.html", {"enabled": enabled, "key": key or "", "link": link, "codes": codes or []})


@form(PAGE, settles=SETTLES)
async def prepare_two_factor(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        if not (await entities.own(tx, visit.actor)).two_factor_enabled:
            await operations.prepare(tx, visit.services.vault, visit.actor)
    return Redirect(PAGE)


@form(f"{PAGE}/enable", settles=SETTLES, again=PAGE)
async def enable_two_factor(visit: PageRequest) -> HtmlPage:
    enable = visit.read_form(Enable)
    await check_own_password(visit.services, visit.actor, enable.current_password)
    async with visit.transaction() as tx:
        codes = await operations.enable(tx, visit.services.vault, visit.actor, enable.code)
    return await show_two_factor(visit, codes)


@form(f"{PAGE}/codes", again=PAGE)
async def regenerate_codes(visit: PageRequest) -> HtmlPage:
    await check_own_password(visit.services, visit.actor, visit.read_form(CurrentPassword).current_password)
    async with visit.transaction() as tx:
        codes = await operations.regenerate_codes(tx, visit.actor)
    return await show_two_factor(visit, codes)


@form(f"{PAGE}/disable", again=PAGE)
async def disable_two_factor(visit: PageRequest) -> Redirect:
    await check_own_password(visit.services, visit.actor, visit.read_form(CurrentPassword).current_password)
    async with visit.transaction() as tx:
        await operations.disable(tx, visit.actor, visit.actor.id)
    return Redirect(PAGE)
