"""A receiver on loopback that answers what it is told to, in plain HTTP or TLS."""

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Behavior = Callable[[StreamReader, StreamWriter], Awaitable[None]]


class Received(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers what it is told to, and remembers what it was asked and how often it was called."""

    def __init__(self, *answers: bytes | Behavior, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None):
        self._answers, self._host, self._tls = list(answers), host, tls
        self.received: list[Received] = []
        self.calls = 0
        self.port = 0

    @asynccontextmanager
    async def listening(self):
        server = await asyncio.start_server(self._serve, self._host, 0, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter):
        self.calls += 1
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        try:
            self.received.append(await read_request(reader))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def read_request(reader: StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    method, path, _ = first.split(" ")
    return Received(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def answer(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    lines = {"Content-Length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    return (
        f"HTTP/1.1 {status}\r\n{''.join(f'{k}: {v}' + chr(13) + chr(10) for k, v in lines.items())}\r\n".encode() + body
    )


def self_signed(certificate: Path, name: str) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start = datetime.now(UTC) - timedelta(days=1)
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private = certificate.with_suffix(".key")
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    return context
