"""Comments as pages show them. Written in Python like the smaller elements: a page has hundreds."""

from collections.abc import Callable
from typing import Any

from mujina.kernel.html.pages import PageRequest
from mujina.rendering.html import Html
from mujina.web.frame.elements import button, chip, dialog, html, icon, note, quick, quick_in_file, token
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
    if shown.suggestions:
        body = body.replace("markdown text", "markdown text suggesting", 1)
        body += "".join(_suggestion(request, each, address, target) for each in shown.suggestions)
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


_STATES = {"applied": ("Applied", "check", "open"), "outdated": ("Outdated", "history", "warn")}


def _suggestion(request: PageRequest, shown: Any, address: str, target: str) -> str:
    """A small diff, with the button that applies it, and a box to apply it together with others."""
    sides = (("del", "-", shown.removed), ("add", "+", shown.added))
    rows = "".join(
        f'<tr class="{look}"><td class="n">{n if look == "del" else ""}</td><td class="n">{n if look == "add" else ""}</td>'
        f'<td class="sign">{sign}</td><td class="c">{html(text)}\n</td></tr>'
        for look, sign, lines in sides
        for n, text in enumerate(lines, shown.from_line)
    )
    tools = ""
    if shown.state == "appliable":
        values = {"ids[]": shown.id, **({"target": target} if target else {})}
        tools = button(request, f"{address}/suggestions", "Apply suggestion", look="button small", values=values)
        box = f'<input type="checkbox" form="suggestions" name="ids[]" value="{shown.id}">'
        tools += f" <label>{box} Apply together with others</label>" if shown.several and not target else ""
    elif shown.state in _STATES:
        tools = chip(*_STATES[shown.state])
    return (
        '<div class="card code" tabindex="0" role="group" aria-label="Suggested change">'
        f'<table class="lines diff"><tbody>{rows}</tbody></table></div><div class="meta">{tools}</div>'
    )


def discussion(
    request: PageRequest, thread: Any, address: str, written: Callable[..., str], excerpt: Callable[..., str], beside: str,
    commentable: bool, resolver: bool, quickly: str, target: str = "", reply: str = "",
) -> Html:  # fmt: skip
    """A comment with its replies; a resolved thread is one line until it is opened.

    `written` and `excerpt` are macros: of a line that the server wrote, and of the lines of a diff. `quickly`: what a reply
    replaces; `target`: the page to come back to, if it stands among the changes of a file; `reply`: where replies are sent
    from there.
    """
    parts = [f"<li>{excerpt(thread.line, address)}</li>"] if thread.line else []
    parts += [
        written(request, each, address) if each.system else comment(request, each, address, target, beside)
        for each in thread.notes
    ]
    resolvable = resolver and thread.resolvable
    if commentable or resolvable:
        form = _reply_form(request, thread.id, reply or f"{address}/notes", quickly, target) if commentable else ""
        press = _resolve(request, thread, address, target, beside) if resolvable else ""
        parts.append(f'  <li class="reply">\n{form}{press}  </li>\n')
    talk = f'<ol class="talk">\n{"".join(parts)}</ol>\n'
    if not thread.resolved_at:
        return Html(talk)
    who, where = html(thread.resolved_by or "someone"), f" · {html(thread.line.path)}" if thread.line else ""
    line = f"{icon('circle-check', 'open')} Resolved by {who} {time(thread.resolved_at)}{where}"
    return Html(f'<details class="resolved"><summary class="meta">{line}</summary>{talk}</details>')


def _reply_form(request: PageRequest, id: str, action: str, quickly: str, target: str) -> str:
    """A reply that was refused is shown again, with the reason."""
    refused = request.problems and request.tree.get("discussion_id") == id
    problem = kept = invalid = ""
    if refused:
        focus = " autofocus" if request.fragment is not None else ""
        invalid = f' aria-invalid="true" aria-describedby="reply-{id}-problem"{focus}'
        kept = html(request.kept("body"))
        reasons = html(" ".join(request.problems))
        problem = f'<p class="complaint" id="reply-{id}-problem">{icon("circle-alert")} {reasons}</p>'
    back = f'<input type="hidden" name="target" value="{html(target)}">' if target else ""
    return (
        f'    <details{" open" if refused else ""}><summary class="link">Reply</summary>\n'
        f'<form method="post" action="{html(action)}"{quickly}>\n  {token(request)}\n'
        f'        <input type="hidden" name="discussion_id" value="{id}">{back}'
        f'      <label class="sr" for="reply-{id}">Reply</label>\n'
        f'      <textarea id="reply-{id}" name="body" rows="3" required{invalid}>\n{kept}</textarea>\n{problem}'
        '      <div class="submit"><button class="button">Reply</button></div>\n\n</form>    </details>\n'
    )


def _resolve(request: PageRequest, thread: Any, address: str, target: str, beside: str) -> str:
    resolved = bool(thread.resolved_at)
    action = f"{address}/discussions/{thread.id}/{'unresolve' if resolved else 'resolve'}"
    quickly = quick_in_file(action) if target else quick(action, "discussion", beside=beside)
    return button(
        request, action, "Unresolve thread" if resolved else "Resolve thread", "" if resolved else "check",
        look="button small", values={"target": target} if target else {}, quickly=quickly,
    )  # fmt: skip
