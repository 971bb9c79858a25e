"""A domain is served when its owner has shown that the project may have it."""

import asyncio
from datetime import timedelta

import dns.message
import dns.rrset
import pytest

from mujina.app import build_services, runner
from mujina.kernel import clock
from mujina.kernel.jobs.queue import enqueue
from mujina.publishing.pages_domains import operations
from mujina.settings import Settings


class NameServer(asyncio.DatagramProtocol):
    """Answers questions for TXT records from a table."""

    def __init__(self):
        self.records = {}

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        query = dns.message.from_wire(data)
        answer = dns.message.make_response(query)
        name = query.question[0].name.to_text().rstrip(".")
        if text := self.records.get(name):
            answer.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "TXT", f'"{text}"'))
        self.transport.sendto(answer.to_wire(), addr)


@pytest.fixture
def names(cast):
    loop = cast.root.loop
    transport, server = loop.run_until_complete(loop.create_datagram_endpoint(NameServer, local_addr=("127.0.0.1", 0)))
    server.address = f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"
    yield server
    transport.close()


@pytest.fixture
def work(cast, stage, names):
    """Lets an instance that serves sites check the domain."""
    settings = Settings(data=stage.folder, pages_port=8090, dns_servers=(names.address,))
    services = build_services(settings, cast.database)

    def check():
        id_ = cast.value("SELECT pd.id FROM pages_domains pd")
        cast.transact(lambda tx: enqueue(tx, "pages_domains.verify", id_))
        cast.root.loop.run_until_complete(runner(services).drain())

    return check


@pytest.fixture
def domain(cast):
    here = f"/projects/{cast.private.id}/pages/domains"
    assert cast.master.post(here, domain="www.localhost").status == 201
    return f"{here}/www.localhost"


def test_a_record_with_the_code_verifies_a_domain(cast, names, work, domain):
    shown = cast.master.get(domain).json
    assert shown["verified"] is False
    names.records["_mujina-pages.www.localhost"] = shown["verification_code"]
    assert cast.master.put(f"{domain}/verify").status == 200
    work()
    assert cast.master.get(domain).json["verified"] is True
    assert cast.developer.put(f"{domain}/verify").status == 403


def test_a_domain_without_the_code_is_not_verified(cast, names, work, domain, browse):
    names.records["_mujina-pages.www.localhost"] = "mujina-pages-verification=other"
    page = f"/{cast.private.path}/pages/domains/www.localhost"
    master = browse("master")
    master.open(page)
    assert master.send(f"{page}/verify").status == 303
    work()
    assert cast.master.get(domain).json["verified"] is False
    assert "There is no TXT record with the code at _mujina-pages.www.localhost, and no file" in master.open(page).text


def test_a_domain_that_lost_its_record_stays_verified_for_a_week(cast, work, domain):
    for days, verified in ((6, True), (8, False)):
        cast.run("UPDATE pages_domains SET verified_at = :then", then=clock.later(timedelta(days=-days)))
        work()
        assert cast.master.get(domain).json["verified"] is verified


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_domains_are_checked_again_from_time_to_time(cast, names, work, domain):
    names.records["_mujina-pages.www.localhost"] = cast.master.get(domain).json["verification_code"]
    cast.transact(lambda tx: enqueue(tx, "pages_domains.verify_due", ""))
    work()
    assert cast.master.get(domain).json["verified"] is True
    cast.run("UPDATE pages_domains SET checked_at = '2018-01-01T00:00:00.000Z', problem = 'x'")
    cast.transact(operations.enqueue_due)
    assert cast.value("SELECT count(*) FROM jobs j WHERE j.task = 'pages_domains.verify'") == 1
