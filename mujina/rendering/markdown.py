"""Markdown as people read it: cmark, then an allow-list of HTML, then our own links, pictures, headings and references.

    texts = [MarkdownText(issue.description, place), MarkdownText(body, place)]
    description, note = await markdown.show(services, tx, actor, texts)

The result is safe in any page. It depends on the reader only where it names things that not everyone may see.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec

from mujina.kernel import deferred_imports
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import Product
from mujina.kernel.services import Services
from mujina.kernel.storage.recent_results import RecentResults
from mujina.rendering import cmark, references
from mujina.rendering.front_matter import split_off
from mujina.rendering.hostile_html import is_too_deep
from mujina.rendering.html import Html, escape
from mujina.rendering.low_priority import for_markdown
from mujina.rendering.markdown_pieces import Piece, PieceWriter, TextPlace, TooManyReferences
from mujina.rendering.references import Reference

VERSION: Final = 7
"""Raised when the same text is rendered differently: results kept before are not used any more."""
MAX_BYTES: Final = 1024 * 1024
"""A longer text is shown as it is."""
MAX_HTML: Final = 8 * MAX_BYTES
"""A table of a few kilobytes may have millions of empty cells."""
QUICK_LENGTH: Final = 6_000
"""Characters that take at most about a millisecond: longer texts are rendered in a thread."""
MAX_KEPT: Final = 8 * 1024 * 1024
"""Characters: 3,000 texts of 3 KB, for which Python takes 15 MB (32 would take 60); to render one again takes a millisecond."""
_SLOW: Final = ("```", "~~~", "$`", "$<", "<pre")
"""The starts of blocks of code and of formulas, which take longer."""

TAGS: Final = frozenset(
    (  # noqa: SIM905 - a list of words
        "a abbr b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li "
        "ol p pre q s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr tt ul var"
    ).split()
)
_ALIGNED: Final = frozenset({"align"})
_CELL: Final = frozenset({"align", "colspan", "rowspan"})
ATTRIBUTES: Final[dict[str, set[str]]] = {
    "a": {"href", "title", "name", "id"},
    "abbr": {"title"},
    "details": {"open"},
    "div": set(_ALIGNED),
    "img": {"src", "alt", "title", "width", "height"},
    "input": {"type", "checked"},
    "li": {"id"},
    "ol": {"start"},
    "p": set(_ALIGNED),
    "pre": {"lang"},
    "section": {"data-footnotes"},
    "td": set(_CELL),
    "th": set(_CELL),
    **{f"h{level}": set(_ALIGNED) for level in range(1, 7)},
}
SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "ssh", "git", "irc", "xmpp", "tel"})


class MarkdownText(msgspec.Struct, frozen=True):
    """A text, and where it is."""

    text: str
    place: TextPlace


class Document(msgspec.Struct, frozen=True):
    """A rendered text, for any reader: HTML, and references that are resolved when it is shown."""

    pieces: Sequence[Piece]

    @property
    def named(self) -> list[Reference]:
        return [piece for piece in self.pieces if isinstance(piece, Reference)]

    def html(self, found: references.Found) -> Html:
        """Renders the text for a reader who may see what was found."""
        return Html(
            "".join(piece if isinstance(piece, str) else references.shown(piece, found) for piece in self.pieces)
        )


_recent: Final = RecentResults[Document](MAX_KEPT)


async def show(services: Services, tx: Tx, actor: Actor, sources: Sequence[MarkdownText]) -> list[Html]:
    """All these texts as the actor may see them, with at most one statement for their references."""
    images = services.settings.external_images
    # One after the other: most are kept or quick, and the others share one thread anyway.
    documents = [await render(tx.product, source, external_images=images) for source in sources]
    named = [reference for document in documents for reference in document.named]
    found = await references.find_targets(services, tx, actor, named)
    return [document.html(found) for document in documents]


async def render(product: Product, source: MarkdownText, *, external_images: bool = False) -> Document:
    """The text for any reader, kept in memory by a digest of the text and its place."""
    key = hashlib.blake2b(
        msgspec.msgpack.encode((VERSION, external_images, source.place, source.text)), digest_size=16
    ).digest()
    kept = _recent.get(key)
    if kept is None:
        quick = len(source.text) <= QUICK_LENGTH and not any(map(source.text.lower().__contains__, _SLOW))
        work = partial(_rendered, product, source, external_images=external_images)
        kept = work() if quick else await asyncio.get_running_loop().run_in_executor(for_markdown, work)
        _recent.put(key, kept, sum(len(piece) if isinstance(piece, str) else 200 for piece in kept.pieces))
    return kept


def _rendered(product: Product, source: MarkdownText, *, external_images: bool) -> Document:
    if len(source.text) > MAX_BYTES:
        return plain(source.text)
    writer = PieceWriter(product, source.place, external_images=external_images)
    try:
        if source.place.plain:
            writer.write_text(source.text)
            return Document(['<pre class="md-plain" tabindex="0">', *writer.joined(), "</pre>"])
        matter, text = split_off(source.text) if source.place.file else ("", source.text)
        writer.pieces.append(matter)
        html = cmark.to_html(text)
        if len(html) > MAX_HTML or is_too_deep(html):
            return plain(source.text)
        writer.write(_clean(html))
    except TooManyReferences:
        return plain(source.text)
    return Document(writer.joined())


def plain(text: str) -> Document:
    """The text as it is."""
    return Document([f'<pre class="md-plain" tabindex="0">{escape(text)}</pre>'])


def _clean(html: str) -> str:
    return deferred_imports.nh3().clean(
        html, tags=set(TAGS), attributes=ATTRIBUTES, url_schemes=set(SCHEMES), link_rel=None, strip_comments=True
    )
