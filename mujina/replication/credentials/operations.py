"""Verifying the credential of a node."""

from mujina.kernel.services import Services
from mujina.replication.credentials import tokens
from mujina.replication.credentials.tokens import Data, InvalidToken
from mujina.replication.nodes.operations import SECRET_PURPOSE
from mujina.replication.nodes.rules import NodeRow, find_enabled_node


async def find_node_of(services: Services, header: str) -> tuple[NodeRow, Data]:
    """The enabled secondary that signed this `Authorization`, and what the request is about; or `InvalidToken`."""
    key, token = tokens.split(header) or ("", "")
    if not key.isascii() or not key.isprintable():
        raise InvalidToken("the node is unknown or disabled")
    async with services.database.reading() as tx:
        node = await find_enabled_node(tx, key)
    if node is None:
        raise InvalidToken("the node is unknown or disabled")
    return node, tokens.verify(services.vault.decrypt(node.secret, SECRET_PURPOSE), token)
