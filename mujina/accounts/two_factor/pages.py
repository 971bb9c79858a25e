"""Enabling and disabling two-factor authentication."""

from mujina.accounts.sessions.logins import check_own_password
from mujina.accounts.two_factor import operations, totp
from mujina.accounts.two_factor.params import CurrentPassword, Enable
from mujina.accounts.users import entities
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, SetupStep, form, leads_to_client, view
from mujina.kernel.urls import with_target

PAGE = "/profile/two_factor_auth"
SATISFIES: tuple[SetupStep, ...] = ("second factor",)


@view(PAGE, satisfies=SATISFIES)
async def show_two_factor(request: PageRequest, codes: list[str] | None = None) -> HtmlPage:
    async with request.reading() as tx:
        enabled = (await entities.own(tx, request.actor)).two_factor_enabled
        key = None if enabled else await operations.key_of(tx, request.services.vault, request.actor.id)
    link = totp.uri(key, request.actor.username) if key else ""
    qr_code = totp.qr_code(link) if link else ""
    context = {"enabled": enabled, "key": key or "", "link": link, "qr_code": qr_code, "codes": codes or []}
    target = request.target("/")
    return HtmlPage("two_factor.html", {**context, "target": target}, leads_outside=leads_to_client(target))


@form(PAGE, satisfies=SATISFIES)
async def prepare_two_factor(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        if not (await entities.own(tx, request.actor)).two_factor_enabled:
            await operations.prepare(tx, request.services.vault, request.actor)
    return Redirect(with_target(PAGE, request.target("/")))


@form(f"{PAGE}/enable", satisfies=SATISFIES, again=PAGE)
async def enable_two_factor(request: PageRequest) -> HtmlPage:
    enable = request.read_form(Enable)
    await check_own_password(request.services, request.actor, enable.current_password)
    async with request.transaction() as tx:
        codes = await operations.enable(tx, request.services.vault, request.actor, enable.code)
    return await show_two_factor(request, codes)


@form(f"{PAGE}/codes", again=PAGE)
async def regenerate_codes(request: PageRequest) -> HtmlPage:
    await check_own_password(request.services, request.actor, request.read_form(CurrentPassword).current_password)
    async with request.transaction() as tx:
        codes = await operations.regenerate_codes(tx, request.actor)
    return await show_two_factor(request, codes)


@form(f"{PAGE}/disable", again=PAGE)
async def disable_two_factor(request: PageRequest) -> Redirect:
    await check_own_password(request.services, request.actor, request.read_form(CurrentPassword).current_password)
    async with request.transaction() as tx:
        await operations.disable(tx, request.actor, request.actor.id)
    return Redirect(PAGE)
