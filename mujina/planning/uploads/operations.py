"""Bringing files to a project."""

import re
import secrets
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.kernel import clock
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.files import Files
from mujina.kernel.forms import Upload
from mujina.planning.uploads.rules import key_of

LONGEST_NAME: Final = 200
BATCH: Final = 100
_ADDRESS: Final = re.compile(r"/uploads/([0-9a-f]{32})/")


class StagedUpload(msgspec.Struct, frozen=True):
    """A file in the store that nothing points at yet."""

    secret: str
    name: str
    size: int


@asynccontextmanager
async def staged_upload(files: Files, upload: Upload) -> AsyncGenerator[StagedUpload]:
    """The file is in the store while the block runs, and stays there unless the block fails."""
    secret = secrets.token_hex(16)
    await files.put(key_of(secret), upload.data)
    try:
        yield StagedUpload(secret, safe_name(upload.filename), len(upload.data))
    except BaseException:
        await files.remove(key_of(secret))
        raise


async def create(tx: Tx, actor: Actor, project_id: int, file: StagedUpload) -> None:
    """From now on whoever reads the project and knows the address gets the file."""
    upload_id: int = await tx.value(
        """
        INSERT INTO uploads (project_id, secret, name, size, author_id, created_at)
        VALUES (:project_id, :secret, :name, :size, :author_id, :now) RETURNING id
        """,
        project_id=project_id, secret=file.secret, name=file.name, size=file.size, author_id=actor.id, now=clock.now(),
    )  # fmt: skip
    await record(tx, "upload.created", actor, subject_id=upload_id, project_id=project_id)


async def share(tx: Tx, project_id: int, target_id: int, texts: Iterable[str]) -> None:
    """The files of the project that these texts point at are the target's too, at the same addresses."""
    secrets_ = sorted({secret for text in texts for secret in _ADDRESS.findall(text)})
    if secrets_:
        await tx.run(
            """
            INSERT INTO uploads (project_id, secret, name, size, author_id, created_at)
            SELECT CAST(:target_id AS bigint), f.secret, f.name, f.size, f.author_id, f.created_at FROM uploads f
            WHERE f.project_id = :project_id AND f.secret IN :secrets ON CONFLICT DO NOTHING
            """,
            project_id=project_id, target_id=target_id, secrets=secrets_,
        )  # fmt: skip


async def leave(tx: Tx, project_id: int) -> list[str]:
    """Some files of a project that nobody else has, by their secrets; those that others have are not its own any more."""
    mine: list[str] = await tx.values(
        "SELECT f.secret FROM uploads f WHERE f.project_id = :id ORDER BY f.id LIMIT :batch",
        id=project_id, batch=BATCH,
    )  # fmt: skip
    # Held: of two projects that leave a file at once, one is the last.
    held = await tx.rows(
        tuple[str, int],
        "SELECT f.secret, f.project_id FROM uploads f WHERE f.secret IN :mine ORDER BY f.id FOR UPDATE",
        mine=mine,
    )
    shared = sorted({secret for secret, holder in held if holder != project_id})
    await forget(tx, project_id, shared)
    return [secret for secret in mine if secret not in shared]


async def any_left(tx: Tx, project_id: int) -> bool:
    return await tx.value("SELECT 1 FROM uploads f WHERE f.project_id = :id", id=project_id) is not None


async def forget(tx: Tx, project_id: int, gone: list[str]) -> None:
    """The project does not have these files any more."""
    await tx.run("DELETE FROM uploads WHERE project_id = :id AND secret IN :gone", id=project_id, gone=gone)


def safe_name(given: str) -> str:
    """The name without folders, and without anything that means something in a path, an address or a header."""
    name = re.sub(r"[^A-Za-z0-9.+_-]", "_", PurePosixPath(given.replace("\\", "/")).name)
    if not name.strip("."):
        return "unnamed"
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix[:20]
    return stem[: LONGEST_NAME - len(suffix)] + suffix
