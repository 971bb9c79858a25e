"""Every response is counted; slow ones are logged, and all of them if the operator sets `log_requests`."""

from mujina.kernel.db.transaction import Database
from mujina.kernel.logs import log
from mujina.kernel.metrics import count_request
from mujina.settings import Settings

SLOW_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestLog:
    """Counts and logs responses."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._counted = 0
        self._all = settings.log_requests

    def record(self, method: str, path: str, route: str, status: int, seconds: float) -> None:
        """Unknown paths and methods are counted as `other`: clients must not add labels."""
        method = method if method in METHODS else "other"
        run = self._database.statements
        count_request(method, route, status, seconds, run - self._counted)
        self._counted = run
        if self._all or seconds > SLOW_SECONDS:
            log.info("request", method=method, path=path, status=status, seconds=round(seconds, 6))
