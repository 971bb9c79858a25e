"""Which Mujina this is."""

import hashlib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def _version() -> str:
    try:
        return version("mujina")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0.0.0"


VERSION = _version()

# The head of the schema names what was built without asking git, which an installed package does not have.
REVISION = hashlib.sha1(f"{VERSION}{Path(__file__).stat().st_mtime_ns}".encode(), usedforsecurity=False).hexdigest()[:8]
