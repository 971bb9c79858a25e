"""The changed files of a commit, a comparison or a merge request, as pages show them."""

import asyncio
import re
from typing import Final

import msgspec

from mujina.code.commits import operations
from mujina.code.commits.operations import Patches, ResolvedCommit
from mujina.code.files.views import PICTURES, suffix_of
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.services import Services
from mujina.kernel.storage.recent_results import RecentResults
from mujina.kernel.text.diffs import FilePatch, file_code
from mujina.rendering.code.diff_rows import DiffRow, RowPair, rows_of, side_by_side
from mujina.rendering.code.highlighting import MAX_AWAITED, highlighted

MAX_FILES: Final = 50
MAX_LINES: Final = 5_000
MAX_TEXT: Final = 512 * 1024
"""Characters of all lines of a page: files beyond it start collapsed, as do those beyond `MAX_LINES`."""
MAX_SHOWN_LINES: Final = 400
"""A file with more changed lines starts collapsed."""
MAX_ALONE_BYTES: Final = 256 * 1024
"""The limit for the patch of a file that is shown alone; among others, one of more than 100 KB starts collapsed."""
MAX_COLORED: Final = 20
"""Files of a page whose code has colors."""
MAX_KEPT: Final = 2 * 1024 * 1024
"""Characters of lines in memory: Python takes several times as much for them."""
_LINE_SIZE: Final = 40
_FILE_SIZE: Final = 200
_ANCHOR = re.compile(r"[0-9a-f]{40}")
_recent: Final = RecentResults[Patches](MAX_KEPT)
"""What differs between two commits never changes, and counting the lines of hundreds of files takes longer than showing fifty."""


class ShownChange(msgspec.Struct, frozen=True):
    """One changed file: its rows, in one of two forms, or why it has none."""

    patch: FilePatch
    rows: list[DiffRow]
    pairs: list[RowPair]
    collapsed: bool

    @property
    def is_picture(self) -> bool:
        """Whether both versions can be shown as pictures."""
        return self.patch.binary and suffix_of(self.patch.new_path) in PICTURES


class ShownChanges(msgspec.Struct, frozen=True):
    files: list[ShownChange]
    listed: int
    """Files on all pages together."""
    total: int | None
    """Changed files, also those beyond the limit; None: the trees differ too much to be compared."""
    additions: int
    deletions: int
    counted: bool
    """Whether `additions` and `deletions` are those of all changed files."""
    parallel: bool
    only: str
    """The one file that is shown, by its anchor; empty: all."""
    page: int
    pages: int
    spaces: bool
    """Whether changes of white space alone are shown."""
    base: str = ""
    """The commit that the files are compared with; empty: none."""

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The blocks for `HtmlPage`: a script that replaces one file, whose id is its anchor, gets `files`."""
        return {self.only: ("files",)} if self.only and self.files else {}


async def read_changes(request: PageRequest, head: ResolvedCommit, base: str | None) -> ShownChanges:
    """The changes since `base`, or all files of a first commit.

    `?view=parallel`, `?w=1` (without changes of white space), `?file=` and `?files_page=` choose what is shown.
    """
    parallel, only = request.tree.get("view") == "parallel", request.tree.get("file") or _asked_file(request)
    number = request.tree.get("files_page")
    page = int(number) if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 5 else 1
    return await changes_of(
        request.services, head, base, parallel=parallel, only=only if isinstance(only, str) else "", page=max(1, page),
        spaces=request.tree.get("w") != "1",
    )  # fmt: skip


def _size_of(found: Patches) -> int:
    lines = (line for file in found.files for hunk in file.hunks for line in hunk.lines)
    return len(found.files) * _FILE_SIZE + sum(len(line.text) + _LINE_SIZE for line in lines)


def _asked_file(request: PageRequest) -> str:
    """The file that a script replaces, which then is all that it needs."""
    return request.fragment if request.fragment and _ANCHOR.fullmatch(request.fragment) else ""


async def changes_of(
    services: Services, head: ResolvedCommit, base: str | None, *, parallel: bool, only: str, page: int, spaces: bool
) -> ShownChanges:  # fmt: skip
    """One page of changed files, within the limits of part of a page."""
    first = 0 if only else (page - 1) * MAX_FILES

    def is_read(n: int, path: str) -> bool:
        return file_code(path) == only if only else first <= n < first + MAX_FILES

    limits = {"max_bytes": MAX_ALONE_BYTES} if only else {}
    key = f"{head.code.repo_path} {base} {head.id} {spaces} {only} {first}".encode()
    found = _recent.get(key) or await operations.patches(head, base, is_read, spaces=spaces, **limits)
    if found.counted:
        _recent.put(key, found, _size_of(found))
    files = found.files
    shown = [file for file in files if file.anchor == only] if only else files[first : first + MAX_FILES]
    texts = await _colors(services, head, shown)
    changes: list[ShownChange] = []
    left, room = MAX_LINES, MAX_TEXT
    for patch in shown:
        changed, size = patch.additions + patch.deletions, sum(len(line.text) for h in patch.hunks for line in h.lines)
        large = patch.too_large or changed > MAX_SHOWN_LINES
        collapsed = not only and (large or changed > left or size > room)
        left, room = (left, room) if collapsed else (left - changed, room - size)
        rows = [] if collapsed else rows_of(patch, texts.get(patch.old_blob or ""), texts.get(patch.new_blob or ""))
        changes.append(ShownChange(patch, [] if parallel else rows, side_by_side(rows) if parallel else [], collapsed))
    pages = 1 if only else max(1, -(-len(files) // MAX_FILES))
    return ShownChanges(
        files=changes, listed=len(files), total=found.total, additions=found.additions, deletions=found.deletions,
        counted=found.counted, parallel=parallel, only=only, page=page, pages=pages, spaces=spaces,
        base=base or "",
    )  # fmt: skip


async def _colors(services: Services, head: ResolvedCommit, shown: list[FilePatch]) -> dict[str, list[str]]:
    """The lines of the changed files in colors, by blob: those that are known, and of few small files all."""
    wanted = [patch for patch in shown if patch.hunks][:MAX_COLORED]
    blobs = [blob for patch in wanted for blob in (patch.old_blob, patch.new_blob) if blob is not None]
    texts = await operations.blob_texts(head, blobs, MAX_AWAITED)
    wait = sum(map(len, texts.values())) <= MAX_AWAITED
    paths = {blob: path for p in wanted for blob, path in ((p.old_blob, p.old_path), (p.new_blob, p.new_path))}
    lines = await asyncio.gather(
        *(highlighted(services, blob, paths[blob], text, wait=wait) for blob, text in texts.items())
    )
    return dict(zip(texts, lines, strict=True))
