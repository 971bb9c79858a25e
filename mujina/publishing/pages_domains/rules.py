"""Who manages the domains of a project, and the only way to find one."""

from typing import Final, LiteralString

from mujina.kernel import clock, deferred_imports
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault
from mujina.workspaces.projects.rules import ADMIN_PROJECT

ADMIN_PAGES: Final = ADMIN_PROJECT
DOMAINS: Final[LiteralString] = "pages_domains pd"
CODE_NAME: Final = "mujina-pages-verification"
TXT_NAME: Final = "_mujina-pages"
"""The name below the domain whose TXT record has the code."""
FILE_PATH: Final = "/.well-known/mujina-pages-verification"
"""The file at the domain that has the code, where there is no such record."""


class PagesDomainRow(Row, alias="pd"):
    id: int
    project_id: int
    domain: str
    certificate: str | None
    subject: str | None
    expires_at: str | None
    verified_at: str | None
    problem: str | None
    updated_at: str

    @property
    def url(self) -> str:
        return f"{'http' if self.certificate is None else 'https'}://{self.domain}"

    @property
    def expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= clock.now()


def verification_code(vault: Vault, project_id: int, domain: str) -> str:
    """The text by which the owner of a domain shows that this project may have its site there. It is no secret."""
    return f"{CODE_NAME}={vault.sign(f'{project_id} {domain}', 'pages domain')}"


def to_ascii(domain: str) -> str:
    """The domain as it is stored; empty if it is none."""
    try:
        return deferred_imports.idna().encode(domain.strip().rstrip("."), uts46=True).decode().lower()
    except deferred_imports.idna().IDNAError:
        return ""


def domains_of(project_id: int) -> Selection:
    return Selection(DOMAINS, "pd.project_id = :project_id", project_id=project_id)


async def find_domain(tx: Tx, project_id: int, domain: str, *, lock: bool = False) -> PagesDomainRow:
    """The domain of the project; 404 for any other."""
    selection = domains_of(project_id).where("pd.domain = :domain", domain=to_ascii(domain))
    return await find_row(tx, PagesDomainRow, selection, "Pages domain", lock="FOR UPDATE" if lock else "")
