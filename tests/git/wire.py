"""Pushes as no honest client would send them."""

import hashlib
import socket
import struct
import zlib
from urllib.parse import urlsplit

ZERO = "0" * 40
ADA = "Ada <developer@example.org> 1767225600 +0000"
TYPE = "application/x-git-receive-pack-request"


def line(text: str) -> bytes:
    return f"{len(text.encode()) + 4:04x}{text}".encode()


def request(*commands: str, pack: bytes = b"") -> bytes:
    """The body of a push: `old new ref` for each ref, then the pack."""
    first, *rest = commands
    lines = [line(f"{first}\0 report-status side-band-64k object-format=sha1"), *map(line, rest)]
    return b"".join(lines) + b"0000" + pack


def push(forge, project, who, body):
    path = f"/{project['path_with_namespace']}.git/git-receive-pack"
    return forge.ask("POST", path, body, {**forge.basic(who), "Content-Type": TYPE})


def push_half(forge, project, who, body, meanwhile=None) -> bytes:
    """Send the first half of a push; see `send_half`."""
    return send_half(forge, f"POST /{project['path_with_namespace']}.git/git-receive-pack", who, body, meanwhile)


def send_half(forge, line_, who, body, meanwhile=None) -> bytes:
    """Send the first half of the body and hang up; or do something `meanwhile`, send the rest, and read the answer."""
    where = urlsplit(forge.server.url)
    head = (
        f"{line_} HTTP/1.1\r\nHost: {where.netloc}\r\nAuthorization: {forge.basic(who)['Authorization']}\r\n"
        f"Content-Type: {TYPE}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    half = len(body) // 2
    with socket.create_connection((where.hostname, where.port)) as line:
        line.sendall(head.encode() + body[:half])
        if meanwhile is None:
            return b""
        meanwhile()
        line.sendall(body[half:])
        return b"".join(iter(lambda: line.recv(65_536), b""))


def pack_of(copy, *revisions: str) -> bytes:
    """The objects of these revisions, as a pack."""
    wanted = "".join(f"{revision}\n" for revision in revisions).encode()
    return copy.output("pack-objects", "--revs", "--stdout", "-q", stdin=wanted)


def chain(tree_id: str, parent: str, length: int) -> list[tuple[str, bytes]]:
    """`length` commits one upon the other, each with the pack that brings it, made without git."""
    steps: list[tuple[str, bytes]] = []
    for number in range(length):
        content = f"tree {tree_id}\nparent {parent}\nauthor {ADA}\ncommitter {ADA}\n\nStep {number}\n".encode()
        parent = hashlib.sha1(b"commit %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        sized = bytes([0x90 | len(content) & 15, len(content) >> 4])  # a commit of less than two kilobytes
        pack = b"PACK" + struct.pack(">II", 2, 1) + sized + zlib.compress(content)
        steps.append((parent, pack + hashlib.sha1(pack, usedforsecurity=False).digest()))
    return steps


def packed(*objects: tuple[int, bytes, bytes]) -> bytes:
    """A pack of these objects: the number of their kind, what a delta is based on, the content."""
    pack = b"PACK" + struct.pack(">II", 2, len(objects))
    for kind, base, content in objects:
        size = len(content)
        first, rest = kind << 4 | size & 15, size >> 4
        pack += (bytes([first | 0x80]) + count(rest) if rest else bytes([first])) + base + zlib.compress(content)
    return pack + hashlib.sha1(pack, usedforsecurity=False).digest()


def count(number: int) -> bytes:
    """A number in pieces of seven bits, the lowest first."""
    return bytes([number & 127 | 128]) + count(number >> 7) if number > 127 else bytes([number])


def written(copy, kind: str, content: bytes) -> str:
    """An object that git itself would not write; its id."""
    said = copy.git("hash-object", "-t", kind, "-w", "--literally", "--stdin", stdin=content)
    assert said.ok, said.text
    return said.text.strip()


def tree(*entries: tuple[str, str, str]) -> bytes:
    return b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(id) for mode, name, id in entries)


def commit_of(copy, tree_id: str) -> str:
    return written(copy, "commit", f"tree {tree_id}\nauthor {ADA}\ncommitter {ADA}\n\nOdd\n".encode())
