"""Why a backup cannot be made, read or restored."""

from typing import Final

RESTORE_MARK: Final = "restore.json"
"""The name of a file in a data folder that is not restored to its end."""


class BackupError(Exception):
    """The message is one sentence for the operator, which names the set or the part that it is about."""


class CredentialsRefused(BackupError):
    """A store does not let these credentials do it."""
