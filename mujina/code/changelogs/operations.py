"""Write the notes of a version: its commits by the value of a trailer."""

import re

from mujina.code.changelogs.params import ShowChangelog
from mujina.code.commit_ranges.operations import find_range
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo, Repository
from mujina.code.commits.trailers import trailers_of
from mujina.code.tags import operations as tags
from mujina.kernel import clock, errors

MAX_COMMITS = 2_000
"""Older commits of the range are left out."""
NO_START = "The commit start range is unspecified, and no previous tag could be found to use instead"
_VERSION = re.compile(r"v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


async def notes(code: Repository, full_path: str, query: ShowChangelog) -> str:
    """The notes as Markdown; 422 if it is not known where the version starts."""
    start = query.from_ or _previous_tag(code, query.version)
    if not start:
        raise errors.Unprocessable({"message": NO_START})
    found = find_range(code, f"{start}..{query.to or code.default_branch or 'HEAD'}")
    listed, _ = await commits.history(found, "", "", "", offset=0, limit=MAX_COMMITS)
    categories: dict[str, list[CommitInfo]] = {}
    for commit in listed:
        for category in trailers_of(commit.message).get(query.trailer, [])[:1]:
            categories.setdefault(category, []).append(commit)
    sections = [_section(title, entries, full_path) for title, entries in categories.items()]
    day = (query.date or clock.now())[:10]
    return "\n\n".join([f"## {query.version} ({day})", *(sections or ["No changes."])]) + "\n"


def _section(title: str, entries: list[CommitInfo], full_path: str) -> str:
    lines = [f"- [{_escaped(commit.title)}]({full_path}@{commit.id})" for commit in entries]
    count = "1 change" if len(lines) == 1 else f"{len(lines)} changes"
    return f"### {_escaped(title)} ({count})\n\n" + "\n".join(lines)


def _escaped(text: str) -> str:
    """The text as a part of a Markdown line that starts no link of its own."""
    return re.sub(r"([\[\]\\<>])", r"\\\1", text)


def _previous_tag(code: Repository, version: str) -> str | None:
    """The tag of the highest version below this one; tags of other forms, such as pre-releases, do not count."""
    wanted = _VERSION.match(version.strip())
    versions = [(numbers, name) for name in tags.names(code) if (numbers := _VERSION.fullmatch(name))]
    below = [(_numbers(each), name) for each, name in versions if wanted is None or _numbers(each) < _numbers(wanted)]
    return max(below)[1] if below else None


def _numbers(version: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(number) for number in version.groups())
