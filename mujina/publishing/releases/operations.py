"""Creating, editing and deleting releases and their links."""

import re
from collections.abc import Mapping
from typing import Any, Final

from mujina.code.commits.operations import Repository
from mujina.code.protected_tags.rules import may_create, tag_protections
from mujina.code.tags import operations as tags
from mujina.code.tags.releases import (
    MAX_DESCRIPTION_LENGTH,
    insert_release,
    lock_release,
    touch_release,
    update_release,
)
from mujina.code.tags.rules import find_stored
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import delete_row, insert_each, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import TAKEN, Problems
from mujina.kernel.events import record
from mujina.kernel.http import params
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import is_url
from mujina.planning.milestones.rules import USABLE
from mujina.publishing.releases.params import (
    CreateRelease,
    CreateReleaseLink,
    EditReleaseLink,
    ReleaseChange,
    ReleaseLinkChange,
)
from mujina.publishing.releases.rules import ReleaseLinkRow, ReleaseRow
from mujina.workspaces.projects.rules import ProjectRow

MAX_NAME_LENGTH: Final = 255
MAX_URL_LENGTH: Final = 2_000
MAX_PATH_LENGTH: Final = 128
_LINK_SCHEMES: Final = ("http", "https", "ftp")
_PATH: Final = re.compile(r"/([\w.-]+/)*[\w.-]*\w")


async def create(
    services: Services, actor: Actor, project: ProjectRow, code: Repository, change: CreateRelease
) -> None:
    """A new release with its links and its milestones, and with its tag if there is none.

    A refused release leaves no new tag. If the process or the database fails between the two, the tag stays, as after a push,
    and the same request creates the release for it. The caller holds the lock of the repository.
    """
    columns, links = _columns(change), _links(change)
    async with services.database.reading() as tx:
        if await find_stored(tx, project.id, change.tag_name) is not None:
            raise errors.conflict("Release already exists")
        await _find_milestones(tx, project, change)
        protections = await tag_protections(tx, actor, project.id, project.level)
    if not may_create(protections, change.tag_name):
        raise errors.forbidden("The tag is protected")
    creates = not tags.exists(code, change.tag_name)
    if creates:
        if not change.ref:
            raise errors.Unprocessable({"message": "Ref is not specified"})
        await tags.create(
            services, actor, project.id, code, change.tag_name, change.ref, (change.tag_message or "").strip()
        )
    try:
        async with services.database.transaction() as tx:
            release_id = await insert_release(tx, actor, project.id, change.tag_name, **columns)
            await _store_links(tx, release_id, links)
            await _store_milestones(tx, release_id, await _find_milestones(tx, project, change) or [])
            await record(tx, "release.created", actor, subject_id=release_id, project_id=project.id)
    except errors.ApiError:
        if creates:
            target = tags.find_target(code, change.tag_name)
            await tags.remove(services, actor, project.id, change.tag_name, target)
        raise


async def edit(tx: Tx, actor: Actor, project: ProjectRow, release: ReleaseRow, change: ReleaseChange) -> None:
    """Apply the change; an empty list of milestones removes them."""
    milestones = await _find_milestones(tx, project, change)
    await update_release(tx, actor, release, _columns(change))
    if milestones is not None:
        await tx.run("DELETE FROM release_milestones WHERE release_id = :id", id=release.id)
        await _store_milestones(tx, release.id, milestones)


def _columns(change: ReleaseChange) -> dict[str, Value]:
    """The columns that the request gives; 400 for a text that is too long."""
    columns: dict[str, Value] = {}
    if change.name is not UNSET:
        columns["name"] = (change.name or "").strip() or None
    if change.description is not UNSET:
        columns["description"] = change.description or ""
    if change.released_at is not UNSET:
        columns["released_at"] = change.released_at
    problems = Problems()
    problems.limit("name", change.name or None, MAX_NAME_LENGTH)
    problems.limit("description", change.description or None, MAX_DESCRIPTION_LENGTH)
    problems.refuse()
    return columns


async def _find_milestones(tx: Tx, project: ProjectRow, change: ReleaseChange) -> list[int] | None:
    """The milestones that the request names, of the project or of a group above it; None if it does not say."""
    ids = [] if change.milestone_ids is UNSET else change.milestone_ids
    titles = [] if change.milestones is UNSET else change.milestones
    if change.milestone_ids is UNSET and change.milestones is UNSET:
        return None
    found = await tx.rows(
        tuple[int, str],
        f"SELECT ms.id, ms.title FROM milestones ms WHERE (ms.id IN :ids OR ms.title IN :titles) AND {USABLE}",
        ids=ids, titles=titles, project_id=project.id, namespace_id=project.namespace_id,
    )  # fmt: skip
    known = {str(each) for row in found for each in row}
    missing = [str(each) for each in (*ids, *titles) if str(each) not in known]
    if missing:
        raise errors.bad_request(f"Milestone(s) not found: {', '.join(missing)}")
    return sorted(milestone_id for milestone_id, _ in found)


async def _store_milestones(tx: Tx, release_id: int, milestone_ids: list[int]) -> None:
    rows = [{"release_id": release_id, "milestone_id": milestone_id} for milestone_id in milestone_ids]
    await insert_each(tx, "release_milestones", rows)


def _links(change: CreateRelease) -> list[dict[str, Value]]:
    """The links of the request, each checked; 400 if two have the same name or address."""
    trees = [] if change.assets is UNSET or change.assets.links is UNSET else change.assets.links
    links = [_link_columns(params.read(CreateReleaseLink, tree)) for tree in trees]
    for name in ("name", "url", "filepath"):
        values = [link[name] for link in links if link.get(name) is not None]
        if len(values) > len(set(values)):
            raise errors.taken(name)
    return links


async def _store_links(tx: Tx, release_id: int, links: list[dict[str, Value]]) -> None:
    for link in links:
        await insert_id(tx, "release_links", release_id=release_id, **link, **timestamps())


def _link_columns(change: CreateReleaseLink | EditReleaseLink) -> dict[str, Value]:
    """The columns that the request gives; 400 for an address or a path that cannot be one."""
    given = change.sent_fields()
    columns: dict[str, Any] = {name: given[name] for name in ("name", "url", "link_type") if name in given}
    path = _path_of(change)
    if path is not UNSET:
        columns["filepath"] = path or None
    _check_link(columns)
    return columns


def _path_of(change: ReleaseLinkChange) -> str | params.Unset | None:
    return change.filepath if change.direct_asset_path is UNSET else change.direct_asset_path


def _check_link(columns: Mapping[str, str | None]) -> None:
    problems = Problems()
    for name, limit in (("name", MAX_NAME_LENGTH), ("url", MAX_URL_LENGTH)):
        if name in columns:
            problems.require(name, columns[name], limit)
    if "url" in columns and not is_url(columns["url"] or "", _LINK_SCHEMES):
        problems.add("url", "is blocked: Only allowed schemes are http, https, ftp")
    path = columns.get("filepath")
    problems.limit("filepath", path, MAX_PATH_LENGTH)
    if path and (not _PATH.fullmatch(path) or ".." in path.split("/")):
        problems.add("filepath", "is in an invalid format")
    problems.refuse()


async def add_link(tx: Tx, actor: Actor, release: ReleaseRow, change: CreateReleaseLink) -> int:
    """A new link of the release; its name and its address are unique in it."""
    columns = _link_columns(change)
    await _check_unique(tx, release.id, 0, columns)
    link_id: int = await insert_id(tx, "release_links", release_id=release.id, **columns, **timestamps())
    await touch_release(tx, actor, release)
    return link_id


async def edit_link(tx: Tx, actor: Actor, release: ReleaseRow, link: ReleaseLinkRow, change: EditReleaseLink) -> None:
    """Apply the change to a link."""
    columns = _link_columns(change)
    await _check_unique(tx, release.id, link.id, columns)
    await update(tx, "release_links", {**columns, "updated_at": clock.now()}, id=link.id)
    await touch_release(tx, actor, release)


async def remove_link(tx: Tx, actor: Actor, release: ReleaseRow, link: ReleaseLinkRow) -> None:
    await delete_row(tx, "release_links", "Link", id=link.id)
    await touch_release(tx, actor, release)


async def _check_unique(tx: Tx, release_id: int, link_id: int, columns: Mapping[str, Value]) -> None:
    """400 if another link of the release has the name, the address or the path. The release is locked from here on."""
    await lock_release(tx, release_id)
    others = await tx.rows(
        tuple[str, str, str | None],
        "SELECT link.name, link.url, link.filepath FROM release_links link WHERE link.release_id = :id AND link.id <> :own",
        id=release_id,
        own=link_id,
    )
    problems = Problems()
    for position, name in enumerate(("name", "url", "filepath")):
        if columns.get(name) is not None and columns[name] in {other[position] for other in others}:
            problems.add(name, TAKEN)
    problems.refuse()
