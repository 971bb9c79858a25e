"""Why a backup cannot be made, read or restored."""


class BackupError(Exception):
    """The message is one sentence for the operator, which names the set or the part that it is about."""
