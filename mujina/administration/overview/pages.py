"""The first page of the administration, and the health of the instance."""

from mujina.administration.overview import entities
from mujina.administration.overview.health import age_of, health_lines, seconds_in_words
from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.monitoring.readiness import OK, run_checks


@view("/admin", admin=True)
async def show_overview(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        state = await entities.read_state(tx)
    context = {
        "state": state,
        "health": health_lines(request.services.settings, state),
        "uptime": seconds_in_words(age_of(entities.STARTED_AT)),
    }
    return HtmlPage("administration/overview.html", context)


@view("/admin/health_check", admin=True)
async def show_health(request: PageRequest) -> HtmlPage:
    checks = await run_checks(request.services)
    async with request.reading() as tx:
        state = await entities.read_state(tx)
    lines = health_lines(request.services.settings, state)
    return HtmlPage("administration/health.html", {"checks": checks, "health": lines, "ok": OK})


@view("/admin/logs", admin=True)
async def show_logs(request: PageRequest) -> HtmlPage:
    """Where the log goes: the server keeps no copy of it."""
    return HtmlPage("administration/logs.html", {"settings": request.services.settings})
