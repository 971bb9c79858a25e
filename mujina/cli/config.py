"""`mujina config`."""

from typing import Any, cast

from cyclopts import App

from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.cli.server_record import without_password
from mujina.configuration import KINDS, Effective, is_secret

config = App(name="config")
DEFAULT_INSTANCE = Instance()


@config.command
def show(instance: Instance = DEFAULT_INSTANCE) -> None:
    """Print every setting in effect and its source. Secrets are masked, of a URL only the password."""
    effective = instance.effective()
    print_table(
        ("setting", "value", "from"), [(name, _display(effective, name), effective.sources[name]) for name in KINDS]
    )


def _display(effective: Effective, name: str) -> str:
    value: Any = getattr(effective.settings, name)
    if value is None:
        return "not set"
    if name.endswith("_url"):
        return without_password(value)
    if is_secret(name):
        return "[masked]"
    return ", ".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else str(value)
