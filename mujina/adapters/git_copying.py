"""Whole repositories brought from elsewhere: every branch and tag with what they need, and nothing besides."""

from pathlib import Path
from typing import Final

from mujina.adapters import git

PATIENCE_SECONDS: Final = 3_600
EVERYTHING: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
"""Refs of the instance's own stay where they are."""


async def copy(source: Path, target: Path) -> None:
    """The branches and tags of `source` are those of `target`; doing it again changes nothing.

    The objects are copied, never borrowed: what the source gets later is not seen here, what it loses stays.
    """
    await git.run(
        target, "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head", named=[str(source), *EVERYTHING],
        environment={"GIT_ALLOW_PROTOCOL": "file"}, seconds=PATIENCE_SECONDS,
    )  # fmt: skip
