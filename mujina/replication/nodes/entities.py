"""Nodes as they are shown."""

from typing import Literal

import msgspec

from mujina.kernel.db.entities import to_entity
from mujina.replication.nodes.rules import NodeRow


class Node(msgspec.Struct):
    id: int
    url: str
    primary: bool
    enabled: bool
    current: bool
    files_max_capacity: int
    repos_max_capacity: int
    clone_protocol: Literal["http"]


def to_node(node: NodeRow, own_id: int | None) -> Node:
    """`own_id` is the id of the node that this process serves, None on the primary."""
    return to_entity(Node, node, primary=node.is_primary, current=is_current(node, own_id), clone_protocol="http")


def is_current(node: NodeRow, own_id: int | None) -> bool:
    """Whether the node is the one that answers."""
    return node.is_primary if own_id is None else node.id == own_id
