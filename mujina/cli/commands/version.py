"""`mujina version`."""

import platform

import apsw

from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.kernel.build import VERSION


def version(instance: Instance = DEFAULT_INSTANCE) -> None:
    """Print the versions of Mujina, Python and SQLite."""
    print(f"mujina {VERSION}")
    print(f"API version {instance.settings().api_version_text}")
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")
