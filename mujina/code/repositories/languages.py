"""Which languages a repository is written in, by the names of its files."""

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

LANGUAGES: Final = {
    ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".cs": "C#", ".css": "CSS", ".scss": "SCSS",
    ".clj": "Clojure", ".dart": "Dart", ".ex": "Elixir", ".exs": "Elixir", ".erl": "Erlang", ".go": "Go",
    ".hs": "Haskell", ".html": "HTML", ".java": "Java", ".js": "JavaScript", ".mjs": "JavaScript", ".jsx": "JavaScript",
    ".jl": "Julia", ".kt": "Kotlin", ".lua": "Lua", ".m": "Objective-C", ".ml": "OCaml", ".php": "PHP", ".pl": "Perl",
    ".pm": "Perl", ".ps1": "PowerShell", ".py": "Python", ".r": "R", ".rb": "Ruby", ".rs": "Rust", ".scala": "Scala",
    ".sh": "Shell", ".sql": "PLSQL", ".swift": "Swift", ".tcl": "Tcl", ".tex": "TeX", ".ts": "TypeScript",
    ".tsx": "TypeScript", ".vue": "Vue", ".zig": "Zig",
}  # fmt: skip
"""Prose and data are no languages."""


def shares(files: Iterable[tuple[str, int]]) -> dict[str, float]:
    """The share of each language in percent of what is written in any, the largest first; files are name and size."""
    sizes = Counter[str]()
    for name, size in files:
        if language := LANGUAGES.get(PurePosixPath(name).suffix.lower()):
            sizes[language] += size
    total = sizes.total()
    return {language: round(100 * size / total, 2) for language, size in sizes.most_common() if size}
