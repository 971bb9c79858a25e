"""The smallest parts of pages: icons, pictures of people, labels and chips, and the links to the pages of a list.

Functions instead of macros, because a page repeats them by the hundred: a call of a macro costs several times as much. They
escape all that they are given; templates use them as `ui.icon` and so on.
"""

from functools import lru_cache
from html import escape
from typing import Any

from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.paging import Paged
from mujina.rendering.html import Html
from mujina.web.assets import asset_address
from mujina.web.frame.formats import initials, tone

MAX_NUMBERED = 10_000
"""Items of a list whose pages have numbers; longer lists have the next page and the one before."""
CUT_LENGTH = 20
"""Longer names of labels may be cut where there is little room, such as on boards: then their title has the whole name."""
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
