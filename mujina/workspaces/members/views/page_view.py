"""Members as their page shows them: with where their access comes from."""

from typing import Annotated

import msgspec

from mujina.kernel.db.sql.selection import ascending, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.members import filters
from mujina.workspaces.members.entities import Member, MemberView
from mujina.workspaces.members.params import ListMembers
from mujina.workspaces.members.rules import Source, find_source
from mujina.workspaces.owners.rules import OwnerRule


def source_of(request: PageRequest) -> Source:
    """The project or group of the address."""
    assert request.container is not None
    return Source(request.container.kind, request.container.row.id)


async def find_page_source(tx: Tx, request: PageRequest, *, to: OwnerRule) -> Source:
    """The project or group in the transaction of a form, if the actor may do this with its members."""
    source = source_of(request)
    return await find_source(tx, request.actor, source.kind, Ref.of(source.id), to=to)


def members_page(request: PageRequest) -> str:
    """The address of the page of its members."""
    return f"{request.here}/{source_of(request).kind}_members"


class GrantView(MemberView):
    source: Annotated[str, "m.source"]
    group_id: Annotated[int, "m.group_id"]


class SourceGroup(msgspec.Struct, array_like=True, frozen=True):
    """A group that gives access, if the reader may see it."""

    id: int
    name: str
    path: str


class MemberOnPage(msgspec.Struct, frozen=True):
    member: Member
    created_at: str
    source: str
    """direct, inherited, shared, or owner of the namespace."""
    group: SourceGroup | None
    """The group through which an inherited or shared grant comes; None also if the reader may not see it."""


async def load_page(
    tx: Tx, actor: Actor, source: Source, query: ListMembers, page: Page, *, by_address: bool
) -> Paged[MemberOnPage]:
    """One page of members, the highest levels first."""
    selection = filters.grants(source, query, by_address=by_address)
    order = descending("m.level") + ascending("u.name_folded", "u.id", "m.source")
    rows = await load_rows(tx, GrantView, selection, order, page)
    groups = await _groups(tx, actor, {row.group_id for row in rows.items if row.source in ("inherited", "shared")})
    return rows.map(lambda row: MemberOnPage(row.member(), row.created_at, row.source, groups.get(row.group_id)))


async def _groups(tx: Tx, actor: Actor, ids: set[int]) -> dict[int, SourceGroup]:
    if not ids:
        return {}
    rows = await tx.rows(
        SourceGroup,
        f"""SELECT g.id, n.full_name, r.path FROM groups g JOIN namespaces n ON n.id = g.id
            JOIN routes r ON r.namespace_id = g.id WHERE g.id IN :ids AND {READ_GROUP.for_scan}""",
        ids=sorted(ids),
        **actor.bound,
    )
    return {row.id: row for row in rows}
