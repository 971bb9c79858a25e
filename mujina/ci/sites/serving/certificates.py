"""TLS of sites: each verified domain has its own certificate, which the name in the first message of a client chooses."""

import asyncio
import ssl
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from mujina.kernel.http.certificate_files import UnusableCertificate, check_site_certificate, load_site_certificate
from mujina.kernel.monitoring.logs import log
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.services import Services
from mujina.publishing.pages_domains.operations import KEY

REFRESH_SECONDS: Final = 10.0
"""A certificate that was added or changed is used so much later at most."""


class SiteCertificates:
    """A TLS context that knows the certificates of all domains. As a service, it follows their changes.

    Handshakes choose the certificate, so those of connections that are open do not change.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._domains: dict[str, tuple[str, ssl.SSLContext]] = {}
        self._default: ssl.SSLContext | None = None
        """The certificate for the names below `pages_url`."""
        self._default_files: list[tuple[int, ...]] = []
        self._stopped = asyncio.Event()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.sni_callback = self._choose
        self._load_default()

    async def run(self) -> None:
        """Read the certificates now and again."""
        while not self._stopped.is_set():
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001 - the certificates that are known stay in use
                log.error("certificates of sites could not be read", exc_info=error)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), REFRESH_SECONDS)

    def stop(self) -> None:
        self._stopped.set()

    async def refresh(self) -> None:
        """Read the certificates that have changed since, and forget those that are gone."""
        await asyncio.to_thread(self._load_default)
        async with self._services.database.reading() as tx:
            rows = await tx.rows(
                tuple[str, str],
                """SELECT pd.domain, pd.updated_at FROM pages_domains pd
                   WHERE pd.certificate IS NOT NULL AND pd.verified_at IS NOT NULL""",
            )
        for domain in self._domains.keys() - dict(rows).keys():
            del self._domains[domain]
        for domain, updated_at in rows:
            if self._domains.get(domain, ("",))[0] != updated_at:
                await self._load(domain, updated_at)

    def _load_default(self) -> None:
        """Read the certificate of the operator if its files have changed. If they cannot be used, the one before stays."""
        settings = self._services.settings
        files = [_version(path) for path in (settings.pages_tls_certificate, settings.pages_tls_key)]
        if files == self._default_files:
            return
        self._default_files = files
        try:
            self._default = load_site_certificate(settings)
            check_site_certificate(settings)
        except UnusableCertificate as error:
            log.warning("the certificate of sites has to be replaced", reason=str(error))

    async def _load(self, domain: str, updated_at: str) -> None:
        async with self._services.database.reading() as tx:
            row = await tx.row(
                tuple[str, str],
                """SELECT pd.certificate, pd.key FROM pages_domains pd
                   WHERE pd.domain = :domain AND pd.certificate IS NOT NULL AND pd.key IS NOT NULL""",
                domain=domain,
            )
        if row is None:
            return
        certificate, key = row
        try:
            text = self._services.vault.decrypt(key, KEY) + certificate
            self._domains[domain] = updated_at, await asyncio.to_thread(_make_context, text)
        except (UnreadableSecret, ssl.SSLError) as error:
            log.warning("the certificate of a domain cannot be used", domain=domain, reason=str(error))

    def _choose(self, connection: ssl.SSLObject, name: str | None, _: Any) -> int | None:
        found = self._domains.get((name or "").lower())
        context = self._default if found is None else found[1]
        if context is None:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        connection.context = context
        return None


def _version(path: Path | None) -> tuple[int, ...]:
    """Differs from that before if the file was replaced or written to."""
    if path is None:
        return ()
    with suppress(OSError):
        found = path.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size
    return ()


def _make_context(text: str) -> ssl.SSLContext:
    """The library reads a key from a file only: this one is readable to its owner, and gone at once."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        context.load_cert_chain(file.name)
    return context
