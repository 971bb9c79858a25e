"""Who sees and changes the services of a project, and the only way to load one."""

from typing import Any, Final, LiteralString

import msgspec

from mujina.integrations.services.kinds import CATALOG, KnownService
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.rules import Condition
from mujina.workspaces.projects.rules import ADMIN_PROJECT, READ_PROJECT

ADMIN_SERVICES: Final = ADMIN_PROJECT
READ_EXTERNAL_WIKI: Final = READ_PROJECT & Condition(
    "has_external_wiki",
    "EXISTS (SELECT 1 FROM services s WHERE s.project_id = p.id AND s.slug = 'external-wiki' AND s.active)",
)


class ServiceRow(Row, alias="s"):
    id: int
    project_id: int
    slug: str
    active: bool
    properties: str
    """JSON, as are the events."""
    secrets: str
    """Encrypted."""
    events: str
    created_at: str
    updated_at: str

    def read_properties(self) -> dict[str, Any]:
        return msgspec.json.decode(self.properties)

    def read_events(self) -> list[str]:
        return msgspec.json.decode(self.events)


def known_service(slug: str) -> tuple[str, KnownService]:
    """The slug as the catalog spells it, and what the catalog says; 404 for any other."""
    slug = slug.replace("_", "-")
    if slug not in CATALOG:
        raise errors.not_found("Service")
    return slug, CATALOG[slug]


def check_slug(slug: str) -> str:
    """The slug as the catalog spells it; 400 for any other, as the API answers."""
    try:
        return known_service(slug)[0]
    except errors.NotFound:
        raise errors.unacceptable("service_slug does not have a valid value") from None


async def service_of(tx: Tx, project_id: int, slug: str, *, lock: bool = False) -> ServiceRow | None:
    """The service of the project as it was saved; None if it never was."""
    locked: LiteralString = " FOR UPDATE" if lock else ""
    text = f"SELECT {ServiceRow.columns} FROM services s WHERE s.project_id = :project_id AND s.slug = :slug{locked}"
    return await tx.row(ServiceRow, text, project_id=project_id, slug=slug)


async def find_service(tx: Tx, project_id: int, slug: str, *, lock: bool = False) -> ServiceRow:
    """The service of the project; 404 if it was never saved."""
    return errors.or_not_found(await service_of(tx, project_id, slug, lock=lock), "Service")
