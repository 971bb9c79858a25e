"""Which Mujina this is."""

import hashlib
from importlib.metadata import PackageNotFoundError, version


def _version() -> str:
    try:
        return version("mujina")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0.0.0"


VERSION = _version()
REVISION = hashlib.sha1(VERSION.encode(), usedforsecurity=False).hexdigest()[:8]
"""In the form of a commit, which clients expect and an installed package does not know; the same on every machine."""
