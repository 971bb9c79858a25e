"""Pictures of people: judged by their content, drawn anew, so that nothing else comes along."""

import asyncio
import re
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import PurePosixPath

import msgspec

from mujina.kernel import deferred_imports, errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.files import Files
from mujina.kernel.forms import Upload
from mujina.kernel.params import UNSET, Unset

MAX_BYTES = 200 * 1024
MAX_PIXELS = 10_000_000
"""A few kilobytes can say they are a picture of gigabytes: it is refused before it is unpacked."""
MAX_SIDE = 512

TYPES = {".png": "image/png", ".jpg": "image/jpeg"}
"""What is ever stored, and so ever served."""

_READ = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
_MAX_NAME_LENGTH = 100


class Picture(msgspec.Struct):
    """An avatar on its way to its person."""

    name: str
    """As its address shows it."""
    key: str
    """As the store of files calls it."""


class AvatarChange(msgspec.Struct):
    """What becomes of somebody's avatar: a new picture, none, or nothing (UNSET)."""

    picture: Picture | Unset | None
    replaced: str | None = None
    """What the store called the one before."""


@asynccontextmanager
async def staged_avatar(files: Files, upload: Upload | Unset | None, of: str = "user") -> AsyncGenerator[AvatarChange]:
    """The new picture is in the store while the block runs; it is taken away if the block fails, else the old one is."""
    change = AvatarChange(await _bring(files, upload, of) if isinstance(upload, Upload) else upload)
    try:
        yield change
    except BaseException:
        if isinstance(change.picture, Picture):
            await files.remove(change.picture.key)
        raise
    if change.replaced is not None:
        await files.remove(change.replaced)


async def put(tx: Tx, actor: Actor, user_id: int, change: AvatarChange) -> None:
    """The person has this picture, or none."""
    if change.picture is UNSET:
        return
    picture = change.picture
    change.replaced = await key_of(tx, user_id)
    await tx.run(
        "UPDATE users SET avatar = :name, avatar_key = :key WHERE id = :id",
        id=user_id, name=picture.name if picture else None, key=picture.key if picture else None,
    )  # fmt: skip
    await record(tx, "user.avatar_changed", actor, subject_id=user_id)


async def key_of(tx: Tx, user_id: int) -> str | None:
    """What the store of files calls this person's picture."""
    return await tx.value("SELECT u.avatar_key FROM users u WHERE u.id = :id", id=user_id)


async def find_avatar(tx: Tx, user_id: int, name: str) -> str | None:
    """What the store calls the picture at this address; None if nobody's is there."""
    return await tx.value(
        "SELECT u.avatar_key FROM users u WHERE u.id = :id AND u.avatar = :name AND u.deleted_at IS NULL",
        id=user_id, name=name,
    )  # fmt: skip


async def _bring(files: Files, upload: Upload, of: str) -> Picture:
    if len(upload.data) > MAX_BYTES:
        raise errors.invalid({"avatar": ["is too big (should be at most 200 KB)"]})
    drawn = await asyncio.to_thread(draw, upload.data)
    if drawn is None:
        raise errors.invalid({"avatar": ["only images allowed"]})
    data, suffix = drawn
    picture = Picture(_name(upload.filename, suffix), f"avatars/{of}/{uuid.uuid4().hex}{suffix}")
    await files.put(picture.key, data)
    return picture


def draw(data: bytes) -> tuple[bytes, str] | None:
    """The picture drawn anew, with its suffix; None if it is none. For a thread: takes milliseconds."""
    pictures, whole = deferred_imports.pillow()
    try:
        with pictures.open(BytesIO(data), formats=_READ) as found:
            if found.width * found.height > MAX_PIXELS:
                return None
            photo = found.format == "JPEG"
            image = whole.exif_transpose(found).convert("RGB" if photo else "RGBA")
    except Exception:  # noqa: BLE001 - decoders raise whatever they like on what is no picture
        return None
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    drawn = BytesIO()
    image.save(drawn, "JPEG" if photo else "PNG", quality=90)
    return drawn.getvalue(), ".jpg" if photo else ".png"


def _name(given: str, suffix: str) -> str:
    """The name the client gave, as far as it can stand in an address."""
    stem = PurePosixPath(given.replace("\\", "/")).stem
    return (re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_")[:_MAX_NAME_LENGTH] or "avatar") + suffix
