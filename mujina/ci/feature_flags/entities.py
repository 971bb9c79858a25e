"""Feature flags as responses show them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from mujina.ci.feature_flags.params import ListFeatureFlags
from mujina.ci.feature_flags.rules import FeatureFlagRow, flags_of
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows

VERSION: Final = "new_version_flag"


class FlagScope(msgspec.Struct):
    id: int
    environment_scope: str


class StrategyUserList(msgspec.Struct):
    id: int
    iid: int
    name: str
    user_xids: str


class Strategy(msgspec.Struct):
    id: int
    name: str
    parameters: dict[str, Any]
    scopes: list[FlagScope]
    user_list: StrategyUserList | None


class FeatureFlag(msgspec.Struct):
    name: str
    description: str | None
    active: bool
    version: str
    created_at: str
    updated_at: str
    scopes: list[FlagScope]
    """Always empty: scopes belong to strategies."""
    strategies: list[Strategy]


class _UserListRow(Row, alias="ul"):
    id: int
    iid: int
    name: str
    user_xids: str


class _StrategyRow(Row, alias="st"):
    id: int
    flag_id: int
    name: str
    parameters: str
    user_list: _UserListRow | None


async def load_page(tx: Tx, project_id: int, query: ListFeatureFlags, page: Page) -> Paged[FeatureFlag]:
    """One page of the flags of a project by name: four statements."""
    selection = flags_of(project_id)
    if query.scope is not UNSET:
        selection = selection.where("ff.active" if query.scope == "enabled" else "NOT ff.active")
    found = await load_rows(tx, FeatureFlagRow, selection, ascending("ff.name", "ff.id"), page)
    return found.with_items(await to_entities(tx, found.items))


async def load_all(tx: Tx, project_id: int) -> list[FeatureFlag]:
    """All flags of a project by name."""
    rows = await tx.rows(
        FeatureFlagRow,
        f"SELECT {FeatureFlagRow.columns} FROM feature_flags ff WHERE ff.project_id = :project_id ORDER BY ff.name",
        project_id=project_id,
    )
    return await to_entities(tx, rows)


async def to_entities(tx: Tx, rows: Sequence[FeatureFlagRow]) -> list[FeatureFlag]:
    """These flags with their strategies, oldest first: two statements."""
    found = await tx.rows(
        _StrategyRow,
        f"""SELECT {_StrategyRow.columns} FROM feature_flag_strategies st LEFT JOIN user_lists ul ON ul.id = st.user_list_id
            WHERE st.flag_id IN :ids ORDER BY st.id""",
        ids=[row.id for row in rows],
    )
    scopes = await _scopes_of(tx, [row.id for row in found])
    strategies: dict[int, list[Strategy]] = defaultdict(list)
    for row in found:
        strategies[row.flag_id].append(_to_strategy(row, scopes.get(row.id, [])))
    return [
        to_entity(FeatureFlag, row, version=VERSION, scopes=[], strategies=strategies.get(row.id, [])) for row in rows
    ]


def _to_strategy(row: _StrategyRow, scopes: list[FlagScope]) -> Strategy:
    user_list = row.user_list and to_entity(StrategyUserList, row.user_list)
    return to_entity(Strategy, row, parameters=msgspec.json.decode(row.parameters), scopes=scopes, user_list=user_list)


async def _scopes_of(tx: Tx, ids: list[int]) -> dict[int, list[FlagScope]]:
    rows = await tx.rows(
        tuple[int, int, str],
        """SELECT sc.strategy_id, sc.id, sc.environment_scope FROM feature_flag_scopes sc WHERE sc.strategy_id IN :ids
           ORDER BY sc.id""",
        ids=ids,
    )
    found: dict[int, list[FlagScope]] = defaultdict(list)
    for strategy_id, scope_id, environment_scope in rows:
        found[strategy_id].append(FlagScope(scope_id, environment_scope))
    return found
