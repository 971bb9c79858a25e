"""Who manages the domains of a project, and the only way to find one."""

from typing import Final, LiteralString

from mujina.kernel import clock, deferred_imports, errors
from mujina.kernel.db.rows import Row
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


async def find_domain(tx: Tx, project_id: int, domain: str, *, lock: bool = False) -> PagesDomainRow:
    """The domain of the project; 404 for any other."""
    locked: LiteralString = " FOR UPDATE" if lock else ""
    found = await tx.row(
        PagesDomainRow,
        f"SELECT {PagesDomainRow.columns} FROM {DOMAINS} WHERE pd.project_id = :id AND pd.domain = :domain{locked}",
        id=project_id,
        domain=to_ascii(domain),
    )
    return errors.or_not_found(found, "Pages domain")
