"""Upgrade a database with Alembic: `echo URL | python -m mujina.migrations.run`. A process of its own, see `upgrade`."""

import sys

from alembic import command
from alembic.config import Config

from mujina.migrations.revisions import HOME


def upgrade(url: str) -> None:
    """The database at `url` is at the newest revision, or as it was."""
    config = Config()
    config.set_main_option("script_location", str(HOME).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["url"] = url
    command.upgrade(config, "head")


if __name__ == "__main__":
    upgrade(sys.stdin.readline().strip())  # not an argument: those are seen by everybody, and a URL has a password
