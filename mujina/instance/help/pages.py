"""Help: the first steps, keyboard shortcuts, the operations of the API; and what search engines are told."""

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, document, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.openapi.outline import outline
from mujina.kernel.urls import instance_address

ROBOTS = """User-Agent: *
Disallow: /admin
Disallow: /api
Disallow: /dashboard
Disallow: /oauth
Disallow: /profile
Disallow: /search
Disallow: /users
Disallow: /*/blame/
Disallow: /*/commits/
Disallow: /*/compare/
Disallow: /*/raw/
Disallow: /*/repository/
"""
"""Pages that are private, or that cost much and lead nowhere else."""


@view("/help", anonymous=True)
async def show_help(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        text = (await read_settings(tx)).help_page_text or ""
    return HtmlPage("help/help.html", {"text": text, "base": instance_address.get().base})


@view("/help/shortcuts", anonymous=True)
async def show_shortcuts(_: PageRequest) -> HtmlPage:
    return HtmlPage("help/shortcuts.html")


@view("/help/api", anonymous=True)
async def show_api(request: PageRequest) -> HtmlPage:
    counts = {noun: len(operations) for noun, operations in outline(request.services.product).items()}
    return HtmlPage("help/api.html", {"nouns": counts, "base": instance_address.get().base})


@view("/help/api/{noun}", anonymous=True)
async def show_api_of_noun(request: PageRequest, noun: str) -> HtmlPage:
    operations = outline(request.services.product).get(noun)
    if operations is None:
        raise errors.unknown_route()
    return HtmlPage("help/api_noun.html", {"noun": noun, "operations": operations})


@document("/robots.txt", anonymous=True)
async def show_robots(_: PageRequest) -> Response:
    return Response(ROBOTS.encode(), content_type="text/plain; charset=utf-8")
