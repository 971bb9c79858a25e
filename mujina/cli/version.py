"""`mujina version`."""

import platform

import apsw

from mujina.build import VERSION
from mujina.cli.instance import Instance

HERE = Instance()


def version(instance: Instance = HERE) -> None:
    """Print which Mujina this is, and what it stands on."""
    print(f"mujina {VERSION}")
    print(f"tells API clients {instance.settings().api_version_text}")
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")
