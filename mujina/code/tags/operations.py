"""Tags of a project's repository."""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from mujina.adapters.git.objects import commit_of_ref, opened
from mujina.adapters.git.reading import commits as reading
from mujina.adapters.git.reading.commits import CommitInfo
from mujina.adapters.git.refs import newest_tag
from mujina.adapters.git.writing.commits import annotate
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import Repository
from mujina.code.pushes.changes import TAGS, ZERO, Change
from mujina.code.pushes.checks.refs import check_names
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.ref_search import matches
from mujina.code.tags.params import ListTags
from mujina.kernel import clock, errors
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

if TYPE_CHECKING:
    from pygit2 import Repository as GitRepository


class TagInfo(msgspec.Struct, frozen=True):
    name: str
    target: str
    """The object the ref points to: the tag object, or the commit of a lightweight tag."""
    message: str | None
    commit: CommitInfo
    tagged_at: str | None
    """None for a lightweight tag, which has no time of its own."""


def _version(tag: TagInfo) -> tuple[list[tuple[int, int, str]], str]:
    """Numbers in the name count as numbers: v1.10 comes after v1.9, and v1.0 after v1.0-rc1."""
    number, _, suffix = tag.name.partition("-")
    parts = [*_parts(number), (0, 0, "") if suffix else (1, 0, ""), *_parts(suffix)]
    return parts, tag.name


def _parts(text: str) -> list[tuple[int, int, str]]:
    return [(3, int(part[:18]), "") if part.isdecimal() else (2, 0, part) for part in _NUMBERS.split(text) if part]


_NUMBERS = re.compile(r"([0-9]+)")
ORDERS: dict[str, Callable[[TagInfo], Any]] = {
    "name": lambda tag: tag.name,
    "updated": lambda tag: (datetime.fromisoformat(tag.commit.committed_at).astimezone(UTC).isoformat(), tag.name),
    "version": _version,
    "id": lambda tag: tag.name,  # clients that ask every list for this order get the one that tags have
}
"""The orders of a list of tags."""


def names(code: Repository) -> list[str]:
    """Every tag, sorted by name."""
    return sorted(ref.removeprefix(TAGS) for ref in code.repository.references if ref.startswith(TAGS))


async def list_tags(code: Repository, query: ListTags) -> list[TagInfo]:
    """The tags that match and point to a commit, in the order of the query."""

    def read() -> list[TagInfo]:
        repository, wanted = opened(code.repo_path), [name for name in names(code) if matches(name, query.search or "")]
        return [tag for name in wanted if (tag := _tag(repository, name)) is not None]

    return sorted(await asyncio.to_thread(read), key=ORDERS[query.order_by], reverse=query.sort == "desc")


def _tag(repository: "GitRepository", name: str) -> TagInfo | None:
    found = reading.find_tag(repository, name)
    return None if found is None else TagInfo(name, *found)


def find_commits(code: Repository, names: list[str]) -> dict[str, CommitInfo]:
    """The commits of those of these tags that exist, by name."""
    repository = opened(code.repo_path)
    found = ((name, commit_of_ref(repository, TAGS + name, skip_lost=True)) for name in names)
    return {name: reading.info(commit) for name, commit in found if commit is not None}


async def find_newest(code: Repository) -> str | None:
    """The name of the tag that was made last, without reading the others here."""
    return await newest_tag(code.repo_path)


def exists(code: Repository, name: str) -> bool:
    return _tag(opened(code.repo_path), name) is not None


def find_target(code: Repository, name: str) -> str:
    """The object that the tag of this name points to, which may be a tree or a file; 404 if there is no such tag."""
    return errors.or_not_found(_target(code, name), "Tag")


def _target(code: Repository, name: str) -> str | None:
    ref = TAGS + name
    if not reading.is_valid_ref(ref) or ref not in code.repository.references:
        return None
    return str(code.repository.lookup_reference(ref).target)


def find(code: Repository, name: str) -> TagInfo:
    """The tag of this name that points to a commit; 404 if there is none."""
    return errors.or_not_found(_tag(opened(code.repo_path), name), "Tag")


async def create(
    services: Services, actor: Actor, project_id: int, code: Repository, name: str, ref: str, message: str
) -> None:
    """A tag of the commit that `ref` names, annotated if there is a message."""
    if not commits.exists(code, ref):
        raise errors.bad_request(f"Target {ref} is invalid")
    target = commits.find(code, ref)
    change = Change(TAGS + name, ZERO, target.id)
    if _target(code, name) is not None:
        raise errors.bad_request(f"Tag {name} already exists")
    if check_names([change]) or not commits.fits(code, change):
        raise errors.bad_request("Tag name invalid")
    if message:
        async with services.database.reading() as tx:
            tagger = await commits.signer_of(tx, actor)
        tag_id = await asyncio.to_thread(
            annotate, code.repo_path, name, target.id, message, tagger, int(clock.timestamp())
        )
        change = Change(change.ref, ZERO, tag_id)
    await move_refs(services, actor, project_id, [change])


async def remove(services: Services, actor: Actor, project_id: int, name: str, target: str) -> None:
    """Delete the tag, which points to this object; its release goes with it."""
    await move_refs(services, actor, project_id, [Change(TAGS + name, target, ZERO)])
