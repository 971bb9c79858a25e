"""`mujina config`."""

from typing import Any, cast

from cyclopts import App

from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.configuration import KINDS, Effective, is_secret

config = App(name="config")
HERE = Instance()


@config.command
def show(instance: Instance = HERE) -> None:
    """Print every setting in force and where it came from. Secrets are not shown."""
    effective = instance.effective()
    print_table(
        ("setting", "value", "from"), [(name, _shown(effective, name), effective.sources[name]) for name in KINDS]
    )


def _shown(effective: Effective, name: str) -> str:
    value: Any = getattr(effective.settings, name)
    if value is None:
        return "not set"
    if is_secret(name):
        return "[masked]"
    return ", ".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else str(value)
