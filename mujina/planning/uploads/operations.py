"""Storing files for the texts of a project."""

import re
import secrets
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.forms import Upload
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.storage.files import Files
from mujina.planning.uploads.rules import key_of

MAX_NAME_LENGTH: Final = 200
BATCH_SIZE: Final = 100
_URL: Final = re.compile(r"/uploads/([0-9a-f]{32})/")


class StagedUpload(msgspec.Struct, frozen=True):
    """A file in the store without a row."""

    secret: str
    name: str
    size: int


@asynccontextmanager
async def staged_upload(files: Files, upload: Upload) -> AsyncGenerator[StagedUpload]:
    """Store the file and run the block; if the block fails, remove the file."""
    secret = secrets.token_hex(16)
    await files.put(key_of(secret), upload.data)
    try:
        yield StagedUpload(secret, safe_name(upload.filename), len(upload.data))
    except BaseException:
        await files.remove(key_of(secret))
        raise


async def create(tx: Tx, actor: Actor, project_id: int, file: StagedUpload) -> None:
    """Make the file available to users who may read the project and know its URL."""
    upload_id: int = await insert_id(
        tx, "uploads", project_id=project_id, secret=file.secret, name=file.name, size=file.size, author_id=actor.id,
        created_at=clock.now(),
    )  # fmt: skip
    await record(tx, "upload.created", actor, subject_id=upload_id, project_id=project_id)


async def share(tx: Tx, project_id: int, target_id: int, texts: Iterable[str]) -> None:
    """Give the target project the files that these texts link to, under the same secrets."""
    linked = sorted({secret for text in texts for secret in _URL.findall(text)})
    if linked:
        await tx.run(
            """
            INSERT INTO uploads (project_id, secret, name, size, author_id, created_at)
            SELECT CAST(:target_id AS bigint), f.secret, f.name, f.size, f.author_id, f.created_at FROM uploads f
            WHERE f.project_id = :project_id AND f.secret IN :secrets ON CONFLICT DO NOTHING
            """,
            project_id=project_id,
            target_id=target_id,
            secrets=linked,
        )


async def release_batch(tx: Tx, project_id: int) -> list[str]:
    """The secrets of some files that only this project has; rows of files that other projects share are deleted."""
    batch: list[str] = await tx.values(
        "SELECT f.secret FROM uploads f WHERE f.project_id = :id ORDER BY f.id LIMIT :size",
        id=project_id,
        size=BATCH_SIZE,
    )
    # Locked: of two projects that release a file at the same time, exactly one is the last.
    rows = await tx.rows(
        tuple[str, int],
        "SELECT f.secret, f.project_id FROM uploads f WHERE f.secret IN :batch ORDER BY f.id FOR UPDATE",
        batch=batch,
    )
    shared = sorted({secret for secret, owner_id in rows if owner_id != project_id})
    await delete_rows(tx, project_id, shared)
    return [secret for secret in batch if secret not in shared]


async def delete_rows(tx: Tx, project_id: int, file_secrets: list[str]) -> None:
    await tx.run(
        "DELETE FROM uploads WHERE project_id = :id AND secret IN :secrets", id=project_id, secrets=file_secrets
    )


def safe_name(filename: str) -> str:
    """The name without directories and without characters that are special in a path, a URL or a header."""
    name = re.sub(r"[^A-Za-z0-9.+_-]", "_", PurePosixPath(filename.replace("\\", "/")).name)
    if not name.strip("."):
        return "unnamed"
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix[:20]
    return stem[: MAX_NAME_LENGTH - len(suffix)] + suffix
