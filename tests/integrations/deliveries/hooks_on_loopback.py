"""Hooks and the guard of outbound requests, end to end. `tests/adapters/test_outbound.py` runs this file in a network
namespace of its own, where private addresses belong to this machine: a call that the guard let through would arrive.
"""

import asyncio
import socket
import subprocess
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from mujina.app import build, build_services
from mujina.cli.first_start import create_root
from mujina.kernel.db.connect import connect
from mujina.migrations.upgrade import migrate
from mujina.settings import Settings
from tests.adapters.receiver import Receiver, answer, self_signed
from tests.harness.client import Client

assert [name for _, name in socket.if_nameindex()] == ["lo"], "run me through test_outbound.py: I need to be alone"

FORBIDDEN = ["127.0.0.1", "10.0.0.1", "192.168.7.7", "169.254.169.254", "fd00::1", "::1", "::ffff:10.0.0.1",
             "::ffff:169.254.169.254", "100.64.0.1", "3aaa::1"]  # fmt: skip
OWN = {"10.0.0.1/32", "192.168.7.7/32", "169.254.169.254/32", "100.64.0.1/32", "fd00::1/128"}
NAME = "hooks.example"
TOKEN = "root-token-of-this-test"


class World:
    """An instance whose requests run jobs and deliveries, and receivers at every address of this machine."""

    def __init__(self, home: Path, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch) -> None:
        self.loop, self.home = loop, home
        self.names: dict[str, list[str]] = {}
        """What each name resolves to, one address for each time it is asked for, the last one again and again."""
        self._resolve = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self.resolve)
        loop.run_until_complete(migrate(f"sqlite:///{home}/mujina.db"))
        self.database = connect(f"sqlite:///{home}/mujina.db")
        loop.run_until_complete(self.database.open())

    async def _release(self) -> None:
        """The next application builds payloads at once: the one before is not used any more."""
        async with self.database.transaction() as tx:
            await tx.run("DELETE FROM hook_builders")

    def resolve(self, host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        addresses = self.names.get(host.decode() if isinstance(host, bytes) else host)
        if addresses is None or more.get("flags", 0) & socket.AI_NUMERICHOST:
            return self._resolve(host, port, *rest, **more)
        address = addresses.pop(0) if len(addresses) > 1 else addresses[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    def root(self, *allow: str) -> Client:
        """The administrator, of an application that may call these addresses."""
        settings = Settings(
            data=self.home, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
            outbound_allow=allow, root_token=TOKEN,
        )  # fmt: skip
        services = build_services(settings, self.database)
        self.loop.run_until_complete(create_root(services))
        self.loop.run_until_complete(self._release())
        return Client(build(services), self.loop, TOKEN)


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture
def world(tmp_path, loop, monkeypatch):
    world = World(tmp_path, loop, monkeypatch)
    yield world
    loop.run_until_complete(world.database.close())


@pytest.fixture
def receivers(loop, tmp_path):
    """At the port of the web of every address of this machine, and one with a certificate that nobody signed."""
    for address in OWN:
        subprocess.run(["ip", "address", "replace", address, "dev", "lo"], check=True)
    tls = self_signed(tmp_path / "certificate.pem", NAME)
    found = [Receiver(answer(), host="0.0.0.0"), Receiver(answer(), host="::"),
             Receiver(answer(), host="127.0.0.2", tls=tls)]  # fmt: skip

    async def listen(stack):
        for receiver in found:
            await stack.enter_async_context(receiver.listening())

    stack = AsyncExitStack()
    loop.run_until_complete(listen(stack))
    yield found
    loop.run_until_complete(stack.aclose())


def deliver(root: Client, hook: str) -> tuple[str, str | None]:
    """Create an issue; how the hook was called for it."""
    assert root.post(f"{hook.rpartition('/hooks')[0]}/issues", title="x").status == 201
    entry = root.get(f"{hook}/events").json[0]
    return entry["response_status"], entry["internal_error_message"]


def hook(client: Client, url: str, **more: Any) -> str:
    """The path of a new hook of a new project."""
    project = client.post("/projects", name=f"project {len(client.get('/projects', per_page=100).json)}").json["id"]
    made = client.post(f"/projects/{project}/hooks", url=url, issues_events=True, push_events=False, **more)
    assert made.status == 201, (url, made)
    return f"/projects/{project}/hooks/{made.json['id']}"


def test_no_hook_reaches_an_address_that_may_not_be_called(world, receivers):
    v4, v6, tls = receivers

    def at(address: str) -> str:
        """The address with the port of the receiver there."""
        if ":" not in address:
            return f"{address}:{v4.port}"
        return f"[{address}]:{v4.port if address.startswith('::ffff') else v6.port}"

    def calls() -> int:
        return v4.calls + v6.calls

    root = world.root(*map(at, FORBIDDEN))
    # While the operator allows them, each address can be called; so the receivers would notice.
    literals = {address: hook(root, f"http://{at(address)}/") for address in FORBIDDEN}
    for address, there in literals.items():
        assert deliver(root, there) == ("200", None), address
    assert calls() == len(FORBIDDEN)

    strict = world.root()
    named = {address: hook(strict, f"http://{NAME}-{n}:8080/") for n, address in enumerate(FORBIDDEN)}
    world.names |= {f"{NAME}-{n}": [address] for n, address in enumerate(FORBIDDEN)}
    # First an address of the public, then a private one: judged where it is called, at every call.
    rebound = hook(strict, f"http://{NAME}:8080/")
    world.names[NAME] = ["10.0.0.1", "8.8.8.8"]
    for address, there in [*literals.items(), *named.items(), ("rebound", rebound)]:
        status, reason = deliver(strict, there)
        assert status == "internal error", address
        assert reason is not None
        assert "may not be called" in reason or "an address of this instance" in reason, (address, reason)
    assert (calls(), tls.calls) == (len(FORBIDDEN), 0)


def test_a_name_that_changes_its_address_meanwhile_is_called_where_it_was_judged(world, receivers):
    v4, _, _ = receivers
    narrow = world.root(f"127.0.0.2:{v4.port}")
    world.names["changing.example"] = ["127.0.0.2", "10.0.0.1"]
    assert deliver(narrow, hook(narrow, f"http://changing.example:{v4.port}/")) == ("200", None)
    assert world.names["changing.example"] == ["10.0.0.1"]
    assert v4.calls == 1


def test_a_self_signed_certificate_is_accepted_only_without_verification(world, receivers):
    _, _, tls = receivers
    narrow = world.root(f"127.0.0.2:{tls.port}")
    world.names["secure.example"] = ["127.0.0.2"]
    status, reason = deliver(narrow, hook(narrow, f"https://secure.example:{tls.port}/"))
    assert (status, tls.received) == ("internal error", [])
    assert "certificate" in (reason or "").lower()
    unverified = hook(narrow, f"https://secure.example:{tls.port}/", enable_ssl_verification=False)
    assert deliver(narrow, unverified) == ("200", None)
    assert len(tls.received) == 1
