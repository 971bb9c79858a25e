"""The release of a tag: one row, whether the routes of tags, those of releases or a job write it."""

from collections.abc import Mapping
from typing import Final

from mujina.code.pushes.changes import TAGS, ZERO
from mujina.code.tags.rules import StoredRelease, find_stored
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.events import Event, record
from mujina.kernel.permissions.actor import Actor

MAX_DESCRIPTION_LENGTH: Final = 1_000_000


def check_description(description: str) -> None:
    """400 if the description of a release is blank."""
    if not description.strip():
        raise errors.invalid({"description": [errors.BLANK]})


async def insert_release(tx: Tx, actor: Actor, project_id: int, tag: str, **columns: Value) -> int:
    """Write the release of a tag that has none; 409 if it has one. The caller records it, with what belongs to it."""
    values: dict[str, Value] = {"description": "", "released_at": clock.now(), **columns}
    release_id: int | None = await insert_id(
        tx, "releases", "ON CONFLICT (project_id, tag) DO NOTHING", project_id=project_id, tag=tag,
        author_id=actor.id or None, **values, **timestamps(),
    )  # fmt: skip
    if release_id is None:
        raise errors.conflict("Release already exists")
    return release_id


async def create_release(tx: Tx, actor: Actor, project_id: int, tag: str, description: str) -> None:
    """Describe a tag that has no release; 409 if it has one."""
    text = description[:MAX_DESCRIPTION_LENGTH]
    release_id = await insert_release(tx, actor, project_id, tag, description=text)
    await record(tx, "release.created", actor, subject_id=release_id, project_id=project_id)


async def edit_release(tx: Tx, actor: Actor, project_id: int, tag: str, description: str) -> None:
    """Change the description of the tag's release; 404 if it has none."""
    release = errors.or_not_found(await find_stored(tx, project_id, tag), "Release")
    await update_release(tx, actor, release, {"description": description[:MAX_DESCRIPTION_LENGTH]})


async def update_release(tx: Tx, actor: Actor, release: StoredRelease, columns: Mapping[str, Value]) -> None:
    """Write these columns; a release that stays as it is gets no event."""
    changes = changed_columns(release, columns)
    if changes:
        await update(tx, "releases", {**columns, "updated_at": clock.now()}, id=release.id)
        await record(
            tx, "release.updated", actor, subject_id=release.id, project_id=release.project_id, changes=changes
        )


async def lock_release(tx: Tx, release_id: int) -> bool:
    """Until the transaction ends, no other one changes the release or what belongs to it. False if it was deleted."""
    return await tx.value("SELECT rel.id FROM releases rel WHERE rel.id = :id FOR UPDATE", id=release_id) is not None


async def touch_release(tx: Tx, actor: Actor, release: StoredRelease) -> None:
    """What belongs to the release has changed."""
    await update(tx, "releases", {"updated_at": clock.now()}, id=release.id)
    await record(tx, "release.updated", actor, subject_id=release.id, project_id=release.project_id)


async def describe(tx: Tx, actor: Actor, project_id: int, tag: str, description: str) -> None:
    """Set the description of the tag's release, which may be a new one."""
    store = create_release if await find_stored(tx, project_id, tag) is None else edit_release
    await store(tx, actor, project_id, tag, description)


async def remove_release(tx: Tx, actor: Actor, release: StoredRelease) -> None:
    """Delete the release with all that belongs to it; the tag stays. 404 if another request has deleted the release."""
    await record(
        tx, "release.deleted", actor, subject_id=release.id, project_id=release.project_id,
        changes={"tag": (release.tag, None)},
    )  # fmt: skip
    await delete_row(tx, "releases", "Release", id=release.id)


async def follow_tag(tx: Tx, event: Event) -> None:
    """A tag that was deleted, by whatever means, has no release; another tag of its name starts without one."""
    ref: str = event.changes["ref"]
    if event.project_id is None or not ref.startswith(TAGS):
        return
    release = await find_stored(tx, event.project_id, ref.removeprefix(TAGS))
    if release is None or not await lock_release(tx, release.id):
        return
    if event.changes["sha"][1] == ZERO:
        await remove_release(tx, event.actor, release)
    else:
        await outdate_releases(tx, release.project_id, [release.tag])


async def outdate_releases(tx: Tx, project_id: int, tags: list[str]) -> None:
    """The releases of these tags show another commit from now on: writing their rows outdates their documents."""
    await tx.run(
        "UPDATE releases SET tag = tag WHERE project_id = :project_id AND tag IN :tags",
        project_id=project_id,
        tags=tags,
    )


async def descriptions(tx: Tx, project_id: int, tags: list[str]) -> dict[str, str]:
    """The release descriptions of these tags."""
    return dict(
        await tx.rows(
            tuple[str, str],
            "SELECT rel.tag, rel.description FROM releases rel WHERE rel.project_id = :project_id AND rel.tag IN :tags",
            project_id=project_id,
            tags=tags,
        )
    )
