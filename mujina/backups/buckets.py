"""Buckets, opened with the credentials and the address that their own variables name, such as `AWS_ACCESS_KEY_ID`."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from mujina.backups.errors import BackupError
from mujina.kernel import deferred_imports

_CLIENT: Final = {"allow_http": True, "connect_timeout": "5s", "timeout": "10m"}
_RETRIES: Final = {"retry_timeout": timedelta(minutes=2)}
"""Nobody waits for a backup: a store that is away for a moment does not end it."""


def open_bucket(url: str) -> Any:
    """The store of this URL."""
    with explained(url):
        store: Any = deferred_imports.obstore().store
        if url.startswith("file://"):
            return store.from_url(url)
        return store.from_url(url, client_options=_CLIENT, retry_config=_RETRIES)


def list_bucket(store: Any, prefix: str = "") -> dict[str, Any]:
    """What the store says of each object, by its path."""
    batches: Any = deferred_imports.obstore().list(store, prefix=prefix or None)
    return {found["path"]: found for batch in batches for found in batch}


@contextmanager
def explained(url: str) -> Generator[None]:
    """An error of the store, other than that an object is missing, becomes a sentence for the operator."""
    errors = deferred_imports.obstore().exceptions
    try:
        yield
    except errors.BaseError as error:
        reason = str(error).strip().partition("\n")[0]
        if isinstance(error, errors.PermissionDeniedError | errors.UnauthenticatedError) or " 403 " in reason:
            raise BackupError(f"{url} refuses the credentials: check the variables of the store, AWS_….") from None
        raise BackupError(f"{url} cannot be used: {reason}") from None
