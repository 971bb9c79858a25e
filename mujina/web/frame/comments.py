"""Comments as pages show them. Written in Python like the smaller elements: a page has hundreds."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from mujina.kernel.html.pages import PageRequest
from mujina.rendering.html import Html
from mujina.web.frame.elements import button, chip, dialog, html, icon, note, quick, quick_in_file, token
from mujina.web.frame.formats import query_value, time

_DELETE = Html('<span class="sr">Delete</span>')


_ID = "\0"
"""Stands for the id of a comment or a thread in what all of them have in common; no address contains it."""


class Comments:
    """Writes the comments of a page: what they have in common is made once."""

    def __init__(
        self, request: PageRequest, address: str, beside: str, *, commentable: bool = False, resolver: bool = False,
        quickly: str = "", target: str = "", reply: str = "",
    ) -> None:  # fmt: skip
        """`address`: the page; `beside`: what else changes when a comment is deleted; `quickly`: what a reply replaces;
        `target`: the page to come back to, if they stand among the changes of a file; `reply`: where replies are sent
        from there.
        """
        self._request = request
        self._address = address
        self._beside = beside
        self._commentable = commentable
        self._resolver = resolver
        self._quickly = quickly
        self._target = target
        self._reply = reply or f"{address}/notes"

    def comment(self, shown: Any) -> Html:
        """A `TimelineNote`."""
        request = self._request
        fresh = request.fragment is not None and request.tree.get("note") == str(shown.id)
        tools = f"<span>edited {time(shown.updated_at)}</span>" if shown.edited else ""
        if shown.editable:
            tools += str(shown.id).join(self._tools)
        body = f'<div class="markdown text full" hx-disable>{shown.html}</div>'
        if shown.suggestions:
            body = body.replace("markdown text", "markdown text suggesting", 1)
            body += "".join(_suggestion(request, each, self._address, self._target) for each in shown.suggestions)
        return note(shown.id, shown.author, shown.created_at, shown.role, Html(tools), fresh=fresh, caller=lambda: body)

    @cached_property
    def _tools(self) -> list[str]:
        """The links that edit and delete a comment: what stands around its id."""
        target, here = self._target, f"{self._address}/notes/{_ID}"
        edit, delete = f"{here}/edit", f"{here}/delete"
        edit += f"?target={query_value(target)}" if target else ""
        quickly = quick_in_file(delete) if target else quick(delete, "discussion", beside=self._beside)
        press = button(
            self._request, delete, "Delete comment", look="button danger filled",
            values={"target": target} if target else {}, quickly=quickly,
        )  # fmt: skip
        asked = dialog(
            f"delete-note-{_ID}", _DELETE, "Delete comment", "link", "trash-2",
            caller=lambda: f"  <p>The comment is deleted for everyone.</p>{press}\n",
        )  # fmt: skip
        change = quick(edit, f"note_{_ID}", "get")
        return f'<a href="{edit}"{change}>{icon("pencil")}<span class="sr">Edit comment</span></a>\n{asked}'.split(_ID)

    def discussion(self, thread: Any, written: Callable[..., str], excerpt: Callable[..., str]) -> Html:
        """A comment with its replies; a resolved thread is one line until it is opened.

        `written` and `excerpt` are macros: of a line that the server wrote, and of the lines of a diff.
        """
        parts = [f"<li>{excerpt(thread.line, self._address)}</li>"] if thread.line else []
        parts += [written(each) if each.system else self.comment(each) for each in thread.notes]
        resolvable = self._resolver and thread.resolvable
        if self._commentable or resolvable:
            form = self._reply_form(thread.id) if self._commentable else ""
            press = self._resolve(thread) if resolvable else ""
            parts.append(f'  <li class="reply">\n{form}{press}  </li>\n')
        talk = f'<ol class="talk">\n{"".join(parts)}</ol>\n'
        if not thread.resolved_at:
            return Html(talk)
        who, where = html(thread.resolved_by or "someone"), f" · {html(thread.line.path)}" if thread.line else ""
        line = f"{icon('circle-check', 'open')} Resolved by {who} {time(thread.resolved_at)}{where}"
        return Html(f'<details class="resolved"><summary class="meta">{line}</summary>{talk}</details>')

    def _reply_form(self, id: str) -> str:
        """A reply that was refused is shown again, with the reason."""
        request = self._request
        if not request.problems or request.tree.get("discussion_id") != id:
            return id.join(self._empty_form)
        focus = " autofocus" if request.fragment is not None else ""
        invalid = f' aria-invalid="true" aria-describedby="reply-{id}-problem"{focus}'
        reasons = html(" ".join(request.problems))
        problem = f'<p class="complaint" id="reply-{id}-problem">{icon("circle-alert")} {reasons}</p>'
        return self._form(id, " open", invalid, html(request.kept("body")), problem)

    @cached_property
    def _empty_form(self) -> list[str]:
        """The form of a reply: what stands around the id of the thread."""
        return self._form(_ID).split(_ID)

    def _form(self, id: str, state: str = "", invalid: str = "", kept: str = "", problem: str = "") -> str:
        back = f'<input type="hidden" name="target" value="{html(self._target)}">' if self._target else ""
        return (
            f'    <details{state}><summary class="link">Reply</summary>\n'
            f'<form method="post" action="{html(self._reply)}"{self._quickly}>\n  {token(self._request)}\n'
            f'        <input type="hidden" name="discussion_id" value="{id}">{back}'
            f'      <label class="sr" for="reply-{id}">Reply</label>\n'
            f'      <textarea id="reply-{id}" name="body" rows="3" required{invalid}>\n{kept}</textarea>\n{problem}'
            '      <div class="submit"><button class="button">Reply</button></div>\n\n</form>    </details>\n'
        )

    def _resolve(self, thread: Any) -> str:
        resolved, target = bool(thread.resolved_at), self._target
        action = f"{self._address}/discussions/{thread.id}/{'unresolve' if resolved else 'resolve'}"
        quickly = quick_in_file(action) if target else quick(action, "discussion", beside=self._beside)
        return button(
            self._request, action, "Unresolve thread" if resolved else "Resolve thread", "" if resolved else "check",
            look="button small", values={"target": target} if target else {}, quickly=quickly,
        )  # fmt: skip


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
