"""Starts the product of the tree it is in, and asks it for a version and for the page of a project."""

import asyncio
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from mujina.app import build, build_services
from mujina.cli.commands import application as command_line
from mujina.cli.first_start import create_root
from mujina.kernel.db.connect import connect
from mujina.kernel.monitoring.readiness import prepare
from mujina.migrations.upgrade import migrate
from mujina.settings import Settings
from tests.harness.client import Client

TOKEN = "token-of-the-administrator"


def main(folder: Path) -> None:
    loop = asyncio.new_event_loop()
    settings = Settings(data=folder, root_token=TOKEN, password_kilobytes=64)
    database = connect(settings.database)
    loop.run_until_complete(migrate(settings.database))
    loop.run_until_complete(database.open())
    services = build_services(settings, database)
    loop.run_until_complete(prepare(services))
    loop.run_until_complete(create_root(services))
    root = Client(build(services), loop, TOKEN)
    assert root.get("/version").status == 200
    assert root.post("/projects", name="Small", visibility="public").status == 201
    page = root.with_token(None).get("//root/small")
    assert (page.status, "Small" in page.text) == (200, True), page
    assert ("geo" in command_line.app) is (find_spec("mujina.replication") is not None)
    services.passwords.close()
    loop.run_until_complete(database.close())


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        main(Path(folder))
