"""LFS objects that the files of a moved repository point to: streamed from the source, and kept if their checksum is right."""

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Final

from mujina.adapters.git.reading import pointers
from mujina.code.lfs import operations as lfs
from mujina.kernel.permissions.actor import SYSTEM
from mujina.moving.move_in.repositories.operations import repo_path_of
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.operations import SourceError
from mujina.moving.sources.records import SourceLfsObject

BATCH: Final = 100
"""Objects that are asked for in one request."""


class WrongContent(Exception):
    """What came is not the object."""


async def move_lfs_objects(target: ProjectRun) -> None:
    """The project has every LFS object that its history names; those that do not come are listed."""
    repo_path = await repo_path_of(target, wiki=False)
    async with aclosing(pointers.all_pointers(repo_path)) as batches:
        async for found in batches:
            async with target.run.services.database.reading() as tx:
                present = await lfs.present(tx, target.id, sorted(found))
            missing = sorted((oid, size) for oid, size in found.items() if oid not in present)
            for start in range(0, len(missing), BATCH):
                await _bring(target, dict(missing[start : start + BATCH]))


async def _bring(target: ProjectRun, wanted: dict[str, int]) -> None:
    run = target.run
    max_bytes = run.services.settings.max_push_megabytes * 1024 * 1024
    try:
        offered = {each.oid: each for each in await run.source.lfs_objects(target.project, wanted, run.token)}
    except SourceError as error:
        run.report.problem(error.address, f"{len(wanted)} LFS objects did not come: {error.reason}")
        return
    for oid, size in wanted.items():
        reason = _obstacle(offered.get(oid), size, max_bytes) or await _download(target, offered[oid], size)
        if reason:
            target.problem(f".git/info/lfs/objects/{oid}", f"This LFS object did not come: {reason}")


def _obstacle(offer: SourceLfsObject | None, size: int, max_bytes: int) -> str:
    """Why the object is not even asked for."""
    if size > max_bytes:
        return f"It is larger than {max_bytes} bytes."
    if offer is None or offer.download is None:
        return "The source does not have it." if offer is None or offer.error is None else offer.error.message
    return ""


async def _download(target: ProjectRun, offer: SourceLfsObject, size: int) -> str:
    """Why the object did not come; empty if it is here."""
    run, file = target.run, lfs.new_file(offer.oid)
    try:
        async with run.source.lfs_content(offer, size, run.token) as pieces:
            await run.services.files.put(file, _verified(pieces, offer.oid, size))
    except SourceError as error:
        return error.reason
    except WrongContent:
        return "What came is not what its name and size say."
    stored = False
    try:
        async with run.services.database.transaction() as tx:
            stored = await lfs.store_object(tx, SYSTEM, target.id, offer.oid, size, file)
    finally:
        if not stored:
            await run.services.files.remove(file)
    run.report.created["LFS objects"] += 1
    return ""


async def _verified(pieces: AsyncIterator[bytes], oid: str, size: int) -> AsyncGenerator[bytes]:
    """The pieces; `WrongContent` as soon as there are too many bytes, or at the end if they are others."""
    digest, seen = hashlib.sha256(), 0
    async for piece in pieces:
        digest.update(piece)
        seen += len(piece)
        if seen > size:
            raise WrongContent
        yield piece
    if seen != size or digest.hexdigest() != oid:
        raise WrongContent
