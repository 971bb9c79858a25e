"""Notebooks as Markdown: their cells in order, code and what it printed as blocks. Nothing else of a notebook is shown."""

import re
from typing import Any, Final, cast

import msgspec

MAX_CELLS: Final = 500
MAX_OUTPUT: Final = 20_000
"""Characters of what one cell printed."""
_TILDES: Final = re.compile(r"~{3,}")


class Notebook(msgspec.Struct):
    cells: list["_Cell"]
    metadata: "_Metadata"


class _LanguageInfo(msgspec.Struct):
    name: str = ""


class _Metadata(msgspec.Struct):
    language_info: _LanguageInfo = msgspec.field(default_factory=_LanguageInfo)


class _Output(msgspec.Struct):
    text: str | list[str] = ""
    data: dict[str, Any] = {}
    evalue: str = ""

    @property
    def shown(self) -> str:
        """Its text. HTML and pictures are not shown: they could contain anything."""
        if self.text:
            return _joined(self.text)
        if "text/plain" in self.data:
            return _joined(self.data["text/plain"])
        return self.evalue or (f"({', '.join(sorted(self.data))})" if self.data else "")


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str] = ""
    outputs: list[_Output] = []


def to_markdown(text: str) -> str:
    """The notebook as Markdown; empty if it is none, or has too many cells."""
    try:
        notebook = msgspec.json.decode(text, type=Notebook)
    except (msgspec.DecodeError, RecursionError):
        return ""
    if len(notebook.cells) > MAX_CELLS:
        return ""
    language = re.sub(r"\W", "", notebook.metadata.language_info.name)
    return "\n\n".join(_written(cell, language) for cell in notebook.cells)


def _written(cell: _Cell, language: str) -> str:
    source = _joined(cell.source)
    if cell.cell_type == "markdown":
        return source
    printed = "\n".join(output.shown.rstrip("\n") for output in cell.outputs)[:MAX_OUTPUT]
    code = _block(source, language if cell.cell_type == "code" else "")
    return f"{code}\n\n{_block(printed, '')}" if printed.strip() else code


def _block(text: str, language: str) -> str:
    """A block whose fence is longer than any in the text."""
    fence = "~" * (1 + max([2, *map(len, _TILDES.findall(text))]))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _joined(lines: object) -> str:
    if isinstance(lines, list):
        return "".join(line for line in cast("list[object]", lines) if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
