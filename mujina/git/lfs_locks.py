"""Locks of large files: taken, listed, verified before a push, and given back."""

from typing import Any

from mujina.code.lfs import locks
from mujina.code.lfs.locks import LockRow
from mujina.git.lfs_requests import LfsRequest, LockPath, Unlock, Verify
from mujina.git.lfs_responses import FORBIDDEN, MISSING, LfsError, read_json
from mujina.kernel.access import MASTER

BAD_PATH = "The path is invalid."
MAX_COUNT = 100
"""Locks in one answer."""


async def answer(visit: LfsRequest, rest: list[str], most: int) -> None:
    """Whatever is asked below `info/lfs/locks`."""
    match visit.exchange.method, rest:
        case "GET", []:
            await _list(visit)
        case "POST", []:
            await _lock(visit, await read_json(visit.exchange, LockPath, most))
        case "POST", ["verify"]:
            await _verify(visit, await read_json(visit.exchange, Verify, most))
        case "POST", [number, "unlock"]:
            await _unlock(visit, _number(number), await read_json(visit.exchange, Unlock, most))
        case _:
            raise LfsError(404, MISSING)


async def _list(visit: LfsRequest) -> None:
    query = visit.exchange.query
    if "\0" in query.get("path", ""):
        raise LfsError(422, BAD_PATH)
    async with visit.services.database.reading() as tx:
        found = await locks.locks_in(
            tx,
            visit.repository.id,
            path=query.get("path"),
            id=_number(query["id"]) if "id" in query else None,
            after=_number(query.get("cursor", "")),
            limit=MAX_COUNT,
        )
    await visit.answer(200, {"locks": [_shown(lock) for lock in found], **_next(found)})


async def _lock(visit: LfsRequest, asked: LockPath) -> None:
    if visit.actor.anonymous:
        raise LfsError(403, FORBIDDEN)  # a deploy key, which is nobody whose work others would wait for
    if not asked.path or "\0" in asked.path or len(asked.path) > 4096:
        raise LfsError(422, BAD_PATH)
    async with visit.services.database.transaction() as tx:
        lock, free = await locks.lock(tx, visit.actor, visit.repository.id, asked.path)
    said = {"lock": _shown(lock)}
    await visit.answer(201 if free else 409, said if free else {**said, "message": "already locked"})


async def _verify(visit: LfsRequest, asked: Verify) -> None:
    """Which locks are the caller's own, and which a push must not disregard."""
    limit = max(1, min(asked.limit, MAX_COUNT))
    async with visit.services.database.reading() as tx:
        found = await locks.locks_in(tx, visit.repository.id, after=_number(asked.cursor), limit=limit)
    mine = [_shown(lock) for lock in found if lock.user_id == visit.actor.id]
    others = [_shown(lock) for lock in found if lock.user_id != visit.actor.id]
    await visit.answer(200, {"ours": mine, "theirs": others, **_next(found, limit)})


async def _unlock(visit: LfsRequest, number: int, asked: Unlock) -> None:
    """One's own; another's only by a master, who must insist."""
    master = visit.actor.admin or visit.repository.level >= MASTER
    async with visit.services.database.transaction() as tx:
        found = await locks.locks_in(tx, visit.repository.id, id=number)
        if not found:
            raise LfsError(404, MISSING)
        if found[0].user_id != visit.actor.id and not (asked.force and master):
            raise LfsError(403, FORBIDDEN if asked.force else f"{found[0].path} is locked by {found[0].owner}")
        await locks.unlock(tx, visit.actor, visit.repository.id, found[0])
    await visit.answer(200, {"lock": _shown(found[0])})


def _shown(lock: LockRow) -> dict[str, Any]:
    return {"id": str(lock.id), "path": lock.path, "locked_at": lock.locked_at, "owner": {"name": lock.owner}}


def _next(found: list[LockRow], limit: int = MAX_COUNT) -> dict[str, str]:
    return {"next_cursor": str(found[-1].id)} if len(found) == limit else {}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
