"""What other programs exported, rewritten as the documents that the API of its forge would give at their paths.

Fields are passed on as they are found: the source that reads the documents rejects what does not fit. Nothing is
trusted, and no more than one object of a list and the unfinished pages are in memory.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self, cast

import msgspec

from mujina.moving.archives.unpacking import MAX_NAME_LENGTH, UnusableArchive
from mujina.moving.archives.writing import DOCUMENTS, DocumentLine
from mujina.moving.sources.operations import MAX_VALUES, PER_PAGE, decode_json

MAX_OBJECT_BYTES: Final = 32 << 20
"""The size of one exported object; a larger one is left out, and listed."""
MAX_DOCUMENT_BYTES: Final = 8 << 20
"""The size of one object of a list, as the API gives it, and of an unfinished page."""
MAX_RAW_VALUES: Final = 2 * MAX_VALUES
"""The values of a document whose parts are decoded one after another."""
MAX_PROBLEMS: Final = 10_000
Fields = dict[str, Any]
_RUBY_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,9})?) UTC")


class ExportDocuments:
    """The documents of one archive while they are written; `members` are the files of the archive by name."""

    def __init__(self, folder: Path, members: Mapping[str, Path]) -> None:
        self._folder = folder
        self._output = (folder / "documents").open("xb")
        # What stands here by the name of documents was not written by us.
        self.members = {name: file for name, file in members.items() if not name.startswith(f"{DOCUMENTS}/")}
        self._names = sorted(self.members)
        self.problems = list[tuple[str, str]]()
        self._pages = defaultdict[str, list[bytes]](list)
        self._number = 0

    def number(self) -> int:
        """A new number: the same in each run for the same archive."""
        self._number += 1
        return self._number

    def below(self, folder: str) -> dict[str, Path]:
        """The files of the archive below this folder, by their names there."""
        start = f"{folder}/"
        first, end = bisect_left(self._names, start), bisect_left(self._names, f"{folder}0")  # "0" follows "/"
        return {name.removeprefix(start): self.members[name] for name in self._names[first:end]}

    def problem(self, name: str, reason: str) -> None:
        """Something of the member of this name does not come."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append((name, reason))

    def one(self, path: str, item: Fields | Sequence[Fields]) -> None:
        """The object at a path, or one page of a list whose other pages come later."""
        if encoded := self._encode(path, item):
            self._write(path, encoded)

    def list(self, path: str, items: Iterable[Fields]) -> None:
        """A whole list; pages of it are written as they fill."""
        for item in items:
            self.add(path, item)
        self._flush(path)

    def add(self, path: str, item: Fields) -> None:
        """One more object of a list, which need not be complete before others begin."""
        encoded, page = self._encode(path, item), self._pages[path]
        if not encoded:
            return
        if len(page) == PER_PAGE or sum(map(len, page)) + len(encoded) > MAX_DOCUMENT_BYTES:
            self._flush(path)
        self._pages[path].append(encoded)

    def file(self, path: str, member: str) -> None:
        """The member of this name is the file at the path."""
        self._output.write(msgspec.json.encode(DocumentLine(path, file=member)) + b"\n")

    def content(self, path: str, content: bytes) -> None:
        """This content is the file at the path."""
        file = self._folder / f"new-{self.number()}"
        file.write_bytes(content)
        self.members[file.name] = file
        self.file(path, file.name)

    def new_folder(self) -> Path:
        """A new empty folder beside the files of the archive, which is a member by its name."""
        folder = self._folder / f"new-{self.number()}"
        folder.mkdir()
        self.members[folder.name] = folder
        return folder

    def people(self, people: Iterable[Fields]) -> None:
        """Everybody, with an address for the map of people."""
        for person in people:
            shown = {"username": person["login"], "name": person.get("name", person["login"])}
            self.one(f"/api/v4/users/{person['id']}", {**shown, **picked(person, "id", "email")})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """The documents are whole, and members as well."""
        for path in list(self._pages):
            self._flush(path)
        self._output.close()
        self.members[f"{DOCUMENTS}/1.ndjson"] = self._folder / "documents"

    def _encode(self, path: str, item: Fields | Sequence[Fields]) -> bytes:
        """The object as JSON; nothing, and a problem, if it is too long, or has something that is not JSON."""
        try:
            encoded = msgspec.json.encode(item)
        except (TypeError, ValueError, OverflowError, RecursionError):
            self.problem(path[:MAX_NAME_LENGTH], "It has something that is no JSON.")
            return b""
        if len(encoded) > MAX_DOCUMENT_BYTES:
            self.problem(path[:MAX_NAME_LENGTH], f"It is longer than {MAX_DOCUMENT_BYTES} bytes.")
            return b""
        return encoded

    def _flush(self, path: str) -> None:
        if page := self._pages.pop(path, None):
            self._write(path, b"[" + b",".join(page) + b"]")

    def _write(self, path: str, body: bytes) -> None:
        self._output.write(msgspec.json.encode(DocumentLine(path, msgspec.Raw(body))) + b"\n")


def read_lines(documents: ExportDocuments, name: str) -> Generator[Fields]:
    """The objects of a member with one in each line; a line that is none is listed."""
    with documents.members[name].open("rb") as opened:
        while line := opened.readline(MAX_OBJECT_BYTES):
            if not line.endswith(b"\n") and len(line) == MAX_OBJECT_BYTES:
                documents.problem(name, f"A line is longer than {MAX_OBJECT_BYTES} bytes.")
                while line and not line.endswith(b"\n"):
                    line = opened.readline(MAX_OBJECT_BYTES)
            elif line.strip():
                yield from read_objects(documents, name, [line])


def read_objects(documents: ExportDocuments, name: str, parts: Iterable[bytes | msgspec.Raw]) -> Generator[Fields]:
    """Those of the texts that are JSON objects; others are listed."""
    for part in parts:
        try:
            yield decode_json(part, Fields)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            documents.problem(name, "Something in it is no JSON object.")


def read_parts(file: Path, max_bytes: int) -> dict[str, msgspec.Raw]:
    """The values of the JSON object in a file, not yet decoded; `UnusableArchive` if it is none, or too large."""
    if file.stat().st_size > max_bytes:
        raise UnusableArchive(f"It has a JSON document of more than {max_bytes >> 20} MB.")
    try:
        return decode_json(file.read_bytes(), dict[str, msgspec.Raw], MAX_RAW_VALUES)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise UnusableArchive("It is not whole: a JSON document in it cannot be read.") from None


def objects(value: Any) -> list[Fields]:
    """The objects of a list; none if it is no list."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Fields", item) for item in items if isinstance(item, dict)]


def fields_of(value: Any) -> Fields:
    """The object; an empty one if it is none."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def once(people: Iterable[Fields | None]) -> list[Fields]:
    """Each of the people once; None is a person whom the export does not name."""
    return list({person["id"]: person for person in people if person}.values())


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


def texts(value: Any) -> list[str]:
    """The texts of a list; none if it is no list."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def decode(value: bytes | str | msgspec.Raw) -> Any:
    """The JSON value; None if it is none."""
    try:
        return decode_json(value.encode() if isinstance(value, str) else value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def decode_list(value: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """The values of a list, not yet decoded; the value alone if it is no list."""
    try:
        return decode_json(value, list[msgspec.Raw], MAX_RAW_VALUES)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [msgspec.Raw(value)]


def given(**fields: Any) -> Fields:
    """The fields that have a value; instants in the form that the API has."""
    return {
        name: _instant(value) if name.endswith("_at") else value for name, value in fields.items() if value is not None
    }


def picked(found: Fields, *names: str) -> Fields:
    """These fields, as far as they have a value."""
    return given(**{name: found.get(name) for name in names})


def _instant(value: Any) -> Any:
    found = _RUBY_TIME.fullmatch(value) if isinstance(value, str) else None
    return f"{found[1]}T{found[2]}Z" if found else value
