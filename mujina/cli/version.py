"""`mujina version`."""

import platform

import apsw

from mujina.cli.instance import Instance
from mujina.kernel.build import VERSION

HERE = Instance()


def version(instance: Instance = HERE) -> None:
    """Print which Mujina this is, and what it stands on."""
    print(f"mujina {VERSION}")
    print(f"tells API clients {instance.settings().api_version_text}")
    print(f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()}")
