"""`mujina config`."""

from operator import attrgetter
from typing import Any, cast

from cyclopts import App

from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.cli.server_record import without_password
from mujina.configuration import DIRECTORY_KINDS, KINDS, is_secret

config = App(name="config")


@config.command
def show(instance: Instance = DEFAULT_INSTANCE) -> None:
    """Print every setting in effect and its source. Secrets are masked, of a URL only the password."""
    effective = instance.effective()
    settings = effective.settings
    values: dict[str, Any] = {name: getattr(settings, name) for name in KINDS if name != "ldap"}
    for directory in settings.ldap:
        values |= {f"ldap.{directory.id}.{key}": attrgetter(key)(directory) for key in DIRECTORY_KINDS}
    print_table(
        ("setting", "value", "from"), [(name, _display(name, values[name]), effective.sources[name]) for name in values]
    )


def _display(name: str, value: Any) -> str:
    if value is None:
        return "not set"
    if name.endswith("_url"):
        return without_password(value)
    if is_secret(name.removeprefix("ldap.").partition(".")[2] if name.startswith("ldap.") else name):
        return "[masked]" if value else "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    return (", ".join(cast("tuple[str, ...]", value)) or "none") if isinstance(value, tuple) else str(value)
