"""Responses of pages: rendered templates, redirects, one-time messages, errors, and the headers of all of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec
from falcon.asgi import Request
from falcon.asgi import Response as FalconResponse

from mujina.kernel import deferred_imports, secrets
from mujina.kernel.build import VERSION
from mujina.kernel.errors import ApiError
from mujina.kernel.html.pages import Cookie, HtmlPage, PageRequest, Redirect, Result
from mujina.kernel.html.templates import environment
from mujina.kernel.http.dispatcher import SESSION_COOKIE, Response, WireResponse, response_for
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address
from mujina.rendering.code import code_rows, diff_rows
from mujina.web.assets import Asset, asset_address
from mujina.web.entered_texts import entered_texts
from mujina.web.frame import comments, elements
from mujina.web.frame.formats import FILTERS
from mujina.web.frame.frame import Frames
from mujina.web.frame.kept_parts import PLAIN, kept
from mujina.workspaces.ldap_groups.rules import are_links_offered

TEMPLATES = Path(__file__).parent / "templates"
MACROS = ("ui", "forms", "charts", "code", "lists", "rows", "bars")
"""The files of `templates/macros`, each a name in every template: `{{ ui.icon("plus") }}`."""
HTMX: Mapping[str, Any] = {
    # Styles and code in attributes would violate the content security policy; pages are not kept in the browser's storage.
    "includeIndicatorStyles": False, "allowEval": False, "allowScriptTags": False, "selfRequestsOnly": True,
    "historyCacheSize": 0, "refreshOnHistoryMiss": True,
    "responseHandling": [
        {"code": "204", "swap": False}, {"code": "[23]..", "swap": True}, {"code": "409|422|429", "swap": True},
        {"code": "[45]..", "swap": False, "error": True},
    ],
}  # fmt: skip
"""The configuration of htmx, in a tag of every page."""
FLASH_COOKIE = "_service_flash"
FLASH_SECONDS = 60
MAX_FLASH = 700
"""Bytes of a one-time message: signed, it stays near a kilobyte."""

_CONTENT_POLICY = (
    "default-src 'none'; script-src 'nonce-{}'; style-src 'self'; img-src 'self'{}; media-src 'self'; connect-src 'self'; "
    "frame-src 'self'; object-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY_HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@cache
def templates() -> Any:
    """The environment of the pages: filters, functions, asset addresses and macros are known everywhere."""
    jinja: Any = environment(TEMPLATES)
    jinja.context_class = _context_class()
    jinja.filters.update(FILTERS)
    jinja.globals.update(
        asset=asset_address, version=VERSION, htmx_config=msgspec.json.encode(HTMX).decode(), elements=elements,
        comments=comments, code_rows=code_rows, diff_rows=diff_rows, kept=kept, plain_request=PLAIN,
        ldap_links_offered=are_links_offered,
    )  # fmt: skip
    for name in MACROS:
        jinja.globals[name] = jinja.get_template(f"macros/{name}.html").module
    return jinja


def _context_class() -> Any:
    """Calls macros and functions as they are. Jinja would look at each whether it asks for the context, which none of ours
    does: six hundred times on a page.
    """

    class PlainContext(deferred_imports.jinja2().runtime.Context):
        def call(self, function: Callable[..., Any], /, *args: Any, **values: Any) -> Any:
            values.pop("_block_vars", None)
            values.pop("_loop_vars", None)
            return function(*args, **values)

    return PlainContext


class Writer:
    """Writes the results of handlers."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames

    async def write(self, request: PageRequest, response: FalconResponse, result: Result) -> None:
        if isinstance(result, Redirect):
            self.redirect(request, response, result)
            return
        if request.new_cookie is not None:
            set_cookie(response, SESSION_COOKIE, request.new_cookie)
        if isinstance(result, Response):
            write_reply(response, response_for(result, 200, request.http.path))
            return
        if result.status != 200:
            response.status = result.status
        await self._show(request, response, result)

    def redirect(self, request: PageRequest, response: FalconResponse, redirect: Redirect) -> None:
        if request.new_cookie is not None:
            set_cookie(response, SESSION_COOKIE, request.new_cookie)
        if redirect.flash:
            cookie = request.new_cookie.value if request.new_cookie else request.cookie
            value = secrets.sign(cookie, redirect.flash.encode()[:MAX_FLASH].decode(errors="ignore"))
            set_cookie(response, FLASH_COOKIE, Cookie(value, FLASH_SECONDS))
        if redirect.whole and request.fragment is not None:
            response.set_header("HX-Redirect", redirect.path)  # a script would follow `Location` by itself
            return
        response.status = 303 if request.http.method == "POST" else 301 if redirect.permanent else 302
        response.set_header("Location", redirect.path)

    def read_flash(self, request: PageRequest) -> None:
        """Take the message that the last response left for this browser."""
        signed = request.http.cookies.get(FLASH_COOKIE)
        if signed:
            request.flash = secrets.read_signed(request.cookie, signed) or ""

    async def write_error(
        self, request: PageRequest, response: FalconResponse, error: ApiError, role: str | None
    ) -> None:
        """Show what went wrong and the way on. What went wrong for us says nothing but its id."""
        request.reasons, request.field_problems = [], {}
        context = {
            "status": error.status,
            "sentences": [] if error.generic else error.reasons,
            "role": role,
            "headers": error.headers,
            "texts": entered_texts(request.http),
        }
        record = record_of(request.http.scope)
        page = HtmlPage("refused.html", {**context, "request_id": record.request_id})
        await self._show(request, response, page, failing=error.status >= 500)
        response.status = error.status
        for name, value in error.headers.items():
            response.set_header(name, value)

    async def _show(
        self, request: PageRequest, response: FalconResponse, page: HtmlPage, *, failing: bool = False
    ) -> None:
        response.content_type = page.content_type
        policy = _CONTENT_POLICY.format(request.nonce, " https:" if request.services.settings.external_images else "")
        response.set_header(
            "Content-Security-Policy", policy if page.leads_outside else f"{policy}; form-action 'self'"
        )
        response.set_header("Vary", "HX-Request")
        response.set_header("Cache-Control", "private, no-cache" if request.session is None else "no-store")
        context: dict[str, Any] = {
            "request": request,
            "me": request.actor,
            "rights": request.rights,
        }
        blocks = page.blocks_for(request.fragment)
        if blocks:
            context["frame"] = self._frames.bare(request)
        elif page.content_type.startswith("text/html"):
            context["frame"] = self._frames.bare(request) if failing else await self._frames.of(request)
        if request.flash and page.content_type.startswith("text/html"):
            set_cookie(response, FLASH_COOKIE, Cookie("", 0))
        text = _rendered(page.template, blocks, {**context, **page.context})
        response.data = text.encode()
        if request.fragment is not None:
            if blocks and request.field_problems:  # a whole page has read them already
                request.read_titles(text)
            _announce(request, response)


def _rendered(name: str, blocks: Sequence[str], context: Mapping[str, Any]) -> str:
    """Renders these blocks of the template, or the whole of it if there are none."""
    template = templates().get_template(name)
    if not blocks:
        return template.render(**context)
    scope = template.new_context(dict(context))
    next(template.root_render_func(scope))  # runs what stands above the blocks: imports and values
    return "".join(piece for block in blocks for piece in template.blocks[block](scope))


def _announce(request: PageRequest, response: FalconResponse) -> None:
    """Only a part of the response is shown, which has no place for a message: the script of the page shows it."""
    if message := " ".join([request.flash, *request.problems]).strip():
        response.set_header("HX-Trigger", json.dumps({"flash": message}))  # ASCII, as headers are


def accepts_html(request: Request) -> bool:
    """Whether a browser asks; programs get errors as JSON."""
    return request.get_header("Accept") not in (None, "*/*") and request.client_accepts("text/html")


def set_cookie(response: FalconResponse, name: str, cookie: Cookie) -> None:
    """Set the cookie for our server alone; an empty one is removed."""
    if not cookie.value:
        response.unset_cookie(name, path="/", same_site="Lax")
        return
    response.set_cookie(
        name, cookie.value, max_age=cookie.seconds,
        path="/", http_only=True, same_site="Lax", secure=instance_address.get().base.startswith("https:"),
    )  # fmt: skip


def write_reply(response: FalconResponse, reply: WireResponse) -> None:
    """Copy a response for programs."""
    response.status = reply.status
    response.set_headers(dict(reply.headers))
    if reply.body is not None:
        response.content_type = reply.content_type
        if isinstance(reply.body, bytes):
            response.data = reply.body
        else:
            response.stream = reply.body


async def write_asset(asset: Asset, scope: Mapping[str, Any], send: Callable[..., Any]) -> None:
    """Send the asset, compressed if the client can read that."""
    sent = dict(cast("list[tuple[bytes, bytes]]", scope["headers"]))
    compressed = b"gzip" in sent.get(b"accept-encoding", b"")
    body = asset.compressed if compressed else asset.data
    headers = {**_SECURITY_HEADERS, **asset.headers(scope["path"]), "Content-Type": asset.content_type}
    headers |= {"Content-Length": str(len(body))} | ({"Content-Encoding": "gzip"} if compressed else {})
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": encoded})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


class SecurityHeaders:
    """Adds security headers to every page."""

    def __init__(self, services: Services) -> None:
        secure = (services.settings.external_url or "").startswith("https:")
        self._headers = _SECURITY_HEADERS | {"Cache-Control": "no-store"}
        self._headers |= {"Strict-Transport-Security": "max-age=31536000"} if secure else {}

    async def process_response(self, _: Request, response: FalconResponse, __: object, ___: bool) -> None:
        headers = response.headers
        response.set_headers({name: value for name, value in self._headers.items() if name.lower() not in headers})
