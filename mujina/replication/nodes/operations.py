"""Configuring nodes: making this instance the primary, adding and editing secondaries, joining as one; their credentials."""

from datetime import timedelta
from typing import Final

import msgspec

from mujina.accounts.oauth import operations as oauth
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import TAKEN, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold
from mujina.replication.nodes import tokens
from mujina.replication.nodes.addresses import read_url, redirect_uri
from mujina.replication.nodes.identity import NodeIdentity
from mujina.replication.nodes.params import EditNode
from mujina.replication.nodes.rules import NodeRow, find_enabled_node, find_node_by_code, find_primary
from mujina.replication.nodes.tokens import Data, InvalidToken

SECRET_PURPOSE: Final = "secret of a replication node"  # noqa: S105 - a purpose, not a secret
CODE_LIFETIME: Final = timedelta(hours=24)
LOCKED_OUT: Final = "Current node must be the primary node or you will be locking yourself out"
_SCOPES: Final = ("read_user",)


class AddedNode(msgspec.Struct, frozen=True):
    """A new secondary, and the code with which one machine may join as it."""

    id: int
    url: str
    code: str


class NodeSecrets(NodeIdentity, frozen=True):
    """The data that a machine gets for its code."""

    instance_key: str
    ssh_host_key: str


async def init_primary(tx: Tx, actor: Actor, vault: Vault, url: str) -> str:
    """Configure this instance as the primary at this address, or change the address. The address as it is stored."""
    problems = Problems()
    address = read_url(problems, url)
    primary = await find_primary(tx)
    await _check_free(tx, problems, address, primary.id if primary else 0)
    problems.refuse()
    if primary is None:
        await _insert(tx, actor, vault, address, is_primary=True)
    elif primary.url != address:
        await _write(tx, actor, primary, {"url": address})
    return address


async def add_secondary(tx: Tx, actor: Actor, vault: Vault, url: str) -> AddedNode:
    """A new secondary at this address; without a primary, 400. One that exists gets a new code."""
    problems = Problems()
    address = read_url(problems, url)
    primary = await find_primary(tx)
    if primary is None:
        raise errors.bad_request("This instance is not configured as a primary: run `mujina geo init-primary` first.")
    if fold(primary.url) == fold(address):
        problems.add("base", LOCKED_OUT)
    problems.refuse()
    code = secrets.new_oauth_token()
    known = await tx.value("SELECT id FROM replication_nodes WHERE url_folded = :url", url=fold(address))
    if known is not None:
        columns = {"code_digest": secrets.digest(code), "code_expires_at": clock.later(CODE_LIFETIME)}
        await update(tx, "replication_nodes", columns, id=known)
        return AddedNode(known, address, code)
    node_id = await _insert(tx, actor, vault, address, is_primary=False, code=code)
    await _restore_application(tx, actor, node_id, address)
    return AddedNode(node_id, address, code)


async def redeem_code(tx: Tx, vault: Vault, code: str, *, instance_key: str, ssh_host_key: str) -> NodeSecrets:
    """The secrets of the node that the code belongs to; a code works once. 404 for any other."""
    node = await find_node_by_code(tx, secrets.digest(code), clock.now())
    primary = await find_primary(tx)
    if node is None or primary is None:
        raise errors.not_found_with("404 The code is unknown, used or expired Not Found")
    await update(tx, "replication_nodes", {"code_digest": None, "code_expires_at": None}, id=node.id)
    await record(tx, "node.joined", SYSTEM, subject_id=node.id, changes={"name": (None, node.url)})
    secret = vault.decrypt(node.secret, SECRET_PURPOSE)
    return NodeSecrets(
        node_id=node.id, url=node.url, primary_url=primary.url, access_key=node.access_key, secret=secret,
        instance_key=instance_key, ssh_host_key=ssh_host_key,
    )  # fmt: skip


async def promote(tx: Tx, actor: Actor, node_id: int) -> str:
    """Make this secondary the primary; the former primary is no longer a node. Its address.

    One that is the primary already stays so: the command may have been interrupted before.
    """
    former = await find_primary(tx)
    if former is not None and former.id == node_id:
        return ""
    if former is not None:
        await tx.run("DELETE FROM replication_nodes WHERE id = :id", id=former.id)
    if not await update(
        tx, "replication_nodes", {"is_primary": True, "enabled": True, "updated_at": clock.now()}, id=node_id
    ):
        raise errors.not_found("GeoNode")
    url: str = await tx.value("SELECT node.url FROM replication_nodes node WHERE node.id = :id", id=node_id)
    await record(tx, "node.promoted", actor, subject_id=node_id, changes={"name": (None, url)})
    return former.url if former is not None else ""


async def edit(tx: Tx, actor: Actor, node: NodeRow, change: EditNode) -> None:
    """Apply the change to a secondary and record it."""
    if node.is_primary:
        raise errors.forbidden("Primary node cannot be edited")
    problems, columns = Problems(), change.sent_fields()
    if "url" in columns:
        columns["url"] = read_url(problems, columns["url"])
        await _check_address(tx, problems, columns["url"], node)
    for name in ("files_max_capacity", "repos_max_capacity"):
        if columns.get(name, 1) < 1:
            problems.add(name, "must be greater than 0")
    problems.refuse()
    await _write(tx, actor, node, columns)


async def repair(tx: Tx, actor: Actor, node: NodeRow) -> None:
    """Register the OAuth application of a secondary again if it is missing."""
    if not node.is_primary and node.application_id is None:
        await _restore_application(tx, actor, node.id, node.url)


async def _insert(tx: Tx, actor: Actor, vault: Vault, url: str, *, is_primary: bool, code: str | None = None) -> int:
    node_id: int = await insert_id(
        tx, "replication_nodes", url=url, url_folded=fold(url), is_primary=is_primary, access_key=secrets.new_token(),
        secret=vault.encrypt(secrets.new_node_secret(), SECRET_PURPOSE),
        code_digest=None if code is None else secrets.digest(code),
        code_expires_at=None if code is None else clock.later(CODE_LIFETIME), **timestamps(),
    )  # fmt: skip
    await record(tx, "node.created", actor, subject_id=node_id, changes={"url": (None, url)})
    return node_id


async def _write(tx: Tx, actor: Actor, node: NodeRow, columns: dict[str, Value]) -> None:
    changes = {name: (old, new) for name, new in columns.items() if (old := getattr(node, name)) != new}
    if not changes:
        return
    if "url" in changes:
        columns["url_folded"] = fold(str(columns["url"]))
        if node.application_id is not None:
            url = str(columns["url"])
            await oauth.rename(tx, actor, node.application_id, _application_name(url), redirect_uri(url))
    await update(tx, "replication_nodes", {**columns, "updated_at": clock.now()}, id=node.id)
    await record(tx, "node.updated", actor, subject_id=node.id, changes=changes)


async def _restore_application(tx: Tx, actor: Actor, node_id: int, url: str) -> None:
    """A public client, which proves itself by PKCE: the node needs no further secret. Users are not asked for consent."""
    application = await oauth.register(
        tx, actor, _application_name(url), redirect_uri(url), _SCOPES, confidential=False, trusted=True
    )
    await update(tx, "replication_nodes", {"application_id": application.id}, id=node_id)


def _application_name(url: str) -> str:
    return f"Geo node: {url}"[:255]


async def _check_address(tx: Tx, problems: Problems, url: str, node: NodeRow) -> None:
    primary = await find_primary(tx)
    if primary is not None and fold(primary.url) == fold(url):
        problems.add("base", LOCKED_OUT)
    else:
        await _check_free(tx, problems, url, node.id)


async def _check_free(tx: Tx, problems: Problems, url: str, own_id: int) -> None:
    taken = await tx.value(
        "SELECT node.id FROM replication_nodes node WHERE node.url_folded = :url AND node.id <> :own_id",
        url=fold(url),
        own_id=own_id,
    )
    if taken is not None:
        problems.add("url", TAKEN)


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
