"""LFS locks: create, list, verify before a push, delete."""

from typing import Any

from mujina.code.lfs import locks
from mujina.code.lfs.locks import LockRow
from mujina.git.lfs.requests import LfsRequest, LockPath, Unlock, Verify
from mujina.git.lfs.responses import FORBIDDEN, MISSING, LfsError, read_json

BAD_PATH = "The path is invalid."
PAGE_SIZE = 100
"""Locks in one response."""


async def answer(request: LfsRequest, rest: list[str], max_bytes: int) -> None:
    """Answer the requests below `info/lfs/locks`."""
    match request.exchange.method, rest:
        case "GET", []:
            await _list(request)
        case "POST", []:
            await _lock(request, await read_json(request.exchange, LockPath, max_bytes))
        case "POST", ["verify"]:
            await _verify(request, await read_json(request.exchange, Verify, max_bytes))
        case "POST", [number, "unlock"]:
            await _unlock(request, _number(number), await read_json(request.exchange, Unlock, max_bytes))
        case _:
            raise LfsError(404, MISSING)


async def _list(request: LfsRequest) -> None:
    query = request.exchange.query
    if "\0" in query.get("path", ""):
        raise LfsError(422, BAD_PATH)
    limit = _limit(_number(query.get("limit", "")) or PAGE_SIZE)
    async with request.services.database.reading() as tx:
        found = await locks.locks_in(
            tx,
            request.repository.id,
            path=query.get("path"),
            id=_number(query["id"]) if "id" in query else None,
            after=_number(query.get("cursor", "")),
            limit=limit,
        )
    await request.answer(200, {"locks": [_to_json(lock) for lock in found], **_next(found, limit)})


async def _lock(request: LfsRequest, params: LockPath) -> None:
    if request.actor.anonymous:
        raise LfsError(403, FORBIDDEN)  # a deploy key has no user who could own a lock
    if not params.path or "\0" in params.path or len(params.path) > 4096:
        raise LfsError(422, BAD_PATH)
    async with request.services.database.transaction() as tx:
        lock, created = await locks.lock(tx, request.actor, request.repository.id, params.path)
    body = {"lock": _to_json(lock)}
    await request.answer(201 if created else 409, body if created else {**body, "message": "already locked"})


async def _verify(request: LfsRequest, params: Verify) -> None:
    """The actor's own locks, and those of others."""
    limit = _limit(params.limit)
    async with request.services.database.reading() as tx:
        found = await locks.locks_in(tx, request.repository.id, after=_number(params.cursor), limit=limit)
    mine = [_to_json(lock) for lock in found if lock.user_id == request.actor.id]
    others = [_to_json(lock) for lock in found if lock.user_id != request.actor.id]
    await request.answer(200, {"ours": mine, "theirs": others, **_next(found, limit)})


async def _unlock(request: LfsRequest, number: int, params: Unlock) -> None:
    """Delete a lock; only a master may delete another user's, with `force`."""
    if request.actor.anonymous:
        raise LfsError(403, FORBIDDEN)  # a deploy key
    async with request.services.database.transaction() as tx:
        found = await locks.locks_in(tx, request.repository.id, id=number)
        if not found:
            raise LfsError(404, MISSING)
        if found[0].user_id != request.actor.id and not (params.force and request.repository.administered):
            raise LfsError(403, FORBIDDEN if params.force else f"{found[0].path} is locked by {found[0].owner}")
        await locks.unlock(tx, request.actor, request.repository.id, found[0])
    await request.answer(200, {"lock": _to_json(found[0])})


def _to_json(lock: LockRow) -> dict[str, Any]:
    return {"id": str(lock.id), "path": lock.path, "locked_at": lock.locked_at, "owner": {"name": lock.owner}}


def _limit(wanted: int) -> int:
    return max(1, min(wanted, PAGE_SIZE))


def _next(found: list[LockRow], limit: int) -> dict[str, str]:
    return {"next_cursor": str(found[-1].id)} if len(found) == limit else {}


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
