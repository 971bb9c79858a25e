"""Which Mujina this is."""

import hashlib

VERSION = "0.2.0"
"""The package gets its version from this line: reading it from the installed package takes 15 ms of every start."""
REVISION = hashlib.sha1(VERSION.encode(), usedforsecurity=False).hexdigest()[:8]
"""In the form of a commit, which clients expect and an installed package does not know; the same on every machine."""
