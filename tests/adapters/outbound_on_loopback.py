"""Calls to a real receiver on loopback. `test_outbound.py` runs this file inside a network namespace of its own."""

import asyncio
import base64
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from mujina.adapters.outbound.client import HostUnreachable, Outbound, OutboundForbidden, Timeouts
from tests.adapters.receiver import Receiver, answer, self_signed

assert [name for _, name in socket.if_nameindex()] == ["lo"], "run me through test_outbound.py: I need to be alone"


def story(told: Callable[[], Awaitable[None]]) -> Callable[[], None]:
    """A test told as a coroutine."""

    def test():
        asyncio.run(asyncio.wait_for(told(), 60))

    return test


@story
async def test_a_receiver_on_loopback_is_called_only_when_listed():
    async with Receiver(answer(b"hello", X_Flavour="mint")).listening() as receiver:
        url = f"http://127.0.0.1:{receiver.port}/hook?a=b"
        for refusing in (Outbound(), Outbound(["127.0.0.1:1"]), Outbound(["10.0.0.0/8"])):
            with pytest.raises(OutboundForbidden, match=r"127\.0\.0\.1 is at a loopback address"):
                await refusing.get(url)
        assert receiver.calls == 0

        got = await Outbound([f"127.0.0.1:{receiver.port}"]).get(url)
        assert (got.status, got.body, got.truncated, got.headers["x-flavour"]) == (200, b"hello", False, "mint")
        assert receiver.received[0].path == "/hook?a=b"
        assert receiver.received[0].headers["host"] == f"127.0.0.1:{receiver.port}"


@story
async def test_json_is_posted_with_the_headers_given():
    async with Receiver(answer(status="201 Created")).listening() as receiver:
        outbound = Outbound(["127.0.0.1"])
        got = await outbound.post(
            f"http://127.0.0.1:{receiver.port}/", json={"object_kind": "push"}, headers={"X-Token": "tøken"}
        )
        assert got.status == 201
        (asked,) = receiver.received
        assert (asked.method, asked.body) == ("POST", b'{"object_kind":"push"}')
        assert asked.headers["content-type"] == "application/json"
        assert asked.headers["x-token"] == "tøken"
        assert asked.headers["accept-encoding"] == "identity"


@story
async def test_odd_spellings_of_an_address_are_judged_as_the_system_reads_them():
    async with Receiver(answer()).listening() as receiver:
        for host in ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "LOCALHOST."):
            url = f"http://{host}:{receiver.port}/"
            with pytest.raises(OutboundForbidden):
                await Outbound(["127.0.0.2"]).get(url)
            assert (await Outbound(["127.0.0.1"]).get(url)).status == 200
        assert receiver.calls == 6


@story
async def test_ipv6_is_called_by_its_address():
    async with Receiver(answer(), host="::1").listening() as receiver:
        url = f"http://[::1]:{receiver.port}/"
        with pytest.raises(OutboundForbidden):
            await Outbound(["127.0.0.0/8"]).get(url)
        await Outbound([f"[::1]:{receiver.port}"]).get(url)
        assert receiver.received[0].headers["host"] == f"[::1]:{receiver.port}"


def test_a_public_address_is_accepted_on_ports_of_the_web():
    for url in ("http://8.8.8.8/", "http://134744072/", "https://[2606:4700::1111]/", "http://8.8.8.8:8080/"):
        assert Outbound().rejection(url) is None
    assert "Port 22" in (Outbound().rejection("http://8.8.8.8:22/") or "")


@story
async def test_a_public_address_of_this_machine_is_refused():
    async with Receiver(answer(), host="3aaa::1").listening() as receiver:
        url = f"http://[3aaa::1]:{receiver.port}/"
        with pytest.raises(OutboundForbidden, match="an address of this instance"):
            await Outbound().get(url)
        assert "an address of this instance" in (Outbound().rejection(url) or "")
        assert receiver.calls == 0
        assert (await Outbound(["3aaa::1"]).get(url)).status == 200


def test_a_name_that_changes_its_address_is_called_where_it_was_judged(monkeypatch: pytest.MonkeyPatch):
    asked: list[Any] = []

    def rebinding(host: Any, port: int, **_: Any):
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    async def told():
        async with Receiver(answer(b"first")).listening() as receiver:
            monkeypatch.setattr(socket, "getaddrinfo", rebinding)
            got = await Outbound(["127.0.0.1"]).get(f"http://rebinding.example:{receiver.port}/")
            assert got.body == b"first"
            assert asked == [b"rebinding.example"]
            assert receiver.received[0].headers["host"] == f"rebinding.example:{receiver.port}"

    asyncio.run(told())


def test_all_addresses_are_tried_unless_one_is_forbidden(monkeypatch: pytest.MonkeyPatch):
    addresses = ["127.0.0.2", "127.0.0.1"]

    def mixed(_host: Any, port: int, **_: Any):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    async def told():
        async with Receiver(answer(b"second")).listening() as receiver:
            monkeypatch.setattr(socket, "getaddrinfo", mixed)
            outbound = Outbound(["127.0.0.0/8"])
            assert (await outbound.get(f"http://mixed.example:{receiver.port}/")).body == b"second"
            pinned = await outbound.pinned(f"http://mixed.example:{receiver.port}/repository.git")
            assert pinned == ("mixed.example", receiver.port, "127.0.0.2")
            addresses.append("10.0.0.1")
            for call in (outbound.get, outbound.pinned):
                with pytest.raises(OutboundForbidden):
                    await call(f"http://mixed.example:{receiver.port}/repository.git")
            assert receiver.calls == 1

    asyncio.run(told())


@story
async def test_a_redirect_is_an_answer_like_any_other_unless_following_is_asked_for():
    async with Receiver(answer(status="302 Found", Location="/next"), answer(b"there")).listening() as receiver:
        outbound = Outbound(["127.0.0.1"])
        got = await outbound.post(f"http://127.0.0.1:{receiver.port}/", body=b"x")
        assert (got.status, got.headers["location"]) == (302, "/next")
        assert receiver.calls == 1


@story
async def test_a_followed_redirect_becomes_a_get_unless_told_to_stay():
    for status, method, body in (("302 Found", "GET", b""), ("307 Temporary Redirect", "POST", b"x")):
        async with Receiver(answer(status=status, Location="/next"), answer(b"there")).listening() as receiver:
            url = f"http://me:pass@127.0.0.1:{receiver.port}/first"
            got = await Outbound(["127.0.0.1"]).post(url, body=b"x", headers={"X-Token": "t"}, follow=5)
            assert got.body == b"there"
            last = receiver.received[-1]
            assert (last.method, last.path, last.body) == (method, "/next", body)
            assert last.headers["x-token"] == "t"
            assert last.headers["authorization"].startswith("Basic ")


@story
async def test_a_redirect_to_what_may_not_be_called_is_not_followed():
    async with Receiver(answer(b"secret")).listening() as inner:
        for location in (
            f"http://127.0.0.1:{inner.port}/",
            f"//0x7f.1:{inner.port}/",
            "http://169.254.169.254/latest/meta-data/",
            "http://[::ffff:10.0.0.1]/",
            "file:///etc/passwd",
            "gopher://127.0.0.1/",
        ):
            async with Receiver(answer(status="302 Found", Location=location)).listening() as outer:
                with pytest.raises(OutboundForbidden):
                    await Outbound([f"127.0.0.1:{outer.port}"]).get(f"http://127.0.0.1:{outer.port}/", follow=5)
                assert outer.calls == 1
        assert inner.calls == 0


@story
async def test_a_redirect_elsewhere_takes_neither_headers_nor_password_along():
    async with Receiver(answer(b"elsewhere")).listening() as other:
        location = f"http://you:too@127.0.0.1:{other.port}/"
        async with Receiver(answer(status="307 Temporary Redirect", Location=location)).listening() as first:
            url = f"http://127.0.0.1:{first.port}/"
            headers = {"X-Token": "t", "Content-Type": "text/plain"}
            await Outbound(["127.0.0.1"]).post(url, body=b"x", auth=("me", "pass"), headers=headers, follow=1)
    (asked,) = other.received
    assert "x-token" not in asked.headers
    assert "authorization" not in asked.headers
    assert asked.headers["content-type"] == "text/plain"


@story
async def test_a_circle_of_redirects_ends():
    async with Receiver(answer(status="302 Found", Location="/")).listening() as receiver:
        got = await Outbound(["127.0.0.1"]).get(f"http://127.0.0.1:{receiver.port}/", follow=3)
        assert got.status == 302
        assert receiver.calls == 4


@story
async def test_a_password_in_the_url_is_sent_as_basic_auth_unless_one_is_given_apart():
    async with Receiver(answer()).listening() as receiver:
        url = f"http://me:p%40ss@127.0.0.1:{receiver.port}/"
        outbound = Outbound(["127.0.0.1"])
        await outbound.get(url)
        await outbound.get(url, auth=("other", "word"))
        sent = [base64.b64decode(asked.headers["authorization"].removeprefix("Basic ")) for asked in receiver.received]
        assert sent == [b"me:p@ss", b"other:word"]
        assert all("me" not in asked.headers["host"] for asked in receiver.received)


@story
async def test_a_receiver_that_never_answers_is_given_up_and_the_connection_closed():
    gone = asyncio.Event()

    async def silent(reader: StreamReader, _writer: StreamWriter):
        await reader.read()
        gone.set()

    async with Receiver(silent).listening() as receiver:
        with pytest.raises(HostUnreachable, match="did not answer in time"):
            await Outbound(["127.0.0.1"]).get(f"http://127.0.0.1:{receiver.port}/", timeouts=Timeouts(5, 0.1, 30))
        await gone.wait()


@story
async def test_a_receiver_that_drips_is_given_up_when_the_whole_takes_too_long():
    async def dripping(_reader: StreamReader, writer: StreamWriter):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with Receiver(dripping).listening() as receiver:
        with pytest.raises(HostUnreachable, match="did not answer in time"):
            await Outbound(["127.0.0.1"]).get(f"http://127.0.0.1:{receiver.port}/", timeouts=Timeouts(5, 5, 0.3))


@story
async def test_a_tls_handshake_that_hangs_is_given_up_and_the_connection_closed():
    called, gone = asyncio.Event(), asyncio.Event()

    async def hang(reader: StreamReader, writer: StreamWriter):
        called.set()
        await reader.read()
        gone.set()
        writer.close()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        for patience in (Timeouts(0.1, 5, 5), Timeouts(5, 5, 0.1)):
            called.clear()
            gone.clear()
            while not called.is_set():  # on a busy machine the time may be over before anybody is called
                with pytest.raises(HostUnreachable, match="did not answer in time"):
                    await Outbound(["127.0.0.1"]).get(f"https://127.0.0.1:{port}/", timeouts=patience)
            await gone.wait()


@story
async def test_a_body_without_end_is_cut():
    async def endless(_reader: StreamReader, writer: StreamWriter):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 65_536)
            await writer.drain()

    async with Receiver(endless).listening() as receiver:
        got = await Outbound(["127.0.0.1"]).get(f"http://127.0.0.1:{receiver.port}/", max_bytes=1_000)
        assert (got.status, got.body, got.truncated) == (200, b"x" * 1_000, True)

    async with Receiver(answer(b"x" * 1_000)).listening() as receiver:
        got = await Outbound(["127.0.0.1"]).get(f"http://127.0.0.1:{receiver.port}/", max_bytes=1_000)
        assert (len(got.body), got.truncated) == (1_000, False)


@story
async def test_a_closed_port_or_a_server_without_http_is_unreachable():
    async with Receiver(
        b"SSH-2.0-OpenSSH\r\n", b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"
    ).listening() as receiver:
        url = f"http://127.0.0.1:{receiver.port}/path-s3cret?key=s3cret"
        for _ in range(3):
            with pytest.raises(HostUnreachable, match="could not be reached") as caught:
                await Outbound(["127.0.0.1"]).get(url)
            assert "s3cret" not in str(caught.value)
    with pytest.raises(HostUnreachable, match="could not be reached"):
        await Outbound(["127.0.0.1"]).get(url)
    with pytest.raises(HostUnreachable, match="could not be resolved"):
        await Outbound().get("http://nobody.invalid/")


@story
async def test_a_header_that_would_break_the_request_is_refused_and_not_shown():
    async with Receiver(answer()).listening() as receiver:
        with pytest.raises(OutboundForbidden) as caught:
            await Outbound(["127.0.0.1"]).get(
                f"http://127.0.0.1:{receiver.port}/", headers={"X-Token": "s3cret\r\nX-Evil: 1"}
            )
        assert "s3cret" not in str(caught.value)
        assert receiver.received == []


Asked = list[tuple[int, bytes, bytes]]
"""The connection, the method and the token of each request."""


async def serve_many(asked: Asked, opened: list[StreamWriter], moved_to: int = 0) -> asyncio.Server:
    """A server that answers many requests on a connection."""

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        opened.append(writer)
        connection = len(opened)
        while head := await reader.read(10_000):
            line, _, rest = head.partition(b"\r\n")
            asked.append((connection, line.split()[0], rest.partition(b"X-Token: ")[2][:4]))
            body = b"x" * 100_000 if b"/long" in line else b"hello"
            moved = b"Location: http://127.0.0.1:%d/\r\n" % moved_to if b"/moved" in line else b""
            status = b"302 Found" if moved else b"200 OK"
            writer.write(b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, moved, len(body), body))
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


@story
async def test_a_connection_is_kept_for_the_same_host_only():
    asked, opened, keeping = Asked(), list[StreamWriter](), Outbound(["127.0.0.1"], keep=True)
    async with await serve_many(asked, opened) as other:
        port = other.sockets[0].getsockname()[1]
        async with await serve_many(asked, opened, port) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            for path in ("/", "/again", "/moved"):
                got = await keeping.get(f"{url}{path}", headers={"X-Token": "mine"}, follow=1)
                assert (got.status, got.body) == (200, b"hello")
            await keeping.post(f"{url}/")
            assert asked == [*[(1, b"GET", b"mine")] * 3, (2, b"GET", b""), (3, b"POST", b"")]
            await keeping.aclose()
            await asyncio.gather(*(each.wait_closed() for each in opened))


@story
async def test_a_connection_that_was_cut_off_or_closed_is_not_used_again():
    asked, opened, keeping = Asked(), list[StreamWriter](), Outbound(["127.0.0.1"], keep=True)
    async with await serve_many(asked, opened) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert (await keeping.get(f"{url}/long", max_bytes=10)).truncated
        await keeping.get(f"{url}/")
        opened[1].close()
        await opened[1].wait_closed()
        assert (await keeping.get(f"{url}/")).status == 200
        await keeping.aclose()
        for _ in range(2):
            await Outbound(["127.0.0.1"]).get(f"{url}/")
        assert [connection for connection, _, _ in asked] == [1, 2, 3, 4, 5]


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")

    @story
    async def told():
        async with Receiver(answer()).listening() as receiver:
            assert (await Outbound(["127.0.0.1"]).get(f"http://127.0.0.1:{receiver.port}/")).status == 200

    told()


@story
async def test_cookies_are_not_kept():
    async with Receiver(answer(Set_Cookie="session=1; Path=/")).listening() as receiver:
        outbound = Outbound(["127.0.0.1"])
        await outbound.get(f"http://127.0.0.1:{receiver.port}/")
        await outbound.get(f"http://127.0.0.1:{receiver.port}/")
        assert all("cookie" not in asked.headers for asked in receiver.received)


def test_certificates_are_verified_unless_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    certificate = tmp_path / "certificate.pem"
    context = self_signed(certificate, "localhost")

    @story
    async def told():
        async with Receiver(answer(b"sealed"), tls=context).listening() as receiver:
            allow = ["localhost", "127.0.0.1"]
            url = f"https://localhost:{receiver.port}/"
            with pytest.raises(HostUnreachable, match="certificate verify failed"):
                await Outbound(allow).get(url)
            assert (await Outbound(allow).get(url, verify_tls=False)).body == b"sealed"
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            assert (await Outbound(allow).get(url)).body == b"sealed"
            with pytest.raises(HostUnreachable, match="certificate verify failed"):
                await Outbound(allow).get(url.replace("localhost", "127.0.0.1"))

    told()
