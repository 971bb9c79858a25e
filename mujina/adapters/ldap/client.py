"""A client of LDAP directories: connects, encrypts, binds and searches, each within the directory's time limit.

It runs on the event loop alone: no library call blocks it, and a server that answers nothing costs a waiting coroutine.
Whatever is not a definite answer is a `DirectoryError`; its text names neither entries nor passwords.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from mujina.adapters.ldap import messages
from mujina.adapters.ldap.filters import ANY_ENTRY, Filter, check_attribute, every, parse
from mujina.adapters.ldap.messages import DirectoryEntry, MalformedMessage, Message, Result
from mujina.directory_settings import Directory, DirectoryError, InconclusiveAnswer
from mujina.kernel.text.distinguished_names import parse as parse_name

SUCCESS, SIZE_LIMIT, NO_SUCH_OBJECT = 0, 4, 32
WRONG_PASSWORD: Final = {19, 32, 34, 48, 49, 50, 53}
"""Codes by which servers refuse a password: unknown entries, entries without a password, and locked ones as well."""
CODES: Final = {
    1: "operations error", 2: "protocol error", 3: "time limit exceeded", 4: "size limit exceeded",
    7: "authentication method not supported", 8: "stronger authentication required", 10: "referral",
    11: "administrative limit exceeded", 12: "unavailable critical extension", 13: "confidentiality required",
    32: "no such object", 34: "invalid name", 48: "inappropriate authentication", 49: "invalid credentials",
    50: "insufficient access rights", 51: "busy", 52: "unavailable", 53: "unwilling to perform", 80: "other error",
}  # fmt: skip
PAGE_SIZE = 500
MAX_MESSAGE_BYTES = 64 * 1024 * 1024

_resolvers = ThreadPoolExecutor(4, thread_name_prefix="resolve-directory")
"""Resolvers may block for long: they have threads of their own."""


class DirectoryConnection:
    """A connection that is bound as the search account. One operation runs at a time."""

    def __init__(self, directory: Directory, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.directory = directory
        self._reader = reader
        self._writer = writer
        self._number = 0

    async def search(
        self,
        base: str,
        matching: Filter = ANY_ENTRY,
        attributes: Sequence[str] = ("*",),
        *,
        scope: Literal["entry", "subtree"] = "subtree",
        limit: int = 0,
        complete: bool = False,
    ) -> list[DirectoryEntry]:
        """The entries that match, all of them or at most `limit`. No entry of scope `entry`: it does not exist.

        `complete`: an answer of which other servers have a part is none.
        """
        subtree = scope == "subtree"
        seconds = self.directory.timeout
        request = messages.search_request(
            base, subtree=subtree, matching=matching, attributes=attributes, limit=limit, seconds=seconds
        )
        found, cookie = list[DirectoryEntry](), b""
        while True:
            paging = [messages.paging(PAGE_SIZE, cookie)] if subtree and not limit else []
            async with _limited(self.directory):
                result = await self._collect(found, request, *paging, complete=complete)
            if result.code == NO_SUCH_OBJECT and not subtree:
                return []
            if result.code != SUCCESS and not (result.code == SIZE_LIMIT and limit):
                raise DirectoryError(f"the search failed: {_name(result)}")
            cookie = result.cookie
            if not cookie:
                return found

    async def _collect(self, found: list[DirectoryEntry], request: bytes, *controls: bytes, complete: bool) -> Result:
        """Add the entries of one page."""
        number = self._send(request, *controls)
        referred = False
        before = len(found)
        while True:
            message = await self._receive(number)
            if message.kind == messages.SEARCH_ENTRY:
                found.append(messages.decode_entry(message))
            elif message.kind == messages.SEARCH_REFERENCE:
                referred = True
            elif message.kind == messages.SEARCH_DONE:
                if referred and (complete or len(found) == before):
                    raise InconclusiveAnswer("the search was referred to another server")
                return messages.decode_result(message)
            else:
                raise MalformedMessage

    async def bind(self, dn: str, password: str) -> Result:
        """Authenticate as this entry."""
        async with _limited(self.directory):
            return await self._ask(messages.bind_request(dn, password), messages.BIND_RESULT)

    async def start_tls(self, host: str) -> None:
        """Encrypt the connection, before anything else is sent on it."""
        result = await self._ask(messages.start_tls_request(), messages.EXTENDED_RESULT)
        if result.code != SUCCESS:
            raise DirectoryError(f"the server does not start TLS: {_name(result)}")
        context = await _tls(self.directory)
        await self._writer.start_tls(context, server_hostname=host, ssl_handshake_timeout=self.directory.timeout)

    def close(self) -> None:
        """Say goodbye and close; a server that does not read is not waited for."""
        if not self._writer.is_closing():
            self._writer.write(messages.encode_message(self._number + 1, messages.UNBIND))
            self._writer.close()

    def abort(self) -> None:
        self._writer.transport.abort()

    async def _ask(self, request: bytes, answer: int) -> Result:
        message = await self._receive(self._send(request))
        if message.kind != answer:
            raise MalformedMessage
        return messages.decode_result(message)

    def _send(self, operation: bytes, *controls: bytes) -> int:
        self._number += 1
        self._writer.write(messages.encode_message(self._number, operation, *controls))
        return self._number

    async def _receive(self, number: int) -> Message:
        """The next answer to the request of this number."""
        tag, length = await self._reader.readexactly(2)
        if tag != messages.SEQUENCE:
            raise MalformedMessage
        if length & 0x80:
            octets = await self._reader.readexactly(length & 0x7F)
            length = int.from_bytes(octets)
        if length > MAX_MESSAGE_BYTES:
            raise MalformedMessage
        message = messages.decode_message(await self._reader.readexactly(length))
        if message.id == 0:
            raise DirectoryError("the server closed the connection")
        if message.id != number:
            raise MalformedMessage
        return message


@asynccontextmanager
async def connect(directory: Directory) -> AsyncGenerator[DirectoryConnection]:
    """A connection to the directory, bound as its search account, closed at the end."""
    async with _opened(directory) as connection:
        if directory.bind_dn:
            result = await connection.bind(directory.bind_dn, directory.bind_password)
            if result.code != SUCCESS:
                raise DirectoryError(f"the search account was rejected: {_name(result)}")
        yield connection


async def verify_password(directory: Directory, dn: str, password: str) -> bool:
    """Whether the directory accepts this password of this entry. An empty one is never sent: it would mean "anonymous"."""
    if not dn or not password:
        return False
    async with _opened(directory) as connection:
        result = await connection.bind(dn, password)
    if result.code != SUCCESS and result.code not in WRONG_PASSWORD:
        raise DirectoryError(f"the password was not checked: {_name(result)}")
    return result.code == SUCCESS


@asynccontextmanager
async def _opened(directory: Directory) -> AsyncGenerator[DirectoryConnection]:
    url = urlsplit(directory.url)
    host, secure = url.hostname or "", url.scheme == "ldaps"
    port = url.port or (636 if secure else 389)
    async with _limited(directory):
        connection = await _open(directory, host, port, await _tls(directory) if secure else None)
        try:
            if directory.start_tls:
                await connection.start_tls(host)
        except BaseException:
            connection.abort()
            raise
    try:
        yield connection
    except BaseException:
        connection.abort()
        raise
    connection.close()


async def _open(directory: Directory, host: str, port: int, context: ssl.SSLContext | None) -> DirectoryConnection:
    """Connect to the first address of the host that accepts."""
    loop = asyncio.get_running_loop()
    addresses = await loop.run_in_executor(_resolvers, _resolve, host, port)
    tls: dict[str, Any] = {"server_hostname": host, "ssl_shutdown_timeout": 1.0} if context else {}
    failure: OSError | None = None
    for address in addresses:
        try:
            # An equal share of the time for each: an address that drops packets leaves time for the next.
            async with asyncio.timeout(directory.timeout / len(addresses)):
                reader, writer = await asyncio.open_connection(address, port, ssl=context, **tls)
                return DirectoryConnection(directory, reader, writer)
        except OSError as error:
            failure = failure or error
    raise failure or OSError("the name has no address")


def _resolve(host: str, port: int) -> list[str]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _tls(directory: Directory) -> ssl.SSLContext:
    return await asyncio.to_thread(_tls_context, directory.ca_file, directory.verify_tls, directory.tls_min)


@lru_cache(16)
def _tls_context(ca_file: Path | None, verify: bool, oldest: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_3 if oldest == "1.3" else ssl.TLSVersion.TLSv1_2
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


@asynccontextmanager
async def _limited(directory: Directory) -> AsyncGenerator[None]:
    """The time limit of the directory applies; whatever goes wrong between us and the server is a `DirectoryError`."""
    try:
        async with asyncio.timeout(directory.timeout):
            yield
    except TimeoutError:
        raise DirectoryError("it did not answer in time") from None
    except ssl.SSLCertVerificationError as error:
        raise DirectoryError(f"its certificate is not accepted: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise DirectoryError(f"the connection could not be encrypted: {error.reason or 'TLS failed'}") from None
    except socket.gaierror as error:
        raise DirectoryError(f"its name could not be resolved: {error.strerror}") from None
    except asyncio.IncompleteReadError:
        raise DirectoryError("it closed the connection") from None
    except OSError as error:
        raise DirectoryError(f"it could not be reached: {error.strerror or 'the connection failed'}") from None
    except MalformedMessage:
        raise DirectoryError("it sent something that is not LDAP") from None


def _name(result: Result) -> str:
    return f"{CODES.get(result.code, 'error')} (code {result.code})"


def person_filter(directory: Directory, *filters: Filter) -> Filter:
    """A filter for users: what the operator demands of every user is part of it."""
    demanded = [parse(directory.user_filter)] if directory.user_filter else []
    return every(*demanded, *filters) if demanded or filters else ANY_ENTRY


def check_settings(directory: Directory) -> None:
    """`ValueError` for settings that cannot work; the message names the key."""
    checks: dict[str, Callable[[], object]] = {
        "user_filter": lambda: directory.user_filter and parse(directory.user_filter),
        "uid": lambda: check_attribute(directory.uid),
        "base": lambda: parse_name(directory.base),
        "group_base": lambda: directory.group_base and parse_name(directory.group_base),
        "ca_file": lambda: directory.ca_file and _tls_context(directory.ca_file, True, directory.tls_min),
    }
    for key, check in checks.items():
        try:
            check()
        except (ValueError, OSError) as error:
            raise ValueError(f"{key}: {error}") from None
    if directory.start_tls and directory.url.startswith("ldaps:"):
        raise ValueError("start_tls is for ldap:// addresses; ldaps:// is encrypted from the start")
    if directory.bind_dn and not directory.bind_password:
        raise ValueError("bind_password is needed with bind_dn")
    if (directory.admin_group or directory.external_groups) and not directory.group_base:
        raise ValueError("group_base is needed with admin_group and external_groups")
