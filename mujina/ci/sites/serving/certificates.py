"""TLS of sites: each verified domain has its own certificate, which the name in the first message of a client chooses."""

import asyncio
import ssl
import tempfile
from contextlib import suppress
from typing import Any, Final

from mujina.kernel.monitoring.logs import log
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.services import Services
from mujina.publishing.pages_domains.operations import KEY

REFRESH_SECONDS: Final = 10.0
"""A certificate that was added or changed is used so much later at most."""


class SiteCertificates:
    """A TLS context that knows the certificates of all domains. As a service, it follows their changes."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._domains: dict[str, tuple[str, ssl.SSLContext]] = {}
        self._stopped = asyncio.Event()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        settings = services.settings
        self._has_default = settings.pages_tls_certificate is not None
        if settings.pages_tls_certificate is not None:
            self.context.load_cert_chain(settings.pages_tls_certificate, settings.pages_tls_key)
        self.context.sni_callback = self._choose

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
        if found is not None:
            connection.context = found[1]
        elif not self._has_default:
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        return None


def _make_context(text: str) -> ssl.SSLContext:
    """The library reads a key from a file only: this one is readable to its owner, and gone at once."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        context.load_cert_chain(file.name)
    return context
