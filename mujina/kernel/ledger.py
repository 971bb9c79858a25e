"""Every answer is counted; those that took long are logged, and all of them where the operator asks for it."""

from falcon.asgi import Request, Response

from mujina.kernel.db.transaction import Database
from mujina.kernel.logs import log
from mujina.kernel.metrics import count_request
from mujina.settings import Settings

LONG_SECONDS = 1.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Ledger:
    """Where answers are entered."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._database = database
        self._told = 0
        self._all = settings.log_requests

    def enter(self, request: Request, response: Response, route: str, seconds: float) -> None:
        """Paths and methods a client made up are counted as `other`: their number is not ours to bound."""
        method, status = request.method if request.method in METHODS else "other", response.status_code
        run = self._database.statements
        count_request(method, route, status, seconds, run - self._told)
        self._told = run
        if self._all or seconds > LONG_SECONDS:
            log.info("request", method=method, path=request.path, status=status, seconds=round(seconds, 6))
