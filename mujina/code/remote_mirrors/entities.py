"""Push mirrors as responses show them."""

from typing import Final
from urllib.parse import urlsplit, urlunsplit

import msgspec

from mujina.accounts.keys.public_keys import parse
from mujina.code.remote_mirrors.operations import URL
from mujina.code.remote_mirrors.rules import MirrorRow, mirrors_of
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.secrets import UnreadableSecret, Vault

HIDDEN: Final = "*****:*****@"


class HostKey(msgspec.Struct):
    fingerprint_sha256: str


class RemoteMirror(msgspec.Struct):
    id: int
    enabled: bool
    url: str
    update_status: str
    last_update_at: str | None
    last_update_started_at: str | None
    last_successful_update_at: str | None
    last_error: str | None
    only_protected_branches: bool
    keep_divergent_refs: bool
    auth_method: str
    host_keys: list[HostKey]


class MirrorPublicKey(msgspec.Struct):
    """The key with which a mirror signs in over SSH: the other server has to accept it."""

    public_key: str


async def load_page(tx: Tx, vault: Vault, project_id: int, page: Page) -> Paged[RemoteMirror]:
    """One page of the mirrors of a project, oldest first."""
    rows = await load_rows(tx, MirrorRow, mirrors_of(project_id), ascending("rm.id"), page)
    return rows.map(lambda row: to_mirror(vault, row))


def to_mirror(vault: Vault, row: MirrorRow) -> RemoteMirror:
    host_keys = [HostKey(f"SHA256:{parse(line).sha256}") for line in row.host_keys.splitlines()]
    return to_entity(RemoteMirror, row, url=shown_url(vault, row), host_keys=host_keys)


def shown_url(vault: Vault, mirror: MirrorRow) -> str:
    """The address without its password; empty if the key that encrypted it is lost."""
    try:
        parts = urlsplit(vault.decrypt(mirror.url, URL))
    except UnreadableSecret:
        return ""
    user, at, host = parts.netloc.rpartition("@")
    if parts.scheme == "ssh":
        return urlunsplit(parts)  # it has no password
    return urlunsplit(parts._replace(netloc=f"{HIDDEN if user or at else ''}{host}"))
