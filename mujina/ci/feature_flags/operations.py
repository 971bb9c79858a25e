"""Creating, editing and deleting feature flags, and the token with which programs ask for them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET

from mujina.ci.feature_flags.params import (
    CreateFeatureFlag,
    EditFeatureFlag,
    FeatureFlagChange,
    ScopeParams,
    StrategyParams,
)
from mujina.ci.feature_flags.rules import FeatureFlagRow
from mujina.ci.feature_flags.strategies import check_parameters
from mujina.ci.variables.operations import check_scope
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import Row, changed_columns, delete_row, insert, insert_id, timestamps, update, upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http import params
from mujina.kernel.http.params import Tree
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.secrets import UnreadableSecret, Vault

TOKEN: Final = "feature_flag_clients.token"  # noqa: S105 - the purpose for which tokens are encrypted
MAX_NAME_LENGTH: Final = 63
MAX_DESCRIPTION_LENGTH: Final = 1000
MAX_PARTS: Final = 100
"""Strategies of a flag, and scopes of a strategy."""
BAD_NAME: Final = "must begin with a letter, end with a letter or digit, and contain only a-z, 0-9, '_' and '-'"
_NAME = re.compile(r"[a-z](?:[a-z0-9_-]*[a-z0-9])?", re.ASCII)

Item = TypeVar("Item")


class _StrategyRow(Row, alias="st"):
    id: int
    name: str
    parameters: str
    user_list_id: int | None


async def create(tx: Tx, actor: Actor, project_id: int, change: CreateFeatureFlag) -> None:
    """A new flag; it is on unless the request says otherwise."""
    columns = _columns(change)
    with unique("name"):
        flag_id: int = await insert_id(
            tx, "feature_flags", project_id=project_id, **{"active": True, **columns}, **timestamps()
        )
    await _store_strategies(tx, project_id, flag_id, change)
    await record(
        tx,
        "feature_flag.created",
        actor,
        subject_id=flag_id,
        project_id=project_id,
        changes={"name": (None, change.name)},
    )


async def edit(tx: Tx, actor: Actor, flag: FeatureFlagRow, change: EditFeatureFlag) -> None:
    """Apply the change; strategies that it does not name stay."""
    columns = _columns(change)
    with unique("name"):
        await update(tx, "feature_flags", {**columns, "updated_at": clock.now()}, id=flag.id)
    await _store_strategies(tx, flag.project_id, flag.id, change)
    await record(
        tx,
        "feature_flag.updated",
        actor,
        subject_id=flag.id,
        project_id=flag.project_id,
        changes=changed_columns(flag, columns),
    )


async def remove(tx: Tx, actor: Actor, flag: FeatureFlagRow) -> None:
    await delete_row(tx, "feature_flags", "Feature Flag", id=flag.id)
    await record(
        tx,
        "feature_flag.deleted",
        actor,
        subject_id=flag.id,
        project_id=flag.project_id,
        changes={"name": (flag.name, None)},
    )


async def read_token(tx: Tx, vault: Vault, project_id: int) -> str | None:
    """The token with which programs ask for the flags of the project; None if there is none, or its key is lost."""
    stored: str | None = await tx.value(
        """SELECT fc.token FROM feature_flag_clients fc JOIN projects p ON p.id = fc.project_id
           WHERE fc.project_id = :project_id AND p.deleted_at IS NULL""",
        project_id=project_id,
    )
    try:
        return stored and vault.decrypt(stored, TOKEN)
    except UnreadableSecret:
        return None


async def renew_token(tx: Tx, vault: Vault, actor: Actor, project_id: int) -> None:
    """A new token; programs with the old one get no flags any more."""
    token = vault.encrypt(secrets.new_token(), TOKEN)
    await upsert(tx, "feature_flag_clients", "project_id", project_id=project_id, token=token)
    await record(tx, "feature_flag_client.updated", actor, subject_id=project_id, project_id=project_id)


def _columns(change: CreateFeatureFlag | EditFeatureFlag) -> dict[str, Any]:
    """The columns that the request gives; 400 for what cannot be stored."""
    columns = {name: value for name, value in change.sent_fields().items() if name in ("name", "description", "active")}
    problems = Problems()
    if "name" in columns:
        problems.require("name", columns["name"], MAX_NAME_LENGTH)
        if columns["name"] and not _NAME.fullmatch(columns["name"]):
            problems.add("name", BAD_NAME)
    problems.limit("description", columns.get("description"), MAX_DESCRIPTION_LENGTH)
    problems.refuse()
    return columns


async def _store_strategies(tx: Tx, project_id: int, flag_id: int, change: FeatureFlagChange) -> None:
    """Add, change and remove the strategies that the request names; 400 if one of them is of another flag."""
    sent = [params.read(StrategyParams, tree) for tree in ([] if change.strategies is UNSET else change.strategies)]
    if not sent:
        return
    rows = await tx.rows(
        _StrategyRow,
        f"SELECT {_StrategyRow.columns} FROM feature_flag_strategies st WHERE st.flag_id = :flag_id",
        flag_id=flag_id,
    )
    stored = {row.id: row for row in rows}
    _check_number("strategies", len(stored) + len(sent))
    for each in sent:
        strategy = None if each.id is UNSET else _find(stored, each.id, "strategies")
        if strategy is not None and each.sent_fields().get("_destroy"):
            await tx.run("DELETE FROM feature_flag_strategies WHERE id = :id", id=strategy.id)
        else:
            await _store_strategy(tx, project_id, flag_id, strategy, each)


async def _store_strategy(
    tx: Tx, project_id: int, flag_id: int, stored: _StrategyRow | None, sent: StrategyParams
) -> None:
    name = sent.name or (stored.name if stored else "")
    if not name:
        raise errors.missing("strategies[name]")
    kept: dict[str, str] = msgspec.json.decode(stored.parameters) if stored and stored.name == name else {}
    parameters = check_parameters(name, kept if sent.parameters is UNSET else sent.parameters)
    list_id = stored and stored.user_list_id if sent.user_list_id is UNSET else sent.user_list_id
    columns = {
        "name": name,
        "parameters": msgspec.json.encode(parameters).decode(),
        "user_list_id": await _find_user_list(tx, project_id, list_id) if name == "gitlabUserList" else None,
    }
    if stored is None:
        strategy_id: int = await insert_id(tx, "feature_flag_strategies", flag_id=flag_id, **columns)
        trees: Sequence[Tree] = [{"environment_scope": "*"}] if sent.scopes is UNSET else sent.scopes
    else:
        strategy_id, trees = stored.id, [] if sent.scopes is UNSET else sent.scopes
        await update(tx, "feature_flag_strategies", columns, id=strategy_id)
    await _store_scopes(tx, strategy_id, [params.read(ScopeParams, tree) for tree in trees])


async def _find_user_list(tx: Tx, project_id: int, list_id: int | None) -> int:
    found: int | None = await tx.value(
        "SELECT ul.id FROM user_lists ul WHERE ul.project_id = :project_id AND ul.id = :id",
        project_id=project_id,
        id=list_id,
    )
    if found is None:
        raise errors.invalid({"strategies.user_list": ["must be a list of the project"]})
    return found


async def _store_scopes(tx: Tx, strategy_id: int, sent: Sequence[ScopeParams]) -> None:
    """Add, change and remove the scopes that the request names; one that the strategy has already stays."""
    rows = await tx.rows(
        tuple[int, str],
        "SELECT sc.id, sc.environment_scope FROM feature_flag_scopes sc WHERE sc.strategy_id = :id",
        id=strategy_id,
    )
    stored = dict(rows)
    _check_number("scopes", len(stored) + len(sent))
    for each in sent:
        replaced = None if each.id is UNSET else _find(stored, each.id, "strategies.scopes")
        if replaced is not None:
            await tx.run("DELETE FROM feature_flag_scopes WHERE id = :id", id=each.id or 0)
        if not each.sent_fields().get("_destroy"):
            await insert(
                tx, "feature_flag_scopes", "ON CONFLICT (strategy_id, environment_scope) DO NOTHING",
                strategy_id=strategy_id, environment_scope=_check_scope(each.environment_scope or replaced or ""),
            )  # fmt: skip


def _find(stored: Mapping[int, Item], id: int, name: str) -> Item:
    if id not in stored:
        raise errors.invalid({name: [f"have none with the id {id}"]})
    return stored[id]


def _check_number(name: str, number: int) -> None:
    if number > MAX_PARTS:
        raise errors.invalid({name: [f"are too many (maximum is {MAX_PARTS})"]})


def _check_scope(scope: str) -> str:
    problems = Problems()
    check_scope(problems, scope)
    problems.refuse()
    return scope
