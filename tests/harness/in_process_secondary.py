"""A secondary in the process of the tests: the application over a database that it may not write. Its primary is away."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mujina.app import build, build_services
from mujina.cli.secondary import as_secondary
from mujina.directory_settings import Directory
from mujina.kernel import clock
from mujina.kernel.services import Services
from mujina.migrations.upgrade import migrate
from mujina.replication.nodes.identity import NodeIdentity, registry_url, store_identity
from mujina.replication.registry.operations import add_repositories
from mujina.settings import Settings
from tests.harness.client import Client
from tests.harness.stage import Stage

URL = "https://secondary.example.com"
UNREACHABLE = "http://127.0.0.1:1/"


@contextmanager
def secondary_services(
    stage: Stage, database: Any, data: Path, folder: Path, node_id: int, *, ldap: tuple[Directory, ...] = (),
    primary_url: str = UNREACHABLE,
) -> Generator[Services]:  # fmt: skip
    """The services of a secondary in `folder`. It has copies of all repositories and files of the primary in `data`."""
    folder.mkdir()
    for name in ("repositories", "files"):
        (data / name).mkdir(exist_ok=True)
        (folder / name).symlink_to(data / name)
    key = (data / "secrets" / "instance.key").read_text().strip()
    store_identity(
        folder,
        NodeIdentity(node_id, f"{URL}/", primary_url, "access-key", "secret"),
        instance_key=key,
        ssh_host_key="key",
    )
    settings = Settings(data=folder, external_url=URL, password_kilobytes=64, ldap=ldap)
    stage.loop.run_until_complete(migrate(registry_url(settings)))
    secondary = as_secondary(build_services(settings, database))
    services = stage.loop.run_until_complete(secondary.__aenter__())
    try:
        stage.loop.run_until_complete(_mark_copied(services))
        yield services
    finally:
        stage.loop.run_until_complete(secondary.__aexit__(None, None, None))


@contextmanager
def secondary_client(*arguments: Any, **more: Any) -> Generator[Client]:
    """An anonymous client of such a secondary."""
    with secondary_services(*arguments, **more) as services:
        yield Client(build(services), arguments[0].loop)


async def _mark_copied(services: Services) -> None:
    assert services.registry is not None
    async with services.database.reading() as tx:
        ids = await tx.values("SELECT p.id FROM projects p")
    async with services.registry.transaction() as tx:
        for kind in ("repository", "wiki"):
            await add_repositories(tx, kind, ids)
        await tx.run("UPDATE replicated_repositories SET dirty = FALSE, succeeded_at = :now", now=clock.now())
