"""Domains of sites as responses show them: never with a key."""

import msgspec
from msgspec import UNSET, UnsetType

from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.secrets import Vault
from mujina.publishing.pages_domains.rules import DOMAINS, PagesDomainRow, domains_of, verification_code


class CertificateState(msgspec.Struct):
    expired: bool
    expiration: str | None


class ShownCertificate(msgspec.Struct):
    subject: str | None
    expired: bool
    certificate: str
    certificate_text: str
    """The subject and the day on which it expires."""


class PagesDomain(msgspec.Struct, kw_only=True):
    domain: str
    url: str
    verified: bool
    """Whether the site of the project is served there."""
    verification_code: str
    certificate: ShownCertificate | UnsetType = UNSET


class ListedPagesDomain(msgspec.Struct, kw_only=True):
    """A domain among those of all projects."""

    domain: str
    url: str
    project_id: int
    certificate: CertificateState | UnsetType = UNSET


def to_domain(row: PagesDomainRow, vault: Vault) -> PagesDomain:
    """A domain with its certificate, if it has one."""
    certificate = UNSET
    if row.certificate is not None:
        text = f"Subject: {row.subject}\nNot After: {row.expires_at}\n"
        certificate = ShownCertificate(row.subject, row.expired, row.certificate, text)
    return PagesDomain(
        domain=row.domain, url=row.url, verified=row.verified_at is not None, certificate=certificate,
        verification_code=verification_code(vault, row.project_id, row.domain),
    )  # fmt: skip


def _to_listed(row: PagesDomainRow) -> ListedPagesDomain:
    state = UNSET if row.certificate is None else CertificateState(row.expired, row.expires_at)
    return ListedPagesDomain(domain=row.domain, url=row.url, project_id=row.project_id, certificate=state)


async def load_page(tx: Tx, vault: Vault, project_id: int, page: Page) -> Paged[PagesDomain]:
    """One page of the domains of a project, by name."""
    rows = await load_rows(tx, PagesDomainRow, domains_of(project_id), ascending("pd.domain"), page)
    return rows.map(lambda row: to_domain(row, vault))


async def load_all(tx: Tx, page: Page) -> Paged[ListedPagesDomain]:
    """One page of the domains of all projects, by name."""
    rows = await load_rows(tx, PagesDomainRow, Selection(DOMAINS, "TRUE"), ascending("pd.domain"), page)
    return rows.map(_to_listed)
