"""Buckets, opened with the credentials and the address that their own variables name, such as `AWS_ACCESS_KEY_ID`."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, TypeVar

from mujina.backups.errors import BackupError, CredentialsRefused
from mujina.kernel import deferred_imports

Result = TypeVar("Result")
ATTEMPTS: Final = 5
ANSWER_SECONDS: Final = 20
"""How long a store may be silent when it is opened."""
_RETRY_TIMEOUT: Final = timedelta(minutes=2)
"""A backup runs in the background: neither a short outage of the store nor a slow line ends it."""


def open_bucket(url: str) -> Any:
    """The store of this URL; `BackupError` if it does not answer within seconds, or refuses the credentials."""
    with explained(url):
        if url.startswith("file://"):
            return deferred_imports.obstore().store.from_url(url)
        first = _open(url, timedelta(seconds=ANSWER_SECONDS))
        retry_truncated(lambda: next(iter(deferred_imports.obstore().list(first, chunk_size=1)), None))
        return _open(url, _RETRY_TIMEOUT)


def _open(url: str, retry_timeout: timedelta) -> Any:
    client = {"allow_http": True, "connect_timeout": "5s", "timeout": f"{retry_timeout.total_seconds():g}s"}
    store: Any = deferred_imports.obstore().store
    return store.from_url(url, client_options=client, retry_config={"retry_timeout": retry_timeout})


def retry_truncated(request: Callable[[], Result]) -> Result:
    """What a store answers to a request that may be repeated: if the answer breaks off, obstore does not ask again."""
    for _ in range(ATTEMPTS - 1):
        try:
            return request()
        except deferred_imports.obstore().exceptions.GenericError as error:
            if "body error" not in str(error):
                raise
    return request()


def list_bucket(store: Any, prefix: str = "") -> dict[str, Any]:
    """What the store says of each object, by its path."""

    def read() -> dict[str, Any]:
        batches: Any = deferred_imports.obstore().list(store, prefix=prefix or None)
        return {found["path"]: found for batch in batches for found in batch}

    return retry_truncated(read)


@contextmanager
def explained(url: str) -> Generator[None]:
    """An error of the store, other than that an object is missing, becomes a sentence for the operator."""
    errors = deferred_imports.obstore().exceptions
    try:
        yield
    except errors.BaseError as error:
        reason = str(error).strip().partition("\n")[0]
        if isinstance(error, errors.PermissionDeniedError | errors.UnauthenticatedError) or " 403 " in reason:
            raise CredentialsRefused(
                f"{url} refuses the credentials: check the variables of the store, AWS_…."
            ) from None
        if "error sending request" in reason:
            raise BackupError(f"{url} does not answer: check AWS_ENDPOINT_URL, and that the store runs.") from None
        raise BackupError(f"{url} cannot be used: {reason}") from None
