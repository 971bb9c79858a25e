"""The program that git runs as `ssh`: it connects to one address, with one key or password, if the host key is known.

Git passes the name of the host, which is not looked up, and the command. Everything else is in the variable `MUJINA_SSH`. It
runs by itself, without the rest of the product. The library of SSH, which takes twenty times as long to import as all that is
imported here, is imported only if the server accepts a connection: a mirror of a server that is down tries again and again.
"""

import importlib
import json
import os
import socket
import sys

FAILED = 255
"""The exit code by which `ssh` says that the connection failed, and not the command."""
SECONDS = 30
"""For a connection."""


def main() -> int:
    """Run the command that git passes."""
    login = json.loads(os.environ["MUJINA_SSH"])
    try:
        connected = socket.create_connection((login["address"], login["port"]), SECONDS)
    except OSError:
        sys.stderr.write("The connection failed.\n")
        return FAILED
    connected.setblocking(False)
    sys.path.append(__file__.rpartition("/")[0])
    return importlib.import_module("ssh_session").main(connected, sys.argv[-1], login)


if __name__ == "__main__":
    sys.exit(main())
