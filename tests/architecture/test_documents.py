"""The documents link and refer to files and names that exist."""

import re
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
HISTORY = {"performance-log.md", "CHANGELOG.md"}
"""They name files of their day, which may be gone."""
FILES = [
    path.relative_to(ROOT) for folder in ("mujina", "tests", "bench", "docs") for path in (ROOT / folder).rglob("*.*")
]

_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
_NAMED = re.compile(r"`([\w./-]+\.(?:py|md|html))(?:: ([\w, ]+))?`")
_EXAMPLE = "pins/"
"""The noun that `docs/add-an-endpoint.md` invents as its example."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path):
    assert [link for link in _LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in HISTORY], ids=lambda page: page.name)
def test_every_named_file_exists_and_defines_the_names_given_for_it(page: Path):
    missing: list[str] = []
    for file, names in _NAMED.findall(page.read_text()):
        meant = [path for path in FILES if path.as_posix().endswith(f"/{file}")] or list(ROOT.glob(file))
        text = " ".join((ROOT / path).read_text() for path in meant) if names else ""
        absent = [name for name in names.split(", ") if name and not re.search(rf"\b{name}\b", text)]
        if _EXAMPLE not in file and (not meant or absent):
            missing.append(f"{file}: {names}")
    assert missing == []
