"""References in texts: `#1`, `!1`, `&1`, `@user`, `~label`, `%milestone`, `$1`, `group/project#1`, commit ids, addresses.

A text is searched once, without regard to who reads it. When it is shown, one statement finds which of its references
the reader may see; the others stay the plain text that the author wrote.
"""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, LiteralString

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint, Product
from mujina.kernel.services import Services
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.kernel.text.folding import fold
from mujina.rendering.html import Html, element, escape

MAX_PATHS: Final = 50
"""References of one kind to further projects or groups stay plain text."""
MAX_NAMES: Final = 1_000
"""Further references of one kind on a page stay plain text."""

COMMIT: Final = ""
"""The sign of a commit id: it has none."""
KEY: Final = "-"
"""The sign inside the key of an issue of a tracker elsewhere: `KEY-1`."""

_NAME = r"[A-Za-z0-9_.][A-Za-z0-9_.-]*"
_BEFORE = r"(?<![\w./#&~%$!@-])"
# Every alternative starts at a sign or at the start of a word, so that no part of a text is read more than a few times.
_REFERENCE: Final = deferred_pattern(
    rf"""{_BEFORE}(?P<path>[A-Za-z0-9_.][A-Za-z0-9_./-]*)?(?:
            (?P<sign>[#!&$])(?P<number>\d{{1,18}})(?!\w)
            | (?P<mark>[~%])(?:"(?P<quoted>[^"\n]{{1,255}})" | (?P<word>[\w?.&-]{{1,255}}))
            | @(?P<of>[0-9a-f]{{7,40}})(?!\w) )
        | (?<![\w@./`-])@(?P<user>{_NAME}(?:/{_NAME})*)
        | {_BEFORE}(?P<commit>[0-9a-f]{{7,40}})(?![\w./-])
        | {_BEFORE}(?P<key>[A-Z][A-Z0-9_]{{1,29}}-\d{{1,9}})(?![\w-])""",
    re.VERBOSE,
)
_POSSIBLE: Final = deferred_pattern(r"[#!&$~%@]|[0-9a-f]{7}|[A-Z][A-Z0-9_]{1,29}-\d")
_ADDRESS: Final = deferred_pattern(
    r"/(?P<path>[A-Za-z0-9_.][A-Za-z0-9_./-]*?)/(?:-/)?(?P<word>[a-z_]+)/(?P<name>[0-9a-f]{1,40})(?P<note>#note_\d{1,18})?"
)


class Reference(msgspec.Struct, frozen=True):
    """A part of a text that may name something."""

    sign: str
    path: str
    """The folded path of the project or group; empty for users."""
    name: str
    """Its number, its name, or the folded path of a user or group."""
    text: str
    """The text that the author wrote."""
    near: bool
    """Whether it is in the project or group of the text: then it is shown without the path."""
    note: str = ""
    """The anchor of a note that an address names: `#note_5`."""


class Home(msgspec.Struct, frozen=True):
    """The project or group of a text: references without a path are about it."""

    path: str = ""
    is_group: bool = False

    @property
    def group(self) -> str:
        return self.path if self.is_group else self.path.rpartition("/")[0]

    def path_of(self, sign: str, written: str | None) -> str:
        """The full path that a reference means; a single name is a project in the same namespace."""
        if written is None:
            return self.group if sign == "&" else self.path
        if "/" in written or sign == "&" or not self.group:
            return written
        return f"{self.group}/{written}"


def split(text: str, home: Home) -> Iterator[str | Reference]:
    """The text in pieces: plain text, and what may be a reference."""
    at = 0
    if _POSSIBLE.search(text) is None:
        yield text
        return
    for match in _REFERENCE.finditer(text):
        found = _reference(match, home)
        if found is not None:
            if match.start() > at:
                yield text[at : match.start()]
            yield found
            at = match.start() + len(found.text)
    if at < len(text):
        yield text[at:]


def _reference(match: re.Match[str], home: Home) -> Reference | None:
    if (user := match["user"]) is not None:
        user = user.rstrip(".")  # a period after a name ends the sentence
        return Reference("@", "", fold(user), f"@{user}", near=True) if user else None
    sign: str = match["sign"] or match["mark"] or (KEY if match["key"] else COMMIT)
    written: str | None = match["path"]
    path = home.path_of(sign, written)
    if not path:
        return None
    text = match[0]
    name: str = match["number"] or match["quoted"] or match["of"] or match["commit"] or match["key"] or ""
    if match["number"]:
        name = str(int(name))
    elif (word := match["word"]) is not None:
        name = word.rstrip(".?&-")
        text = text[: len(text) - len(word) + len(name)]
    return Reference(sign, fold(path), name, text, near=written is None) if name else None


def of_address(product: Product, address: str, base: str, home: Home) -> Reference | None:
    """The reference that the full address of a page of this instance means."""
    match = _ADDRESS.fullmatch(address, len(base)) if base and address.startswith(base) else None
    kind = _by_word(product).get(match["word"]) if match else None
    if match is None or kind is None:
        return None
    path = fold(match["path"].removeprefix("groups/") if kind.in_groups else match["path"])
    near = path == fold(home.group if kind.in_groups else home.path)
    if kind.sign != COMMIT and not match["name"].isdecimal():
        return None
    return Reference(sign=kind.sign, path=path, name=match["name"], text=address, near=near, note=match["note"] or "")


class Target(msgspec.Struct, array_like=True, frozen=True):
    """The object that a reference names, as the reader may see it: a row of the statement of its kind."""

    kind: str
    path_folded: str
    name: str
    path: str
    id: int
    title: str
    state: str
    color: str


Show = Callable[[Target, Reference], Html]
Confirm = Callable[[Services, Sequence[Target], Mapping[str, set[str]]], Awaitable[list[Target]]]
"""Returns those rows of a kind, for the wanted names of each path, that exist outside the database."""


class ReferenceKind(msgspec.Struct, frozen=True, kw_only=True):
    """How one kind of thing is named in texts; the slice that owns its rows describes it."""

    name: LiteralString
    sign: str
    select: LiteralString
    """Selects `Target`s that the actor may read, by `:<name>_paths`, `:<name>_names` and `:<name>_numbers`."""
    show: Show
    word: str = ""
    """The word in the address of its page: `issues`."""
    in_groups: bool = False
    """Whether its address starts with `/groups/`."""
    by_id: bool = False
    """Whether a number names it by its id."""
    confirm: Confirm | None = None
    offered: Callable[[], bool] = lambda: True


REFERENCE_KINDS: Final = ExtensionPoint[ReferenceKind]("what texts name")


@cache
def _by_name(product: Product) -> Mapping[str, ReferenceKind]:
    return {kind.name: kind for kind in product.all(REFERENCE_KINDS)}


@cache
def _by_sign(product: Product) -> Mapping[str, list[ReferenceKind]]:
    signs: defaultdict[str, list[ReferenceKind]] = defaultdict(list)
    for kind in product.all(REFERENCE_KINDS):
        signs[kind.sign].append(kind)
    return signs


@cache
def _by_word(product: Product) -> Mapping[str, ReferenceKind]:
    return {kind.word: kind for kind in product.all(REFERENCE_KINDS) if kind.word}


@cache
def _statement(product: Product, names: tuple[str, ...]) -> LiteralString:
    return " UNION ALL ".join(_by_name(product)[name].select for name in names)


Found = Mapping[tuple[str, str, str], tuple[Show, Target]]
"""Sign, path and name → what the reader may see, and how it is shown."""


async def find_targets(services: Services, tx: Tx, actor: Actor, references: Iterable[Reference]) -> Found:
    """The referenced objects that the actor may read: one statement, whatever their number."""
    wanted = _wanted(tx.product, references)
    if not wanted:
        return {}
    bound: dict[str, list[str] | list[int]] = {}
    for name, paths in wanted.items():
        names = sorted({name for each in paths.values() for name in each})[:MAX_NAMES]
        bound |= {
            f"{name}_paths": sorted(paths)[:MAX_PATHS],
            f"{name}_names": names,
            f"{name}_numbers": [int(each) for each in names if each.isascii() and each.isdigit() and len(each) <= 18],
        }
    rows = await tx.rows(Target, _statement(tx.product, tuple(sorted(wanted))), **bound, **actor.bound)
    found: dict[tuple[str, str, str], tuple[Show, Target]] = {}
    for name, paths in wanted.items():
        kind, own = _by_name(tx.product)[name], [row for row in rows if row.kind == name]
        if kind.confirm is not None:
            own = await kind.confirm(services, own, paths)
        for row in own:
            if kind.by_id:
                found.setdefault((kind.sign, row.path_folded, str(row.id)), (kind.show, row))
            found[kind.sign, row.path_folded, row.name] = kind.show, row
    return found


def _wanted(product: Product, references: Iterable[Reference]) -> dict[str, dict[str, set[str]]]:
    """Kind → path → names."""
    wanted: dict[str, dict[str, set[str]]] = {}
    for reference in references:
        for kind in _by_sign(product).get(reference.sign, ()):
            if kind.offered():
                wanted.setdefault(kind.name, {}).setdefault(reference.path, set()).add(reference.name)
    return wanted


def shown(reference: Reference, found: Found) -> str:
    """The reference as HTML: a link if the reader may see what it names, otherwise the text as it was written."""
    match = found.get((reference.sign, reference.path, reference.name))
    if match is None:
        return escape(reference.text)
    show, target = match
    return show(target, reference)


def link_to(address: str, sign: str) -> Show:
    """Shows a link with the title as its tooltip; `address` is a template such as `/{path}/issues/{name}`."""

    @lru_cache(1024)
    def show(target: Target, reference: Reference) -> Html:
        text = f"{'' if reference.near else target.path}{sign}{target.name}"
        text += f" (comment {reference.note.removeprefix('#note_')})" if reference.note else ""
        text += f" ({target.state})" if target.state in ("closed", "merged") else ""
        href = address.format(path=target.path, name=target.name) + reference.note
        return element("a", escape(text), class_="ref", href=href, title=target.title or None)

    return show
