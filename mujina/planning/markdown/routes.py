"""Markdown as pages show it."""

import msgspec

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import post
from mujina.kernel.permissions.scopes import API, READ_API
from mujina.kernel.urls import instance_address
from mujina.planning.markdown.params import RenderMarkdown
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.projects.rules import find_project


class RenderedMarkdown(msgspec.Struct):
    html: str


# Compat: this endpoint is younger than the specification; clients use it to find out whether their token may write.
@post("/markdown", scopes=(*API, READ_API))
async def render_markdown(call: Call, query: RenderMarkdown) -> RenderedMarkdown:
    """Render a text as HTML, with references to what the caller may read."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, Ref(query.project)) if query.project else None
        path = project.full_path if project else ""
        place = TextPlace(base=instance_address.get().base, project=path, gfm=bool(query.gfm))
        html = await markdown.show(call.services, tx, call.actor, [MarkdownText(query.text, place)])
    return RenderedMarkdown(str(html[0]))
