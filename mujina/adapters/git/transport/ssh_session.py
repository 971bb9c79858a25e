"""What `ssh_client.py` does once it is connected: it signs in, if the host key is known, and runs the command.

No configuration, agent or list of hosts of this machine is read.
"""

import asyncio
import sys
from contextlib import suppress
from socket import socket
from typing import Any, BinaryIO, Final

import asyncssh

CHUNK: Final = 65_536
FAILED: Final = 255
"""The exit code by which `ssh` says that the connection failed, and not the command."""
SECONDS: Final = 30
"""For signing in, and between two signs of life."""


async def run(connected: socket, command: str, login: dict[str, Any]) -> int:
    """The exit code of the command on the other server, with the input and output of this process."""
    trusted = [asyncssh.import_public_key(line) for line in login["host_keys"]]
    key = login["private_key"]
    async with asyncssh.connect(
        login["address"], login["port"], sock=connected, username=login["user"], config=[], agent_path=None,
        client_keys=[asyncssh.import_private_key(key)] if key else None, password=login["password"] or None,
        known_hosts=(trusted, [], []), preferred_auth=["publickey"] if key else ["password"], connect_timeout=SECONDS,
        login_timeout=SECONDS, keepalive_interval=SECONDS,
    ) as connection:  # fmt: skip
        process = await connection.create_process(command, encoding=None)
        sending = asyncio.create_task(_send(process.stdin))
        await asyncio.gather(_receive(process.stdout, sys.stdout.buffer), _receive(process.stderr, sys.stderr.buffer))
        ended = await process.wait()
        sending.cancel()
    return FAILED if ended.exit_status is None else ended.exit_status


async def _send(stdin: asyncssh.SSHWriter[bytes]) -> None:
    """Pass on what git writes, as fast as it is accepted, and its end."""
    reader = asyncio.StreamReader(limit=CHUNK)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    with suppress(OSError):  # the command has ended: its exit code says how
        while piece := await reader.read(CHUNK):
            stdin.write(piece)
            await stdin.drain()
        stdin.write_eof()


async def _receive(stream: asyncssh.SSHReader[bytes], to: BinaryIO) -> None:
    """Pass on what the server writes, as fast as git reads it."""
    while piece := await stream.read(CHUNK):
        await asyncio.to_thread(to.write, piece)
        await asyncio.to_thread(to.flush)


def main(connected: socket, command: str, login: dict[str, Any]) -> int:
    """Run the command on the other server; why it failed is told to git, which passes it on."""
    try:
        return asyncio.run(run(connected, command, login))
    except asyncssh.HostKeyNotVerifiable:
        reason = "Host key verification failed."
    except asyncssh.PermissionDenied:
        reason = f"Permission denied ({'publickey' if login['private_key'] else 'password'})."
    except (OSError, asyncssh.Error):
        reason = "The connection failed."
    sys.stderr.write(f"{reason}\n")
    return FAILED
