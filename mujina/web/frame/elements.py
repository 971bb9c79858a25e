"""The smallest parts of pages: icons, pictures of people, labels, chips, buttons, and the links to the pages of a list.

Functions instead of macros, because a page repeats them by the hundred: a call of a macro costs several times as much. They
escape all that they are given; templates use them as `ui.icon` and so on.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from html import escape
from typing import Any

from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.paging import Paged
from mujina.rendering.html import Html
from mujina.web.assets import asset_address
from mujina.web.frame.formats import initials, local, time, tone, url_path

MAX_NUMBERED = 10_000
"""Items of a list whose pages have numbers; longer lists have the next page and the one before."""
CUT_LENGTH = 20
"""Longer names of labels may be cut where there is little room, such as on boards: then their title has the whole name."""
_find_special = re.compile("[&<>\"']").search
_STATUS_ICONS = {
    "success": "circle-check", "failed": "circle-x", "running": "play", "canceled": "ban", "pending": "pause",
    "manual": "settings", "scheduled": "clock", "skipped": "arrow-right",
}  # fmt: skip
_STATUS_KINDS = {"success": "open", "failed": "danger", "pending": "warn", "running": "info"}


@lru_cache(1024)
def icon(name: str, kind: str = "") -> Html:
    """A picture that says nothing which words beside it do not say; `kind`: its color, such as `open` or `warn`."""
    look = f"i {escape(kind)}" if kind else "i"
    picture = f"{asset_address('icons.svg')}#{escape(name)}"
    return Html(f'<svg class="{look}" aria-hidden="true"><use href="{picture}"/></svg>')


@lru_cache(1024)
def avatar(id: int, name: str, picture: str = "", size: int = 24, *, square: bool = False, shown: bool = True) -> Html:
    """An uploaded picture, or initials on a tone chosen by the id. `shown`: whether the name stands beside it."""
    look = f"avatar a{size} square" if square else f"avatar a{size}"
    if picture:
        words = "" if shown else escape(name)
        return Html(
            f'<img class="{look}" src="{escape(picture)}" alt="{words}" width="{size}" height="{size}" loading="lazy">'
        )
    words = 'aria-hidden="true"' if shown else f'role="img" aria-label="{escape(name)}"'
    return Html(
        f'<svg class="{look}" viewBox="0 0 40 40" width="{size}" height="{size}" {words}>'
        f'<rect width="40" height="40" fill="{tone(id)}"/><text x="20" y="20.5" dy=".35em" text-anchor="middle" '
        f'fill="#fff" font-size="15" font-weight="600">{escape(initials(name))}</text></svg>'
    )


@lru_cache(1024)
def label(name: str, color: str, address: str = "", description: str | None = "") -> Html:
    """A label with a dot of its color; a link, if there is an address."""
    inner = (
        '<svg class="dot" viewBox="0 0 10 10" aria-hidden="true">'
        f'<circle cx="5" cy="5" r="4.5" fill="{escape(color)}"/></svg>{escape(name)}'
    )
    words = [name] if len(name) > CUT_LENGTH else []
    words += [description] if description else []
    title = f' title="{escape(": ".join(words))}"' if words else ""
    if address:
        return Html(f'<a class="label" href="{escape(address)}"{title}>{inner}</a>')
    return Html(f'<span class="label"{title}>{inner}</span>')


@lru_cache(1024)
def chip(text: str | int, icon_name: str = "", kind: str = "") -> Html:
    """A word in a box, such as a role or a state; `kind`: its color."""
    look = f"chip {escape(kind)}" if kind else "chip"
    return Html(f'<span class="{look}">{icon(icon_name) if icon_name else ""}{escape(str(text))}</span>')


def status(word: str | None) -> Html:
    """The status of a pipeline in words and color; nothing if there is none."""
    return chip(word, _STATUS_ICONS.get(word, "circle-dashed"), _STATUS_KINDS.get(word, "")) if word else Html()


@lru_cache(1024)
def status_icon(word: str, of: str = "") -> Html:
    """The status of a part of a pipeline as a picture; its words are for those who point at it or cannot see it."""
    words = escape(f"{of}: {word}" if of else word)
    picture = icon(_STATUS_ICONS.get(word, "circle-dashed"), _STATUS_KINDS.get(word, ""))
    return Html(f'<span title="{words}">{picture}<span class="sr">{words}</span></span>')


def pagination(request: PageRequest, paged: Paged[Any]) -> Html:
    """The pages of a list, with the query of this request; nothing if there is one."""
    number, last = paged.page.number, max(1, -(-paged.total // paged.page.size))
    if last == 1:
        return Html()
    kept = request.link(page=None)
    start = escape(f"{kept}&page=" if kept.startswith("?") else "?page=")
    links = [f'<a href="{start}{number - 1}" rel="prev">Previous</a>'] if number > 1 else []
    before = 0
    for n in sorted({1, last, *range(number - 2, number + 3)}) if paged.total <= MAX_NUMBERED else ():
        if 1 <= n <= last:
            links += ["<span>…</span>"] if n - before > 1 else []
            current = ' aria-current="page"' if n == number else ""
            links.append(f'<a href="{start}{n}"{current}><span class="sr">Page </span>{n}</a>')
            before = n
    links += [f'<a href="{start}{number + 1}" rel="next">Next</a>'] if number < last else []
    return Html(f'<nav class="pagination" aria-label="Pages">{"".join(links)}</nav>')


def person(person: Any, size: int = 20) -> Html:
    """A person by a link: `person` has `id`, `name`, `username` and `avatar_url`, as the API shows users."""
    picture = avatar(person.id, person.name, local(person.avatar_url), size)
    return Html(f'<a class="person" href="/{html(url_path(person.username))}">{picture} {html(person.name)}</a>')


def dialog(
    id: str, button: str, title: str, look: str = "button", icon_name: str = "", *, caller: Callable[[], str]
) -> Html:
    """A dialog: its button and the box that it opens; the caller writes the form inside."""
    id, picture = html(id), icon(icon_name) if icon_name else ""
    return Html(
        f'<button type="button" class="{look}" popovertarget="{id}">{picture}{html(button)}</button>\n'
        f'<div class="dialog" id="{id}" popover role="dialog" aria-labelledby="{id}-title">\n'
        f'  <h2 id="{id}-title">{html(title)}</h2>\n  {caller()}\n</div>'
    )


def fact(
    title: str, edit: str = "", field: str = "", word: str = "Edit", *, quiet: bool = False, caller: Callable[[], str]
) -> Html:
    """One part of the side column. `edit`: the address of the form, or of what `word` says, with the field as its fragment;
    `field`: the name by which a script asks for a form of that field alone; `quiet`: only screen readers say the title.
    """
    link = ""
    if edit:
        alone = (
            f' hx-get="{html(edit.partition("#")[0])}?field={field}" hx-target="closest .fact" hx-select="#one-field"'
        )
        words = f'{html(word)}<span class="sr"> {html(title.lower())}</span>'
        link = f'<a class="edit" href="{html(edit)}"{alone if field else ""}>{words}</a>'
    look = ' class="sr"' if quiet else ""
    return Html(f'<section class="fact"><h2{look}>{html(title)}</h2>{link}<div>{caller()}</div></section>')


def note(
    id: int, author: Any, created_at: str, role: str = "", tools: str = "", *, fresh: bool = False,
    caller: Callable[[], str],
) -> Html:  # fmt: skip
    """A comment in the timeline; `tools` is markup, such as a menu. `fresh`: it was just written, and gets the focus."""
    focus = ' tabindex="-1" autofocus' if fresh else ""
    picture = avatar(author.id, author.name, local(author.avatar_url), 32)
    name = f'<a href="/{html(url_path(author.username))}"><b>{html(author.name)}</b></a>'
    head = f"{name} {time(created_at)}{f' {chip(role)}' if role else ''}"
    return Html(
        f'<li class="note" id="note_{id}"{focus}>\n  {picture}\n  <article class="card note-card">\n'
        f'    <header class="note-head">{head}<div class="card-tail">{html(tools)}</div></header>\n'
        f'    <div class="note-body">{caller()}</div>\n  </article>\n</li>'
    )


def token(request: PageRequest) -> Html:
    """The hidden field of every form."""
    return Html(f'<input type="hidden" name="authenticity_token" value="{request.form_token}">')


def quick(action: str, part: str, verb: str = "post", beside: str = "") -> Html:
    """With a script, the form replaces only the element `part`, a block of the same page; without one it loads the whole page."""
    more = f' hx-select-oob="#{beside}"' if beside else ""
    return Html(f' hx-{verb}="{html(action)}" hx-target="#{part}" hx-select="#{part}" hx-swap="outerHTML"{more}')


def quick_in_file(action: str, verb: str = "post") -> Html:
    """`quick` for a form or link among the changes of a file, all of which the response replaces."""
    return Html(
        f' hx-{verb}="{html(action)}" hx-target="closest .file-diff" hx-select=".file-diff" hx-swap="outerHTML"'
        ' hx-select-oob="#unresolved"'
    )


def button(
    request: PageRequest, action: str, text: str, icon_name: str = "", look: str = "button",
    values: Mapping[str, Any] | None = None, part: str = "", quickly: str = "", title: str = "", **more: str,
) -> Html:  # fmt: skip
    """A form of one button: `forms.button(request, "/path/star", "Star", "star")`. `values` are hidden fields; `class` is
    what it looks like.
    """
    hidden = [
        f'<input type="hidden" name="{name}" value="{html(str(value))}">' for name, value in (values or {}).items()
    ]
    words = f' title="{html(title)}"' if title else ""
    return Html(
        f'<form method="post" action="{html(action)}" class="inline"{quick(action, part) if part else ""}{quickly}>'
        f'{token(request)}{"".join(hidden)}<button class="{more.get("class", look)}"{words}>'
        f"{icon(icon_name) if icon_name else ''}{html(text)}</button></form>"
    )


def html(text: str) -> str:
    """The text as templates write it; as it stands if it is HTML already."""
    if hasattr(text, "__html__") or _find_special(text) is None:
        return text
    return escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
