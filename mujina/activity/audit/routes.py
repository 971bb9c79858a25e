"""The audit log: of the instance for administrators, of a group or project for its owners."""

from typing import Literal

from mujina.activity.audit import entities, filters
from mujina.activity.audit.entities import AuditEvent
from mujina.activity.audit.params import ListAllAuditEvents, ListAuditEvents
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import get
from mujina.workspaces.groups.rules import ADMIN_GROUP, find_group
from mujina.workspaces.projects.rules import OWN_PROJECT, find_project

EntityKind = Literal["project", "group"]


@get("/audit_events", admin=True)
async def list_all_audit_events(call: Call, query: ListAllAuditEvents, page: Page) -> Paged[AuditEvent]:
    async with call.searching() as tx:
        return await entities.load_page(tx, filters.of_all(query), page)


@get("/audit_events/:id", admin=True)
async def show_any_audit_event(call: Call, id: int) -> AuditEvent:
    async with call.reading() as tx:
        return await entities.load_one(tx, filters.of_all(ListAllAuditEvents()), id)


@get(project="/projects/:id/audit_events", group="/groups/:id/audit_events")
async def list_audit_events(
    call: Call, kind: EntityKind, id: Ref, query: ListAuditEvents, page: Page
) -> Paged[AuditEvent]:
    async with call.searching() as tx:
        return await entities.load_page(tx, await _of_owner(tx, call, kind, id, query), page)


@get(project="/projects/:id/audit_events/:audit_event_id", group="/groups/:id/audit_events/:audit_event_id")
async def show_audit_event(call: Call, kind: EntityKind, id: Ref, audit_event_id: int) -> AuditEvent:
    async with call.reading() as tx:
        return await entities.load_one(tx, await _of_owner(tx, call, kind, id, ListAuditEvents()), audit_event_id)


async def _of_owner(tx: Tx, call: Call, kind: EntityKind, id: Ref, query: ListAuditEvents) -> Selection:
    """The entries of a project or group that the actor owns; 403 or 404 otherwise."""
    if kind == "group":
        return filters.of_entity("Group", (await find_group(tx, call.actor, id, to=ADMIN_GROUP)).id, query)
    return filters.of_entity("Project", (await find_project(tx, call.actor, id, to=OWN_PROJECT)).id, query)
