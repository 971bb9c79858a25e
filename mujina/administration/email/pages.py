"""How this instance sends mail."""

from mujina.administration.email.operations import send_test_mail
from mujina.administration.overview.entities import read_totals
from mujina.administration.overview.health import mail_server
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import Params

PAGE = "/admin/email"


class MailTest(Params):
    email: str = ""


@view(PAGE, admin=True)
async def show_mail(request: PageRequest) -> HtmlPage:
    settings = request.services.settings
    async with request.reading() as tx:
        totals = await read_totals(tx)
    context = {
        "server": mail_server(settings), "sender": settings.mail_from, "totals": totals,
        "encrypted": (settings.smtp_url or "").startswith("smtps:"), "credentials": "@" in (settings.smtp_url or ""),
    }  # fmt: skip
    return HtmlPage("administration/email.html", context)


@form(f"{PAGE}/test", admin=True, again=PAGE)
async def send_test(request: PageRequest) -> Redirect:
    address = request.read_form(MailTest, "mail").email.strip()
    await send_test_mail(request.services.settings, address)
    kept = "" if request.services.settings.smtp_url else " It is kept in the data folder: see `mujina mail`."
    return Redirect(PAGE, flash=f"A test mail was sent to {address}.{kept}")
