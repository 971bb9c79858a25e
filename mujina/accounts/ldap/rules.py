"""Which directories count."""

from mujina.directory_settings import Directory
from mujina.instance.editions.rules import has_feature
from mujina.settings import Settings


def usable_directories(settings: Settings) -> tuple[Directory, ...]:
    """The directories by which users sign in: all, or the first where the edition knows only one."""
    return settings.ldap if has_feature("ldap_groups") else settings.ldap[:1]


def find_directory(settings: Settings, provider: str) -> Directory | None:
    """The directory of this provider's name, if it is configured and counts."""
    return next((each for each in usable_directories(settings) if each.provider == provider), None)
