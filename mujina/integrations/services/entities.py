"""Services as responses show them: never with a secret."""

from typing import Any

import msgspec

from mujina.integrations.services.kinds import CATALOG, EVENTS
from mujina.integrations.services.rules import ServiceRow
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows


class ConnectedService(msgspec.Struct, kw_only=True):
    """A service of a project; one that was never saved has no id."""

    id: int | None
    title: str
    slug: str
    created_at: str | None
    updated_at: str | None
    active: bool
    push_events: bool
    issues_events: bool
    confidential_issues_events: bool
    merge_requests_events: bool
    note_events: bool
    confidential_note_events: bool
    tag_push_events: bool
    job_events: bool
    pipeline_events: bool
    wiki_page_events: bool


class ServiceDetail(ConnectedService, kw_only=True):
    properties: dict[str, Any]
    """The fields that are not secret, null if they are not set; none before the service is saved."""


def to_service(slug: str, row: ServiceRow | None) -> ServiceDetail:
    """The service as it was saved, or as it is before that."""
    stored = {} if row is None else row.read_properties()
    fields = () if row is None else CATALOG[slug].fields
    properties = {field.name: stored.get(field.name) for field in fields if field.kind != "secret"}
    return ServiceDetail(**_facts(slug, row), properties=properties)


async def load_active(tx: Tx, project_id: int, page: Page) -> Paged[ConnectedService]:
    """One page of the active services of a project, by slug."""
    selection = Selection("services s", "s.project_id = :project_id AND s.active", project_id=project_id)
    rows = await load_rows(tx, ServiceRow, selection, ascending("s.slug", "s.id"), page)
    return rows.map(lambda row: ConnectedService(**_facts(row.slug, row)))


async def load_slugs(tx: Tx, project_id: int) -> dict[str, bool]:
    """The services that were saved, and whether each is active."""
    rows = await tx.rows(
        tuple[str, bool], "SELECT s.slug, s.active FROM services s WHERE s.project_id = :id", id=project_id
    )
    return {slug: bool(active) for slug, active in rows}


def _facts(slug: str, row: ServiceRow | None) -> dict[str, Any]:
    events = [] if row is None else row.read_events()
    return {
        "id": row and row.id, "title": CATALOG[slug].title, "slug": slug, "created_at": row and row.created_at,
        "updated_at": row and row.updated_at, "active": row is not None and row.active,
        **{name: name in events for name in EVENTS},
    }  # fmt: skip
