"""Payloads about releases."""

from typing import Annotated, Final, LiteralString

import msgspec

from mujina.code.tags.rules import StoredRelease
from mujina.integrations.payloads import objects
from mujina.integrations.payloads.events import HookEventRow, Payload, for_project
from mujina.integrations.payloads.objects import Facts, Object, ProjectFacts
from mujina.kernel.urls import web
from mujina.publishing.releases.entities import SOURCE_FORMATS
from mujina.publishing.releases.rules import ReleaseLinkRow

RELEASES: Final[LiteralString] = "releases rel"
_ACTIONS: Final = {"created": "create", "updated": "update", "deleted": "delete", "tested": "create"}


class ReleaseSnapshot(StoredRelease):
    """A release with its links as they were."""

    created_at: str
    linked: Annotated[
        str | None,
        f"""(SELECT CAST(json_agg(json_build_array({ReleaseLinkRow.columns}) ORDER BY link.id DESC) AS text)
            FROM release_links link WHERE link.release_id = rel.id)""",
    ]

    @property
    def links(self) -> list[ReleaseLinkRow]:
        return msgspec.json.decode(self.linked, type=list[ReleaseLinkRow], strict=False) if self.linked else []


async def build_release(facts: Facts, event: HookEventRow) -> list[Payload]:
    """The payload about a release that was created, edited or deleted."""
    release = msgspec.json.decode(event.snapshot, type=ReleaseSnapshot, strict=False)
    row = await facts.project(release.project_id)
    if row is None:
        return []
    links = [{"id": link.id, "link_type": link.link_type, "name": link.name, "url": link.url} for link in release.links]
    sources = [{"format": suffix, "url": _source(row, release.tag, suffix)} for suffix in SOURCE_FORMATS]
    body: Object = {
        "id": release.id,
        "created_at": objects.time(release.created_at),
        "description": release.description,
        "name": release.name or release.tag,
        "released_at": objects.time(release.released_at),
        "tag": release.tag,
        "object_kind": "release",
        "project": objects.project(row),
        "url": web(f"/{row.full_path}/-/releases/{release.tag}"),
        "action": _ACTIONS[event.verb],
        "assets": {"count": len(links) + len(sources), "links": links, "sources": sources},
        "commit": await facts.commit(row, f"refs/tags/{release.tag}"),
    }
    return [for_project("releases_events", body)]


def _source(row: ProjectFacts, tag: str, suffix: str) -> str:
    return web(f"/{row.full_path}/-/archive/{tag}/{row.path}-{tag.replace('/', '-')}.{suffix}")
