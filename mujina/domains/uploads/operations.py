"""Bringing files to a project."""

import re
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.domains.uploads.rules import key_of
from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.files import Files
from mujina.kernel.forms import Upload

LONGEST_NAME: Final = 200
BATCH: Final = 100


class Brought(msgspec.Struct, frozen=True):
    """A file in the store that nothing points at yet."""

    secret: str
    name: str
    size: int


@asynccontextmanager
async def brought(files: Files, upload: Upload) -> AsyncGenerator[Brought]:
    """The file is in the store while the block runs, and stays there unless the block fails."""
    secret = secrets.token_hex(16)
    await files.put(key_of(secret), upload.data)
    try:
        yield Brought(secret, safe_name(upload.filename), len(upload.data))
    except BaseException:
        await files.remove(key_of(secret))
        raise


async def create(tx: Tx, actor: Actor, project_id: int, file: Brought) -> None:
    """From now on whoever reads the project and knows the address gets the file."""
    upload_id: int = await tx.value(
        """
        INSERT INTO uploads (project_id, secret, name, size, author_id, created_at)
        VALUES (:project_id, :secret, :name, :size, :author_id, :now) RETURNING id
        """,
        project_id=project_id, secret=file.secret, name=file.name, size=file.size, author_id=actor.id, now=clock.now(),
    )  # fmt: skip
    await record(tx, "upload.created", actor, subject_id=upload_id, project_id=project_id)


async def some_of(tx: Tx, project_id: int) -> list[str]:
    """The secrets of some files of a project, none when it has none left."""
    return await tx.values(
        "SELECT f.secret FROM uploads f WHERE f.project_id = :id ORDER BY f.id LIMIT :batch",
        id=project_id, batch=BATCH,
    )  # fmt: skip


async def forget(tx: Tx, gone: list[str]) -> None:
    """These files are gone from the store."""
    await tx.run("DELETE FROM uploads WHERE secret IN :gone", gone=gone)


def safe_name(given: str) -> str:
    """The name without folders, and without anything that means something in a path, an address or a header."""
    name = re.sub(r"[^A-Za-z0-9.+_-]", "_", PurePosixPath(given.replace("\\", "/")).name)
    if not name.strip("."):
        return "unnamed"
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix[:20]
    return stem[: LONGEST_NAME - len(suffix)] + suffix
