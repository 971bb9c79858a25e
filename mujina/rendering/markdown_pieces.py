"""The last pass over sanitized Markdown: links, pictures, headings, tables, task lists and references become ours.

No class, id or address in the result is one that the author chose.
"""

import re
from html import unescape
from posixpath import normpath
from typing import Final
from urllib.parse import quote, unquote

import msgspec

from mujina.kernel.product import Product
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.rendering.code.highlighting import highlight
from mujina.rendering.code.lexers import lexer_for_language
from mujina.rendering.formulas import BLOCK_TAG, FORMULA_COST, INLINE_TAG, MAX_FORMULAS, formula_html, mark_formulas
from mujina.rendering.html import escape
from mujina.rendering.markdown_extras import (
    CONTENTS,
    DIAGRAMS,
    MAX_DIAGRAMS,
    Heading,
    color_chip,
    media_tag,
    table_of_contents,
    task_box,
    write_alerts,
)
from mujina.rendering.references import Home, Reference, of_address, split

Piece = str | Reference

MAX_REFERENCES: Final = 5_000
MAX_COLORED: Final = 32_000
"""Characters in blocks of code of one text that are highlighted; the others stay plain."""
_PRIVATELY: Final = ' referrerpolicy="no-referrer"'
ELSEWHERE: Final = ' rel="nofollow noopener noreferrer"'

_OURS: Final = deferred_pattern(
    r'<(?P<end>/?)(?P<tag>a|img|input|li|pre|code|kbd|samp|section|tt|var|table|h[1-6])(?P<attributes>(?: [a-z-]+="[^"]*")*)>'
)
"""The elements that become ours, or inside of which nothing is a reference. All others stay as they are."""
_TAG: Final = deferred_pattern(r'<(?:[^<>"]|"[^"]*")*>')
_POSSIBLE: Final = deferred_pattern(r'[#!$][0-9]|[~%]["\w]|@[\w.]|&amp;[0-9]|[0-9a-f]{7}|[A-Z][A-Z0-9_]{1,29}-[0-9]')
_ATTRIBUTE: Final = deferred_pattern(r' ([a-z-]+)="([^"]*)"')
_SCHEME: Final = deferred_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}")
_EDGES: Final = "".join(map(chr, range(0x21)))
_BREAKS: Final = deferred_pattern(r"[\t\r\n]")
_UPLOAD: Final = deferred_pattern(r"/uploads/[0-9a-f]{32}/")
_FILE: Final = deferred_pattern(
    r"/assets/[^/]+|/uploads/-/system/(?:user|project|group|topic)/avatar/[0-9]+/[^/]+|(?:/-)?/snippets/[0-9]+/raw"
    r"|(?!/api/)(?:/(?!-/|repository/)[^/]+){2,}(?:/-)?/(?:raw/.+|wikis/.+|snippets/[0-9]+/raw|uploads/[0-9a-f]{32}/[^/]+)"
)
"""The paths of what can be a picture: assets, avatars, uploads, and files of repositories, wikis and snippets."""
_FOOTNOTE: Final = deferred_pattern(r"fn(?:ref)?-.+")
_NOT_IN_ANCHORS: Final = deferred_pattern(r"[^\w\- ]")
_SIZE: Final = deferred_pattern(r"\d{1,4}%?")
_LITERAL: Final = frozenset({"a", "code", "pre", "kbd", "samp", "tt", "var"})
"""Inside these, nothing is a reference."""
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}


class TooManyReferences(Exception):
    """The text has more references than are looked up."""


class TextPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a text is: what its relative links and its references mean."""

    base: str
    """The address of this instance."""
    project: str = ""
    """The full path of the project."""
    group: str = ""
    """The full path of the group, for a text of no project."""
    ref: str = "HEAD"
    """The commit, branch or tag that relative links lead to."""
    folder: str = ""
    """The folder of the file, from which relative links start."""
    file: bool = False
    """Whether the text is a whole file, which may start with front matter."""
    wiki: bool = False
    """Whether relative links lead to pages and pictures of the wiki."""
    below: int = 1
    """The level of the heading above the text: its own headings are below."""
    anchors: bool = True
    """Whether headings have ids; not for one of several texts on a page."""
    formulas: bool = True
    """Whether formulas are drawn; not in mails, where few programs draw them."""
    gfm: bool = True
    """Whether references are looked for."""
    plain: bool = False
    """Whether the text is no Markdown, as the message of a commit: only its references become links."""


class PieceWriter:
    """Writes HTML that the sanitizer has passed as pieces."""

    def __init__(self, product: Product, place: TextPlace, *, external_images: bool = False) -> None:
        self.product = product
        self.place = place
        self._external_images = external_images
        self.home = Home(place.project or place.group, is_group=not place.project)
        self.pieces: list[Piece] = []
        self._literal: list[str] = []
        self._headings: list[tuple[int, int, list[str]]] = []
        """Open headings: their place among the pieces, their level, their text."""
        self._ids: dict[str, int] = {}
        self._references = 0
        self._blocks: list[tuple[int, str]] = []
        """Open blocks of code: where their content starts among the pieces, and their language."""
        self._colored = 0
        self._diagrams = 0
        self._in_formulas = 0
        """Characters of the formulas so far."""
        self._contents: list[int] = []
        """Where tables of contents are among the pieces."""
        self._listed: list[Heading] = []

    def write(self, html: str) -> None:
        """Write all of it; `TooManyReferences` if it has more than are looked up."""
        html = mark_formulas(write_alerts(html))
        first, *others = CONTENTS.split(html) if self.place.anchors else [html]
        self._write(first)
        for other in others:
            self._contents.append(len(self.pieces))
            self.pieces.append("")
            self._write(other)
        if self._contents:
            self.pieces[self._contents[0]] = table_of_contents(self._listed)

    def _write(self, html: str) -> None:
        at = 0
        while (match := _OURS.search(html, at)) is not None:
            self._plain(html[at : match.start()])
            at = match.end()
            tag = match["tag"]
            if match["end"]:
                self._close(tag)
            elif tag == "a":
                at = self._address(html, match) or at
            else:
                self._open(tag, match["attributes"])
        self._plain(html[at:])

    def write_text(self, text: str) -> None:
        """Write a text that is no HTML."""
        self._text(escape(text))

    def joined(self) -> list[Piece]:
        """The pieces, with adjacent HTML in one piece."""
        joined: list[Piece] = []
        run: list[str] = []
        for piece in self.pieces:
            if isinstance(piece, str):
                run.append(piece)
            else:
                joined += ["".join(run), piece]
                run = []
        return [*joined, "".join(run)]

    def _plain(self, html: str) -> None:
        """Text, and elements that stay as they are."""
        if not html:
            return
        if self._headings:
            self._headings[-1][2].append(_TAG.sub("", html))
        if self._literal or not self.place.gfm or _POSSIBLE.search(html) is None:
            self.pieces.append(html)
            return
        at = 0
        for tag in _TAG.finditer(html):
            self._text(html[at : tag.start()])
            self.pieces.append(tag[0])
            at = tag.end()
        self._text(html[at:])

    def _text(self, html: str) -> None:
        if _POSSIBLE.search(html) is None:
            self.pieces.append(html)
            return
        for piece in split(unescape(html), self.home):
            if isinstance(piece, str):
                self.pieces.append(escape(piece))
            else:
                self._refer(piece)

    def _refer(self, reference: Reference) -> None:
        self._references += 1
        if self._references > MAX_REFERENCES:
            raise TooManyReferences
        self.pieces.append(reference)

    def _open(self, tag: str, attributes: str) -> None:
        if tag in _HEADINGS:
            self._headings.append((len(self.pieces), _HEADINGS[tag], []))
            self.pieces.append("")
        elif tag == "img":
            self.pieces.append(self._picture(_read(attributes)))
        elif tag == "input":
            self.pieces.append(task_box(_read(attributes)))
        elif tag == "pre":
            self._literal.append(tag)
            language = unescape(_read(attributes).get("lang", ""))
            self._blocks.append((len(self.pieces) + 1, language))
            drawn = language in DIAGRAMS and self._diagrams < MAX_DIAGRAMS
            self._diagrams += drawn
            plain = f'<pre tabindex="0" data-diagram="{language}">' if drawn else '<pre tabindex="0">'
            if language.partition(":")[0] == "suggestion":
                plain = '<pre tabindex="0" class="suggestion">'
            self.pieces.append(BLOCK_TAG if language == "math" else plain)
        elif tag == "li":
            self.pieces.append(f"<li{self._footnote(_read(attributes).get('id', ''))}>")
        elif tag == "section":
            self.pieces.append('<section class="md-footnotes">' if attributes else "<section>")
        elif tag == "table":
            self.pieces.append('<div class="md-table" tabindex="0"><table>')
        else:
            if tag in _LITERAL:
                self._literal.append(tag)
            self.pieces.append(f"<{tag}{attributes}>")

    def _close(self, tag: str) -> None:
        if tag in _LITERAL and self._literal:
            self._literal.pop()
        if tag == "pre" and self._blocks:
            start, language = self._blocks.pop()
            if self._draw(start - 1, BLOCK_TAG):
                return
            self._color(start, language)
        if tag == "code" and not self._literal and self._draw(len(self.pieces) - 2, INLINE_TAG):
            return
        if tag == "code" and not self._literal and isinstance(text := self.pieces[-1], str):
            self.pieces.append(color_chip(unescape(text)))
        if tag in _HEADINGS and self._headings:
            self._close_heading()
        else:
            self.pieces.append("</table></div>" if tag == "table" else f"</{tag}>")

    def _draw(self, start: int, tag: str) -> bool:
        """Replace what follows the tag by its formula, if there is one to draw."""
        if not self.place.formulas or self.pieces[start] != tag:
            return False
        texts = [piece for piece in self.pieces[start + 1 :] if isinstance(piece, str)]
        if texts[:1] + texts[-1:] == ["<code>", "</code>"]:
            texts = texts[1:-1]
        source = unescape("".join(texts)).strip()
        self._in_formulas += len(source) + FORMULA_COST
        if "<" in "".join(texts) or self._in_formulas > MAX_FORMULAS:
            return False
        drawn = formula_html(source, display=tag == BLOCK_TAG)
        if drawn:
            self.pieces[start:] = [drawn]
        return bool(drawn)

    def _color(self, start: int, language: str) -> None:
        """Give a block of code colors, if it has a language that we know and is not long."""
        inner, lexer = self.pieces[start:], lexer_for_language(language)
        texts = [piece for piece in inner[1:-1] if isinstance(piece, str)]
        if lexer is None or len(texts) != len(inner) - 2 or (inner[0], inner[-1]) != ("<code>", "</code>"):
            return
        code = unescape("".join(texts))
        self._colored += len(code)
        if "<" not in "".join(texts) and self._colored <= MAX_COLORED:
            self.pieces[start:] = ['<code class="c">', "\n".join([*highlight(lexer, code), ""]), "</code>"]

    def _close_heading(self) -> None:
        at, level, texts = self._headings.pop()
        tag = f"h{min(6, level + self.place.below)}"
        anchor = ""
        if self.place.anchors:
            text = unescape("".join(texts))
            new_id = escape(self._new_id(_slug(text)))
            anchor = f' id="{new_id}"'
            self._listed.append(Heading(level, new_id, escape(text.strip())))
        self.pieces[at] = f'<{tag} class="md-h{level}"{anchor}>'
        self.pieces.append(f"</{tag}>")

    def _new_id(self, slug: str) -> str:
        count = self._ids[slug] = self._ids.get(slug, -1) + 1
        return f"user-content-{slug}-{count}" if count else f"user-content-{slug}"

    def _address(self, html: str, match: re.Match[str]) -> int | None:
        """Open a link; where the whole of an address of this instance became a link, write a reference and pass over it."""
        attributes = _read(match["attributes"])
        written = attributes.get("href", "")
        end = f"{written}</a>"
        if written and not self._literal and self.place.gfm and html.startswith(end, match.end()):
            reference = of_address(self.product, unescape(written), self.place.base, self.home)
            if reference is not None:
                self._refer(reference)
                return match.end() + len(end)
        self._literal.append("a")
        self.pieces.append(self._link(attributes))
        return None

    def _link(self, attributes: dict[str, str]) -> str:
        title = f' title="{attributes["title"]}"' if attributes.get("title") else ""
        if "href" not in attributes:
            name = _slug(unescape(attributes.get("name", "")))
            return f'<a id="{escape(self._new_id(name))}">' if name and self.place.anchors else "<a>"
        href = _as_browsers_read(attributes["href"])
        if _FOOTNOTE.fullmatch(href, 1) and href.startswith("#"):
            if not self.place.anchors:
                return "<a>"
            back = ' aria-label="Back to the text"' if href.startswith("#fnref-") else ""
            target = escape(_slug(unquote(href[1:])))
            return f'<a href="#user-content-{target}"{self._footnote(attributes.get("id", ""))}{back}>'
        if href.startswith("#"):
            return f'<a href="#user-content-{escape(href[1:].removeprefix("user-content-"))}"{title}>'
        target, outside = self._resolve(href, "blob")
        return f'<a href="{escape(target)}"{title}{ELSEWHERE if outside else ""}>'

    def _footnote(self, name: str) -> str:
        """The id of a footnote or of a reference to one; empty for any other name."""
        if not self.place.anchors or _FOOTNOTE.fullmatch(name) is None:
            return ""
        return f' id="{escape(self._new_id(_slug(unquote(unescape(name)))))}"'

    def _picture(self, attributes: dict[str, str]) -> str:
        alt = attributes.get("alt", "")
        source = _as_browsers_read(attributes.get("src", ""))
        if not source:
            return alt
        if not self.place.project and not source.startswith("/") and not _SCHEME.match(source):
            return alt or escape(source)  # only a project has files
        target, outside = self._resolve(source, "raw")
        shown = outside and self._external_images and target.startswith("https://")
        if not shown and (outside or not self._is_file(target)):
            # A picture of another site would tell that site who reads the page, and any other address of this one
            # would be opened in the name of the reader.
            text = alt or escape(source)
            rel = ELSEWHERE if outside else ""
            return text if "a" in self._literal else f'<a href="{escape(target)}"{rel}>{text}</a>'
        if not outside and (media := media_tag(target, alt)):
            return media
        kept = [
            f' {name}="{attributes[name]}"' for name in ("width", "height") if _SIZE.fullmatch(attributes.get(name, ""))
        ]
        title = f' title="{attributes["title"]}"' if attributes.get("title") else ""
        return f'<img src="{escape(target)}" alt="{alt}"{title}{"".join(kept)}{_PRIVATELY if shown else ""} loading="lazy">'

    def _is_file(self, target: str) -> bool:
        """Whether this address of this site is one of a file, and stays so in a browser, which resolves `..`."""
        path = re.split(r"[?#]", target.removeprefix(self.place.base), maxsplit=1)[0]
        own = (f"/{self.place.project}/raw/", f"/{self.place.project}/wikis/")
        if not {".", ".."}.isdisjoint(re.split(r"[/\\]", unquote(path))):
            return False
        return path.startswith(own) or _FILE.fullmatch(path) is not None

    def _resolve(self, address: str, page: str) -> tuple[str, bool]:
        """The address from anywhere on this site, and whether it leads to another one."""
        place = self.place
        if address.startswith(f"{place.base}/"):
            return address, False
        if _SCHEME.match(address):
            return address, True
        root = f"/{place.project}" if place.project else f"/groups/{place.group}/-"
        if _UPLOAD.match(address):
            return f"{root}{address}", False
        if address.startswith(("/", "?")) or not place.project:
            return address, False
        path, mark, rest = _cut(address)
        if place.wiki:
            return f"{root}/wikis/{_joined(place.folder, path)}{mark}{rest}", False
        return f"{root}/{page}/{quote(place.ref)}/{_joined(place.folder, path)}{mark}{rest}", False


def _read(attributes: str) -> dict[str, str]:
    """Names and values; the values are still escaped."""
    return dict(_ATTRIBUTE.findall(attributes))


def _as_browsers_read(value: str) -> str:
    """The address in an escaped attribute. No more is removed: the sanitizer read its scheme in the same way."""
    return _BREAKS.sub("", unescape(value).strip(_EDGES))


def _cut(address: str) -> tuple[str, str, str]:
    """Path, and the query or fragment behind it; a fragment that names a heading becomes ours."""
    for mark in ("?", "#"):
        path, found, rest = address.partition(mark)
        if found:
            return path, mark, rest if mark == "?" or re.fullmatch(r"L\d+(-L?\d+)?", rest) else f"user-content-{rest}"
    return address, "", ""


def _joined(folder: str, path: str) -> str:
    """The path below the root of the repository: `..` never leads above it."""
    whole = normpath(f"/{folder}/{unquote(path)}")
    return quote(whole.lstrip("/"))


def _slug(text: str) -> str:
    return _NOT_IN_ANCHORS.sub("", text.strip().lower()).replace(" ", "-")[:200]
