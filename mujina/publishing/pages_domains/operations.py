"""Adding, changing and removing the domains of a project."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from mujina.adapters.outbound.client import Outbound
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.adapters.outbound.names import read_txt
from mujina.kernel import clock, errors
from mujina.kernel.db.errors import unique
from mujina.kernel.db.rows import insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.publishing.pages_domains.certificates import read_certificate
from mujina.publishing.pages_domains.params import CreatePagesDomain, EditPagesDomain
from mujina.publishing.pages_domains.rules import (
    DOMAINS,
    FILE_PATH,
    TXT_NAME,
    PagesDomainRow,
    to_ascii,
    verification_code,
)

KEY: Final = "pages_domain_key"
"""The purpose for which a key is encrypted."""
KEPT_VERIFIED: Final = timedelta(days=7)
_NAME: Final = deferred_pattern(
    r"(?=.{4,253}\Z)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!-)(?![0-9]+\Z)[a-z0-9-]{2,63}(?<!-)"
)


async def create(tx: Tx, services: Services, actor: Actor, project_id: int, change: CreatePagesDomain) -> str:
    """Add the domain; its name in ASCII. 400 if it names no host, is a name of this instance, or belongs to a project."""
    domain = _read_domain(services, change.domain)
    columns = _columns(services, change)
    with unique("domain"):
        id_ = await insert_id(tx, "pages_domains", project_id=project_id, domain=domain, **columns, **timestamps())
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


async def request_check(tx: Tx, row: PagesDomainRow) -> None:
    """A task looks for the code of the domain."""
    await enqueue(tx, "pages_domains.verify", row.id)


async def verify(services: Services, domain_id: int) -> None:
    """Look for the code of the domain. One that was verified stays so for a week without it: name servers fail, too."""
    async with services.database.reading() as tx:
        row = await tx.row(
            PagesDomainRow, f"SELECT {PagesDomainRow.columns} FROM {DOMAINS} WHERE pd.id = :id", id=domain_id
        )
    if row is None:
        return
    code = verification_code(services.vault, row.project_id, row.domain)
    problem = await _find_problem(services, row.domain, code)
    async with services.database.transaction() as tx:
        await tx.run(
            """UPDATE pages_domains SET checked_at = :now, problem = :problem, verified_at = CASE
                   WHEN CAST(:problem AS text) IS NULL THEN :now WHEN verified_at > :before THEN verified_at END
               WHERE id = :id AND domain = :domain""",
            id=row.id, domain=row.domain, problem=problem, now=clock.now(), before=clock.later(-KEPT_VERIFIED),
        )  # fmt: skip


async def _find_problem(services: Services, domain: str, code: str) -> str | None:
    """What is wrong with the domain; None if its owner has put the code where only they can."""
    settings = services.settings
    if code in await read_txt(f"{TXT_NAME}.{domain}", settings.dns_servers):
        return None
    try:
        response = await Outbound(settings.outbound_allow).get(f"http://{domain}{FILE_PATH}", max_bytes=1_000)
    except (HostUnreachable, OutboundForbidden) as error:
        return f"There is no TXT record with the code at {TXT_NAME}.{domain}, and no file: {error}"
    if response.status == HTTPStatus.OK and code in response.body.decode("latin-1").split():
        return None
    return f"Neither a TXT record at {TXT_NAME}.{domain} nor the file {FILE_PATH} has the code."


async def enqueue_due(tx: Tx) -> None:
    """Tasks look again: each day at domains that are verified, each hour at those that were added in the last week."""
    due: list[int] = await tx.values(
        """SELECT pd.id FROM pages_domains pd
           WHERE (pd.verified_at IS NOT NULL AND (pd.checked_at IS NULL OR pd.checked_at < :yesterday))
           OR (pd.verified_at IS NULL AND pd.created_at > :last_week) ORDER BY pd.id""",
        yesterday=clock.later(timedelta(days=-1)),
        last_week=clock.later(-KEPT_VERIFIED),
    )
    for id_ in due:
        await enqueue(tx, "pages_domains.verify", id_)


def _read_domain(services: Services, text: str) -> str:
    domain = to_ascii(text)
    settings = services.settings
    own = [urlsplit(url).hostname or "" for url in (settings.url, settings.pages_url) if url]
    if _NAME.fullmatch(domain) is None:
        raise errors.invalid({"domain": ["is invalid"]})
    for name in own:
        if domain == name or domain.endswith(f".{name}"):
            raise errors.invalid({"domain": [f"*.{name} is restricted"]})
    return domain


def _columns(services: Services, change: EditPagesDomain) -> dict[str, Any]:
    """The columns of the certificate: none of them if the request does not give it."""
    given = change.sent_fields()
    certificate, key = given.get("certificate") or "", given.get("key") or ""
    if not given.keys() & {"certificate", "key"}:
        return {}
    if not certificate.strip() and not key.strip():
        return dict.fromkeys(("certificate", "key", "subject", "expires_at"))
    read = read_certificate(certificate, key)
    return {
        "certificate": read.certificate,
        "key": services.vault.encrypt(read.key, KEY),
        "subject": read.subject,
        "expires_at": read.expires_at,
    }
