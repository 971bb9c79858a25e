"""A directory that returns the members of its only group piece by piece, as Active Directory does. slapd cannot."""

import re
import socketserver
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from mujina.adapters.ldap import messages


@contextmanager
def ranged_directory(group: str, members: Sequence[str], at_once: int) -> Generator[str]:
    """The address of a server whose every search finds the group, with at most so many members."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            while content := self.request.recv(65_536):
                (_, number), (kind, body), *_ = messages.values(next(messages.values(content))[1])
                if kind == messages.BIND:
                    self._answer(number, _result(messages.BIND_RESULT))
                elif kind == messages.SEARCH:
                    asked = re.search(rb"member;range=(\d+)", body)
                    self._answer(number, _entry(int(asked[1]) if asked else 0), _result(messages.SEARCH_DONE))

        def _answer(self, number: bytes, *operations: bytes) -> None:
            head = messages.encode(messages.INTEGER, number)
            self.request.sendall(b"".join(messages.encode(messages.SEQUENCE, head, each) for each in operations))

    def _entry(start: int) -> bytes:
        piece = members[start : start + at_once]
        end = "*" if start + at_once >= len(members) else str(start + len(piece) - 1)
        attribute = messages.encode(
            messages.SEQUENCE,
            messages.encode_text(f"member;range={start}-{end}"),
            messages.encode(messages.SET, *map(messages.encode_text, piece)),
        )
        return messages.encode(
            messages.SEARCH_ENTRY, messages.encode_text(group), messages.encode(messages.SEQUENCE, attribute)
        )

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"ldap://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def _result(kind: int) -> bytes:
    """Success."""
    return messages.encode(
        kind, messages.encode_integer(0, messages.ENUMERATED), messages.encode_text(""), messages.encode_text("")
    )
