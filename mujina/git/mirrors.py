"""Mirrors: refs of this instance follow those of another, and what moved is recorded like a push."""

from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from mujina.adapters import git_refs
from mujina.adapters.git_copying import ASIDE
from mujina.code.repositories.changes import BRANCHES, TAGS, ZERO, Change
from mujina.git.access import find_repository
from mujina.git.receive import Push
from mujina.git.ref_checks import check_names
from mujina.kernel.actor import SYSTEM, Actor
from mujina.kernel.params import Ref
from mujina.kernel.services import Services


class Parted(Exception):
    """Some refs have gone their own way here; they were left alone, and all others followed."""


async def follow(services: Services, actor: Actor, project_id: int, place: Path) -> None:
    """Branches and tags here are where those are that were fetched aside, unless that would lose something."""
    here = await git_refs.read_below(place, BRANCHES, TAGS)
    there = await git_refs.read_below(place, ASIDE)
    wanted = [Change(ref, here.get(ref, ZERO), tip) for name, tip in there.items() if (ref := _at_home(name))]
    moved = [change for change in wanted if change.old != change.new and check_names([change]) is None]
    folders = {folder for ref in here for folder in _folders(ref)}
    changes = [
        change
        for change in moved
        if (_has_room(change.ref, here, folders) if change.creates else await _goes_on(place, change))
    ]
    if changes:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, SYSTEM, Ref.of(project_id), "upload-pack")
        await Push(services, actor, repository, protocol="mirror").take_over(changes)
    if len(changes) < len(moved):
        raise Parted


async def settle_in(place: Path) -> dict[str, str]:
    """Of refs that were just fetched, those stay whose names could be pushed here. Where the branches among them are."""
    refs = await git_refs.read_below(place, BRANCHES, TAGS)
    odd = [ref for ref, tip in refs.items() if check_names([Change(ref, ZERO, tip)]) is not None]
    if odd:
        await git_refs.drop_refs(place, odd)
    return {ref: tip for ref, tip in refs.items() if ref.startswith(BRANCHES) and ref not in odd}


def _at_home(name: str) -> str:
    return f"refs/{name.removeprefix(ASIDE)}"


def _has_room(ref: str, here: Mapping[str, str], folders: Collection[str]) -> bool:
    """Whether nothing is in its way: `a` keeps out `a/b`, and the other way round."""
    return ref not in folders and not any(folder in here for folder in _folders(ref))


def _folders(ref: str) -> list[str]:
    return [str(folder) for folder in PurePosixPath(ref).parents]


async def _goes_on(place: Path, change: Change) -> bool:
    """Only branches grow; a tag stays where it is."""
    return change.branch is not None and await git_refs.is_ancestor(place, change.old, change.new)
