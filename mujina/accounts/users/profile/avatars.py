"""Avatars of users: recognized by their content and re-encoded, so that nothing but the image is stored."""

import asyncio
import re
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import PurePosixPath

import msgspec

from mujina.kernel import deferred_imports, errors
from mujina.kernel.db.rows import update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.storage.files import Files

MAX_BYTES = 200 * 1024
MAX_PIXELS = 10_000_000
"""A few kilobytes may decode to gigabytes: such an image is refused before it is decoded."""
MAX_SIDE = 512


_ACCEPTED_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")
_MAX_NAME_LENGTH = 100


class StoredImage(msgspec.Struct):
    """An image in the file store."""

    name: str
    """The file name in its URL."""
    key: str
    """The key in the file store."""


class AvatarChange(msgspec.Struct):
    """A new avatar, no avatar (None), or no change (UNSET)."""

    image: StoredImage | Unset | None
    replaced: str | None = None
    """The key of the previous avatar in the file store."""

    def columns(self, previous: str | None) -> dict[str, str | None]:
        """What the row of the owner gets; the image with the key `previous` is removed afterward."""
        self.replaced, image = previous, self.image
        return {"avatar": image.name if image else None, "avatar_key": image.key if image else None}


@asynccontextmanager
async def staged_avatar(files: Files, upload: Upload | Unset | None, of: str = "user") -> AsyncGenerator[AvatarChange]:
    """Store the new image for the block. Afterward the previous image is removed, or the new one if the block failed."""
    change = AvatarChange(await _store(files, upload, of) if isinstance(upload, Upload) else upload)
    try:
        yield change
    except BaseException:
        if isinstance(change.image, StoredImage):
            await files.remove(change.image.key)
        raise
    if change.replaced is not None:
        await files.remove(change.replaced)


def submitted_avatar(avatar: Upload | Unset | None, *, remove: bool | Unset = False) -> Upload | Unset | None:
    """The avatar of a form, to be staged: an empty file field changes nothing, unless the avatar is to be removed."""
    if remove:
        return None
    return UNSET if isinstance(avatar, Upload) and not avatar.data else avatar


async def put(tx: Tx, actor: Actor, user_id: int, change: AvatarChange) -> None:
    """Set or remove the avatar of a user."""
    if change.image is not UNSET:
        await update(tx, "users", change.columns(await key_of(tx, user_id)), id=user_id)
        await record(tx, "user.avatar_changed", actor, subject_id=user_id)


async def key_of(tx: Tx, user_id: int) -> str | None:
    """The key of the user's avatar in the file store."""
    return await tx.value("SELECT u.avatar_key FROM users u WHERE u.id = :id", id=user_id)


async def find_avatar(tx: Tx, user_id: int, name: str) -> str | None:
    """The key in the file store of the user's avatar with this file name, if it is the current one."""
    return await tx.value(
        "SELECT u.avatar_key FROM users u WHERE u.id = :id AND u.avatar = :name AND u.deleted_at IS NULL",
        id=user_id,
        name=name,
    )


async def _store(files: Files, upload: Upload, of: str) -> StoredImage:
    if len(upload.data) > MAX_BYTES:
        raise errors.invalid({"avatar": ["is too big (should be at most 200 KB)"]})
    try:
        encoded = await asyncio.to_thread(reencode, upload.data)
    except TooManyPixels:
        raise errors.invalid({"avatar": [f"has too many pixels (should have at most {MAX_PIXELS:,})"]}) from None
    if encoded is None:
        raise errors.invalid({"avatar": [errors.NO_IMAGE]})
    data, suffix = encoded
    image = StoredImage(_name(upload.filename, suffix), f"avatars/{of}/{uuid.uuid4().hex}{suffix}")
    await files.put(image.key, data)
    return image


class TooManyPixels(Exception):
    """An image that would take too much memory once decoded."""


def reencode(data: bytes) -> tuple[bytes, str] | None:
    """The re-encoded image and its suffix; None if the data is no image. It takes milliseconds: run it in a thread."""
    images, operations = deferred_imports.pillow()
    try:
        with images.open(BytesIO(data), formats=_ACCEPTED_FORMATS) as source:
            if source.width * source.height > MAX_PIXELS:
                raise TooManyPixels  # noqa: TRY301 - the same as what the decoder raises
            photo = source.format == "JPEG"
            image = operations.exif_transpose(source).convert("RGB" if photo else "RGBA")
    except (TooManyPixels, images.DecompressionBombError, images.DecompressionBombWarning):
        raise TooManyPixels from None
    except Exception:  # noqa: BLE001 - decoders raise exceptions of any type for invalid data
        return None
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    output = BytesIO()
    image.save(output, "JPEG" if photo else "PNG", quality=90)
    return output.getvalue(), ".jpg" if photo else ".png"


def _name(filename: str, suffix: str) -> str:
    """The file name that the client sent, reduced to characters that are safe in a URL."""
    stem = PurePosixPath(filename.replace("\\", "/")).stem
    return (re.sub(r"[^A-Za-z0-9_-]+", "_", stem).strip("_")[:_MAX_NAME_LENGTH] or "avatar") + suffix
