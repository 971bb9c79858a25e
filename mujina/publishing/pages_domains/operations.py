"""Adding, changing and removing the domains of a project."""

import re
from typing import Any, Final
from urllib.parse import urlsplit

from mujina.kernel import clock, deferred_imports, errors
from mujina.kernel.db.errors import UniqueViolation
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.publishing.pages_domains.certificates import read_certificate
from mujina.publishing.pages_domains.params import CreatePagesDomain, EditPagesDomain
from mujina.publishing.pages_domains.rules import PagesDomainRow

KEY: Final = "pages_domain_key"
"""The purpose for which a key is encrypted."""
_NAME: Final = re.compile(r"(?=.{4,253}\Z)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!-)(?![0-9]+\Z)[a-z0-9-]{2,63}(?<!-)")


async def create(tx: Tx, services: Services, actor: Actor, project_id: int, change: CreatePagesDomain) -> str:
    """Add the domain; its name in ASCII. 400 if it names no host, is a name of this instance, or belongs to a project."""
    domain = _read_domain(services, change.domain)
    columns = _columns(services, change)
    try:
        id_ = await insert_id(tx, "pages_domains", project_id=project_id, domain=domain, **columns, **timestamps())
    except UniqueViolation:
        raise errors.invalid({"domain": ["has already been taken"]}) from None
    await record(
        tx, "pages_domain.created", actor, subject_id=id_, project_id=project_id, changes={"name": (None, domain)}
    )
    return domain


async def edit(tx: Tx, services: Services, actor: Actor, row: PagesDomainRow, change: EditPagesDomain) -> None:
    """Change the certificate and the key of a domain found with `lock`."""
    columns = _columns(services, change)
    if not columns:
        return
    await update(tx, "pages_domains", {**columns, "updated_at": clock.now()}, id=row.id)
    changes = {name: (getattr(row, name), columns[name]) for name in ("subject", "expires_at")}
    await record(
        tx, "pages_domain.updated", actor, subject_id=row.id, project_id=row.project_id,
        changes={"name": (row.domain, row.domain), **changes},
    )  # fmt: skip


async def remove(tx: Tx, actor: Actor, row: PagesDomainRow) -> None:
    await tx.run("DELETE FROM pages_domains WHERE id = :id", id=row.id)
    await record(
        tx, "pages_domain.deleted", actor, subject_id=row.id, project_id=row.project_id,
        changes={"name": (row.domain, None)},
    )  # fmt: skip


def _read_domain(services: Services, text: str) -> str:
    try:
        domain = deferred_imports.idna().encode(text.strip().rstrip("."), uts46=True).decode().lower()
    except deferred_imports.idna().IDNAError:
        domain = ""
    own = urlsplit(services.settings.url).hostname or ""
    if _NAME.fullmatch(domain) is None:
        raise errors.invalid({"domain": ["is invalid"]})
    if domain == own or domain.endswith(f".{own}"):
        raise errors.invalid({"domain": ["is a name of this instance"]})
    return domain


def _columns(services: Services, change: EditPagesDomain) -> dict[str, Any]:
    """The columns of the certificate: none of them if the request does not give it."""
    given = change.given()
    certificate, key = given.get("certificate") or "", given.get("key") or ""
    if not given.keys() & {"certificate", "key"}:
        return {}
    if not certificate.strip() and not key.strip():
        return dict.fromkeys(("certificate", "key", "subject", "expires_at"))
    read = read_certificate(certificate, key)
    return {
        "certificate": read.certificate, "key": services.vault.encrypt(read.key, KEY), "subject": read.subject,
        "expires_at": read.expires_at,
    }  # fmt: skip
