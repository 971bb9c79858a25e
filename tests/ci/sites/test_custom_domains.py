"""Sites at domains of their own, with their own certificates."""

import asyncio
import ssl

import pytest

from mujina.app import sites
from mujina.ci.sites.serving.certificates import SiteCertificates
from mujina.processes.http_server import HttpServer
from mujina.processes.listener import bind
from tests.ci.sites.conftest import INDEX
from tests.harness.certificates import self_signed

DOMAIN = "www.example.org"


@pytest.fixture
def domain(site, cast):
    site.publish()
    site.open()
    path = f"{site.ci.path}/pages/domains"
    assert cast.owner.post(path, domain=DOMAIN).status == 201
    return f"{path}/{DOMAIN}"


def verify(cast):
    cast.run("UPDATE pages_domains SET verified_at = '2026-01-01T00:00:00.000Z'")


def test_a_domain_is_served_when_it_is_verified(site, cast, domain):
    assert site.visitor(host=DOMAIN).see("/", root="").status == 404
    verify(cast)
    shown = site.visitor(host=DOMAIN).see("/docs/", root="")
    assert (shown.status, shown.body) == (200, b"Documents")
    assert site.visitor(host=DOMAIN.upper()).see("/", root="").body == INDEX
    assert cast.owner.delete(domain).status == 204
    assert site.visitor(host=DOMAIN).see("/", root="").status == 404


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_the_name_that_a_client_sends_chooses_the_certificate(site, cast, domain):
    certificate, key = self_signed(DOMAIN)
    assert cast.owner.put(domain, certificate=certificate, key=key).status == 200
    verify(cast)

    async def talk():
        services = site.services()
        certificates = SiteCertificates(services)
        await certificates.refresh()
        [listener] = bind("127.0.0.1", 0)
        port = listener.getsockname()[1]
        server = HttpServer(sites(services), listener, services.settings, certificates.context)
        running = asyncio.create_task(server.run())
        try:
            client = ssl.create_default_context()
            client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
            with pytest.raises(OSError):
                await asyncio.open_connection("127.0.0.1", port, ssl=client, server_hostname="other.example.org")
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=client, server_hostname=DOMAIN)
            shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            writer.write(f"GET / HTTP/1.1\r\nHost: {DOMAIN}\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            return shown, answer
        finally:
            server.stop()
            await running

    shown, answer = cast.root.loop.run_until_complete(talk())
    assert ssl.DER_cert_to_PEM_cert(shown) == certificate
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(INDEX)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_renewed_certificate_of_the_operator_is_used_without_a_restart(site, cast, tmp_path):
    chain, private = tmp_path / "chain.pem", tmp_path / "key.pem"

    async def shown(certificates):
        [listener] = bind("127.0.0.1", 0)
        server = HttpServer(sites(services), listener, services.settings, certificates.context)
        running = asyncio.create_task(server.run())
        client = ssl.create_default_context()
        client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
        address = listener.getsockname()[:2]
        try:
            await certificates.refresh()
            _, writer = await asyncio.open_connection(*address, ssl=client, server_hostname="sites.example.org")
            writer.close()
            return ssl.DER_cert_to_PEM_cert(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
        finally:
            server.stop()
            await running

    pairs = [self_signed("sites.example.org") for _ in range(2)]
    for file, text in zip((chain, private), pairs[0], strict=True):
        file.write_text(text)
    services = site.services(pages_url="https://sites.example.org", pages_tls_certificate=chain, pages_tls_key=private)
    certificates = SiteCertificates(services)
    ask = cast.root.loop.run_until_complete
    assert ask(shown(certificates)) == pairs[0][0]
    for file, text in ((tmp_path / "new.pem", pairs[1][0]), (tmp_path / "new.key", pairs[1][1])):
        file.write_text(text)
    (tmp_path / "new.pem").rename(chain)
    assert ask(shown(certificates)) == pairs[0][0], "the key is still the former one"
    (tmp_path / "new.key").rename(private)
    assert ask(shown(certificates)) == pairs[1][0]
    chain.unlink()
    assert ask(shown(certificates)) == pairs[1][0]
