"""What Mujina needs to start: git, a data folder that is private to its owner and writable, and settings without faults."""

import os
import re
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from mujina.adapters.ldap.client import check_settings
from mujina.adapters.outbound.guard import OutboundGuard
from mujina.backups.errors import RESTORE_MARK
from mujina.cli.errors import CommandError
from mujina.configuration import BadSetting, Effective, load
from mujina.kernel.deferred_imports import postgres_url
from mujina.settings import Settings

MIN_GIT_VERSION = (2, 39)
TESTING_MARKER = ".testing"
"""The file that tells a data folder of `mujina serve --testing` from any other."""


def check_git() -> str:
    """Return the version line of git, which is installed and recent enough."""
    minimum = ".".join(map(str, MIN_GIT_VERSION))
    try:
        output = subprocess.run(["git", "--version"], capture_output=True, check=False).stdout.decode(errors="replace")
    except OSError:
        raise CommandError(f"git cannot be run: install git {minimum} or later.") from None
    version = re.search(r"(\d+)\.(\d+)", output)
    if version is None or (int(version[1]), int(version[2])) < MIN_GIT_VERSION:
        raise CommandError(f"{output.strip()} is too old: install git {minimum} or later.")
    return output.strip()


def make_data_folder(data: Path) -> None:
    """Ensure that the folder exists, is writable and not half restored; a new one is readable to its owner only."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=data).close()
    except OSError as error:
        raise CommandError(
            f"The data folder {data} is not writable ({error.strerror}): "
            "give it to the user that runs Mujina, or choose another with --data."
        ) from None
    if (data / RESTORE_MARK).exists():
        raise CommandError(f"The data folder {data} is not restored to its end: run `mujina restore` again.")


def check_output_file(path: Path) -> None:
    """Refuse what a new file would replace, and what is none: a folder, a device such as `/dev/null`, a link."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise CommandError(f"{path} is not a regular file: name another.")


@contextmanager
def data_folder(data: Path) -> Generator[None]:
    """Makes the folder as `make_data_folder` does; one in which nothing was made until the end of the block goes again."""
    new = [folder for folder in (data, *data.parents) if not os.path.exists(folder)]  # noqa: PTH110 - never an error
    try:
        make_data_folder(data)
        yield
    finally:
        for folder in new:
            with suppress(OSError):  # there is something in it
                folder.rmdir()


def is_for_tests(data: Path) -> bool:
    """Whether `mujina serve --testing` made this folder."""
    return (data / TESTING_MARKER).exists()


def refuse_testing_folder(data: Path) -> None:
    """Refuse to serve what tests left behind as if it were data of users."""
    if is_for_tests(data):
        raise CommandError(f"The folder {data} was made by `mujina serve --testing`: choose another with --data.")


def checked_settings(flags: Mapping[str, str | None], config: str | None) -> Effective:
    """The settings in effect with these flags and this settings file, and the source of each."""
    effective = load(flags, config=config)
    data = effective.settings.data
    if data.exists() and not data.is_dir():
        raise BadSetting(f"{effective.sources['data']}: {data} is not a folder: name another.")
    try:
        OutboundGuard(effective.settings.outbound_allow)
    except ValueError as error:
        raise BadSetting(f"{effective.sources['outbound_allow']}: outbound_allow: {error}.") from None
    _check_database_urls(effective)
    _check_pages_url(effective.settings)
    for directory in effective.settings.ldap:
        try:
            check_settings(directory)
        except ValueError as error:
            raise BadSetting(f"ldap.{directory.id}: {error}.") from None
    return effective


def _check_database_urls(effective: Effective) -> None:
    """The driver would print what is wrong with the URL, and its password."""
    for name in ("database_url", "database_pooler_url"):
        url: str | None = getattr(effective.settings, name)
        if url is not None and url.startswith("postgres") and (fault := postgres_url().find_url_fault(url)):
            raise BadSetting(f"{effective.sources[name]}: {name} {fault}")


def _check_pages_url(settings: Settings) -> None:
    """A namespace must not be able to have its site at the address of the instance: its scripts would act for every visitor."""
    if settings.pages_url is None:
        return
    instance, sites = (urlsplit(url).hostname or "" for url in (settings.url, settings.pages_url))
    if instance == sites or instance.endswith(f".{sites}"):
        raise BadSetting(f"pages_url: {settings.pages_url} may not be the host of {settings.url}, or one above it.")
