"""The conditions and orders of lists of packages."""

from typing import Final, LiteralString

from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters, compared
from mujina.kernel.text.folding import like
from mujina.publishing.packages.params import ListPackages

_NAMES: Filters = {
    "package_type": compared("pk.package_type"),
    "package_name": lambda name, words: Sql(
        f"lower(pk.name) LIKE :{name} ESCAPE '\\'", **{name: f"%{like(words.lower())}%"}
    ),
}
"""The filters by which packages are counted: the number of versions of each name is kept."""
_FILTERS: Filters = {"package_version": compared("pk.version"), "status": compared("pk.status")}
_FEW: Final[LiteralString] = "500"
"""Packages that are found by their names and then sorted."""
_ORDERS: Final[dict[str, Order]] = {
    "created_at": ascending("pk.created_at", "pk.id"),
    "name": ascending("pk.name", "pk.id"),
    "version": ascending("pk.version", "pk.id"),
    "type": ascending("pk.package_type", "pk.id"),
    "project_path": ascending("(SELECT r.path FROM routes r WHERE r.project_id = pk.project_id)", "pk.id"),
    "id": ascending("pk.id"),
}


async def apply_filters(tx: Tx, packages: Selection, query: ListPackages) -> Selection:
    """Apply the filters of the query."""
    return filters.apply_filters(await _select_named(tx, packages, query), query, _FILTERS)


async def _select_named(tx: Tx, packages: Selection, query: ListPackages) -> Selection:
    """The packages of the type and with the words in their names that the query asks for.

    Names are looked through once. The packages of a few are then found by name; many are met soon along the order.
    """
    found = filters.apply_filters(packages, query, _NAMES)
    if found is packages:
        return packages
    named: LiteralString = f"FROM package_name_counts pk WHERE {found.condition}"
    text: LiteralString = f"SELECT pk.package_type, pk.name, pk.n {named} LIMIT {_FEW}"
    names = await tx.rows(tuple[str, str, int], text, **found.bound)
    if len(names) == int(_FEW):
        return found.counted(Sql(f"SELECT CAST(coalesce(sum(pk.n), 0) AS bigint) {named}"))
    total = sum(n for _, _, n in names)
    if total <= int(_FEW):
        types = [type_ for type_, _, _ in names]
        found = found.where(
            "pk.package_type IN :types AND pk.name IN :names", types=types, names=[name for _, name, _ in names]
        ).collected("pk")
    return found.counted(total)


def order(query: ListPackages) -> Order:
    """The order that the query asks for."""
    return _ORDERS[query.order_by].directed(query.sort)
