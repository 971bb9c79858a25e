"""Every answer is counted; those that took long are logged, and all of them where the operator asks for it."""

from mujina.kernel.db.transaction import Database
from mujina.kernel.logs import log
from mujina.kernel.metrics import count_request
from mujina.settings import Settings

LONG_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestLog:
    """Where answers are entered."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._told = 0
        self._all = settings.log_requests

    def enter(self, method: str, path: str, route: str, status: int, seconds: float) -> None:
        """Paths and methods a client made up are counted as `other`: their number is not ours to bound."""
        method = method if method in METHODS else "other"
        run = self._database.statements
        count_request(method, route, status, seconds, run - self._told)
        self._told = run
        if self._all or seconds > LONG_SECONDS:
            log.info("request", method=method, path=path, status=status, seconds=round(seconds, 6))
