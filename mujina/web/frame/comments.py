"""Comments as pages show them. Written in Python like the smaller elements: a page has hundreds."""

from typing import Any

from mujina.kernel.html.pages import PageRequest
from mujina.rendering.html import Html
from mujina.web.frame.elements import button, dialog, icon, note, quick, quick_in_file
from mujina.web.frame.formats import query_value, time

_DELETE = Html('<span class="sr">Delete</span>')


def comment(request: PageRequest, shown: Any, address: str, target: str, beside: str) -> Html:
    """A `TimelineNote` below the page at `address`. `target`: the page to come back to, if it stands among the changes of a
    file; `beside`: what else changes when it is deleted.
    """
    fresh = request.fragment is not None and request.tree.get("note") == str(shown.id)
    tools = f"<span>edited {time(shown.updated_at)}</span>" if shown.edited else ""
    if shown.editable:
        tools += _tools(request, shown.id, f"{address}/notes/{shown.id}", target, beside)
    body = f'<div class="markdown text full" hx-disable>{shown.html}</div>'
    return note(shown.id, shown.author, shown.created_at, shown.role, Html(tools), fresh=fresh, caller=lambda: body)


def _tools(request: PageRequest, id: int, here: str, target: str, beside: str) -> str:
    edit, delete = f"{here}/edit", f"{here}/delete"
    edit += f"?target={query_value(target)}" if target else ""
    quickly = quick_in_file(delete) if target else quick(delete, "discussion", beside=beside)
    values = {"target": target} if target else {}

    def ask() -> str:
        press = button(request, delete, "Delete comment", look="button danger filled", values=values, quickly=quickly)
        return f"  <p>The comment is deleted for everyone.</p>{press}\n"

    asked = dialog(f"delete-note-{id}", _DELETE, "Delete comment", "link", "trash-2", caller=ask)
    change = quick(edit, f"note_{id}", "get")
    return f'<a href="{edit}"{change}>{icon("pencil")}<span class="sr">Edit comment</span></a>\n{asked}'
