"""How a page shows a file: as code, as text, as a picture, as a PDF, as a video, as a table, or not at all."""

import csv
import io
from typing import Final, Literal

import msgspec

from mujina.code.files import notebooks
from mujina.code.files.operations import Blob, Entry, read_pointer
from mujina.kernel.text.encodings import decode_text, is_utf_16
from mujina.rendering.markdown_extras import MEDIA

FileKind = Literal[
    "code", "markdown", "notebook", "picture", "pdf", "media", "table", "lfs", "binary", "large", "symlink", "submodule"
]

MAX_TEXT: Final = 1024 * 1024
MAX_PICTURE: Final = 10 * 1024 * 1024
MAX_ROWS: Final = 500
MAX_CELLS: Final = 20_000
_SYMLINK: Final = "120000"
_BINARY_PREFIX: Final = 8_000

PICTURES: Final = frozenset({"png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "svg"})
_MARKDOWN: Final = frozenset({"md", "markdown", "mdown", "mkd"})
README: Final = ("readme.md", "readme.markdown", "readme.mdown", "readme.mkd", "readme.rst", "readme.txt", "readme")
"""The files that describe a folder, the first one found is shown."""


class FileView(msgspec.Struct, frozen=True):
    """A file as a page shows it."""

    kind: FileKind
    size: int
    text: str = ""
    rows: list[list[str]] = []
    oid: str = ""
    exact: bool = True
    """Whether the text is what is stored: bytes that are no UTF-8 are replaced, and must not be written back."""


def suffix_of(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def is_markdown(path: str) -> bool:
    return suffix_of(path) in _MARKDOWN


def is_binary(data: bytes) -> bool:
    """Decides as git does, by a zero byte near the start; but text in UTF-16 is shown."""
    return b"\0" in data[:_BINARY_PREFIX] and not is_utf_16(data)


def view_of(entry: Entry, blob: Blob | None, *, source: bool) -> FileView:
    """How the file is shown; `source`: as code where it would be rendered."""
    if entry.type == "commit" or blob is None:
        return FileView("submodule", 0)
    if (pointer := read_pointer(blob)) is not None:
        return FileView("lfs", pointer[1], oid=pointer[0])
    suffix, data = suffix_of(entry.path), blob.data
    if suffix in PICTURES and not source:
        return FileView("picture" if blob.size <= MAX_PICTURE else "large", blob.size)
    if suffix in MEDIA or suffix == "pdf":
        kind = "pdf" if suffix == "pdf" else "media"
        return FileView(kind if blob.size <= MAX_PICTURE else "large", blob.size)
    if data is None or is_binary(data):
        return FileView("large" if data is None else "binary", blob.size)
    if blob.size > MAX_TEXT:
        return FileView("large", blob.size)
    text = decode_text(data)
    exact = text.encode() == data
    if entry.mode == _SYMLINK:
        return FileView("symlink", blob.size, text)
    if suffix in ("csv", "tsv") and not source and (rows := _rows_of(text, "\t" if suffix == "tsv" else ",")):
        return FileView("table", blob.size, text, rows, exact=exact)
    if suffix == "ipynb" and not source and (shown := notebooks.to_markdown(text)):
        return FileView("notebook", blob.size, shown, exact=exact)
    return FileView("markdown" if is_markdown(entry.path) and not source else "code", blob.size, text, exact=exact)


def _rows_of(text: str, delimiter: str) -> list[list[str]]:
    """The cells of a table; none if it is too long, or no table."""
    rows: list[list[str]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            rows.append(row)
            cells += len(row)
            if len(rows) > MAX_ROWS or cells > MAX_CELLS:
                return []
    except csv.Error:
        return []
    return rows


def readme_in(entries: list[Entry]) -> Entry | None:
    """The file that describes a folder."""
    files = {entry.name.lower(): entry for entry in entries if entry.type == "blob"}
    return next((files[name] for name in README if name in files), None)
