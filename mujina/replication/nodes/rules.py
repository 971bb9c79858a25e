"""The only ways to find a node. An instance without configured nodes is a primary alone."""

from typing import LiteralString

from mujina.accounts.oauth.rules import ApplicationRow, find_application
from mujina.instance.editions.rules import has_feature
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.urls import instance_address

SINGLE_PRIMARY_ID: int = 1
"""The id of the primary while no node is configured; the first node that is configured is the primary and gets it."""


class NodeRow(Row, alias="node"):
    id: int
    url: str
    is_primary: bool
    enabled: bool
    files_max_capacity: int
    repos_max_capacity: int
    access_key: str
    secret: str
    application_id: int | None


_NODES: LiteralString = f"SELECT {NodeRow.columns} FROM replication_nodes node"


async def list_nodes(tx: Tx) -> list[NodeRow]:
    """All nodes by id. An edition without replication has the primary alone."""
    nodes = await tx.rows(NodeRow, f"{_NODES} ORDER BY node.id")
    if not has_feature("replication"):
        nodes = [node for node in nodes if node.is_primary]
    return nodes or [_alone()]


async def find_node(tx: Tx, id: int) -> NodeRow:
    """404 unless there is a node of this id."""
    return errors.or_not_found(next((node for node in await list_nodes(tx) if node.id == id), None), "GeoNode")


async def find_primary(tx: Tx) -> NodeRow | None:
    """The configured primary; None on an instance without nodes."""
    return await tx.row(NodeRow, f"{_NODES} WHERE node.is_primary")


async def find_enabled_node(tx: Tx, access_key: str) -> NodeRow | None:
    """The enabled secondary of this access key."""
    if not has_feature("replication"):
        return None
    return await tx.row(
        NodeRow, f"{_NODES} WHERE node.access_key = :key AND node.enabled AND NOT node.is_primary", key=access_key
    )


async def find_client_of(tx: Tx, node_id: int) -> tuple[NodeRow, ApplicationRow] | None:
    """An enabled secondary and the OAuth application by which users sign in to it; None while that is missing."""
    if not has_feature("replication"):
        return None
    node = await tx.row(NodeRow, f"{_NODES} WHERE node.id = :id AND node.enabled AND NOT node.is_primary", id=node_id)
    client = None if node is None or node.application_id is None else await find_application(tx, node.application_id)
    return None if node is None or client is None else (node, client)


async def find_node_by_code(tx: Tx, digest: str, now: str) -> NodeRow | None:
    """The node that a machine may join as with the code of this digest."""
    return await tx.row(
        NodeRow,
        f"{_NODES} WHERE node.code_digest = :digest AND node.code_expires_at > :now FOR UPDATE",
        digest=digest,
        now=now,
    )


def _alone() -> NodeRow:
    return NodeRow(
        id=SINGLE_PRIMARY_ID, url=instance_address.get().base + "/", is_primary=True, enabled=True, files_max_capacity=10,
        repos_max_capacity=25, access_key="", secret="", application_id=None,
    )  # fmt: skip
