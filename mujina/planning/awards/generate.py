"""Writes `emoji.txt`, the emoji and their names, from two npm packages; `npm pack` downloads them, `tar` unpacks them.

    python -m mujina.planning.awards.generate EMOJIONE_FOLDER EMOJIBASE_DATA_FOLDER

`emojione` 2.2.7 has the canonical names that clients of this API use. `emojibase-data` adds newer emoji and
further aliases.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec

from mujina.planning.awards.emoji import NAMES

HEADER = """\
# One emoji on each line: its characters, its canonical name, then its aliases. Written by generate.py.
# From emojione 2.2.7 (emoji.json; MIT License, EmojiOne) and emojibase-data {version} (MIT License, (c) Miles Johnson).
"""
SHORTCODES = ("joypixels", "github", "emojibase")
"""The sets of names in emojibase-data; the first one continues the names of emojione."""


def generate(emojione: Path, emojibase: Path) -> str:
    names: dict[str, list[str]] = {
        entry["unicode"]: [entry["shortname"].strip(":"), *(alias.strip(":") for alias in entry["aliases"])]
        for entry in _read(emojione / "emoji.json").values()
    }
    points = {_bare(point): point for point in names}
    canonical = {entry[0]: point for point, entry in names.items()}
    taken = {name for entry in names.values() for name in entry}
    written: dict[str, str] = {}
    for shortcodes in SHORTCODES:
        for hexcode, listed in _read(emojibase / "en" / "shortcodes" / f"{shortcodes}.json").items():
            aliases = [listed] if isinstance(listed, str) else listed
            known = [canonical[alias] for alias in aliases if alias in canonical]
            point = points.setdefault(_bare(hexcode), known[0] if known else hexcode)
            written.setdefault(point, hexcode)  # emojione leaves out joiners
            free = [alias for alias in aliases if alias not in taken]
            taken.update(free)
            names.setdefault(point, []).extend(free)
    version = _read(emojibase / "package.json")["version"]
    lines = sorted((entry, written.get(point, point)) for point, entry in names.items() if entry)
    return HEADER.format(version=version) + "".join(
        f"{_characters(point)} {' '.join(entry)}\n" for entry, point in lines
    )


def _read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


def _characters(hexcode: str) -> str:
    return "".join(chr(int(point, 16)) for point in hexcode.split("-"))


def _bare(hexcode: str) -> str:
    """The code points without joiners and variation selectors, which the packages set differently."""
    return "-".join(point for point in hexcode.upper().split("-") if point not in ("200D", "FE0F"))


if __name__ == "__main__":
    NAMES.write_text(generate(Path(sys.argv[1]), Path(sys.argv[2])), "utf-8")
