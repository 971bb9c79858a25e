"""Tags, as they stand in the repository, and what is written about them."""

import asyncio
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from mujina.adapters import git_reading
from mujina.adapters.git_objects import opened
from mujina.adapters.git_reading import CommitInfo
from mujina.adapters.git_writing import annotate
from mujina.code.commits.operations import Code, Found, Signer
from mujina.code.pushes.changes import TAGS
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx

if TYPE_CHECKING:
    from pygit2 import Repository

MAX_LENGTH = 1_000_000


class TagInfo(msgspec.Struct, frozen=True):
    name: str
    target: str
    """What the ref points at: the tag's own object, or the commit of a light one."""
    message: str | None
    commit: CommitInfo


def _name(tag: TagInfo) -> tuple[str, str]:
    return ("", tag.name)


def _newness(tag: TagInfo) -> tuple[str, str]:
    return (datetime.fromisoformat(tag.commit.committed_at).astimezone(UTC).isoformat(), tag.name)


BY = {"name": _name, "updated": _newness}
"""The orders of a list of tags."""


async def tags_of(code: Code) -> list[TagInfo]:
    """Every tag that leads to a commit."""
    return await asyncio.to_thread(_tags, code)


def _tags(code: Code) -> list[TagInfo]:
    repository = opened(code.place)
    refs = [ref for ref in repository.references if ref.startswith(TAGS)]
    return [tag for ref in refs if (tag := _tag(repository, ref.removeprefix(TAGS))) is not None]


def _tag(repository: "Repository", name: str) -> TagInfo | None:
    found = git_reading.find_tag(repository, name)
    return None if found is None else TagInfo(name, *found)


def exists(code: Code, name: str) -> bool:
    return _tag(opened(code.place), name) is not None


def find(code: Code, name: str) -> TagInfo:
    """The tag of this name; 404 if there is none."""
    tag = _tag(opened(code.place), name)
    if tag is None:
        raise errors.not_found("Tag")
    return tag


async def write(code: Code, name: str, on: Found, message: str, tagger: Signer) -> str:
    """The object of an annotated tag that no ref names yet."""
    return await asyncio.to_thread(annotate, code.place, name, on.id, message, tagger, int(time.time()))


async def describe(tx: Tx, project_id: int, tag: str, description: str) -> None:
    """Write about a tag, or write anew."""
    await tx.run(
        """
        INSERT INTO releases (project_id, tag, description, created_at, updated_at)
        VALUES (:project_id, :tag, :description, :now, :now)
        ON CONFLICT (project_id, tag) DO UPDATE SET description = excluded.description, updated_at = excluded.updated_at
        """,
        project_id=project_id, tag=tag, description=description[:MAX_LENGTH], now=clock.now(),
    )  # fmt: skip


async def forget(tx: Tx, project_id: int, tag: str) -> None:
    """Nothing is written about this tag any more."""
    await tx.run("DELETE FROM releases WHERE project_id = :project_id AND tag = :tag", project_id=project_id, tag=tag)


async def descriptions(tx: Tx, project_id: int, tags: list[str]) -> dict[str, str]:
    """What is written about these tags."""
    return dict(
        await tx.rows(
            tuple[str, str],
            "SELECT tag, description FROM releases WHERE project_id = :project_id AND tag IN :tags",
            project_id=project_id, tags=tags,
        )
    )  # fmt: skip
