"""The testing mode from Python: starts a server, and controls it. The fixtures of `plugin.py` return these objects."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep
from typing import Any, Final, cast
from urllib.parse import urlencode, urlsplit

import msgspec

from mujina.kernel import deferred_imports
from mujina.seeds.description import WorldIds
from mujina.testing.process import ServerProcess

TIMEOUT_SECONDS: Final = 60.0
LOG_SECONDS: Final = 5.0
"""How long a failing test waits for the lines of its requests."""


class RequestRefused(Exception):
    """The server answered with an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status}: {body}")
        self.status, self.body = status, body


class Clock:
    """The clock of the instance."""

    def __init__(self, mujina: "Mujina") -> None:
        self._mujina = mujina

    @property
    def now(self) -> str:
        return self._mujina.control("GET", "clock")["now"]

    def set(self, now: str, *, frozen: bool = False) -> None:
        """Set the clock to an instant such as `2030-01-31T12:00:00Z`; it goes on from there unless it is frozen."""
        self._mujina.control("POST", "clock", now=now, frozen=frozen)

    def advance(self, seconds: float) -> None:
        """Let this time pass: what becomes due meanwhile is done when this returns."""
        self._mujina.control("POST", "clock", advance=seconds)

    def freeze(self) -> None:
        """Stop the clock."""
        self._mujina.control("POST", "clock", frozen=True)

    def reset(self) -> None:
        """Return to the real time."""
        self._mujina.control("DELETE", "clock")


class Mujina:
    """A server in the testing mode."""

    def __init__(self, url: str, token: str, ssh_url: str | None = None) -> None:
        self.url, self.token, self.ssh_url = url, token, ssh_url
        self.clock = Clock(self)

    def request(self, method: str, path: str, /, *, token: str | None = None, **params: Any) -> Any:
        """Ask the API as root, or with another token: `request("POST", "/projects", name="x")`; returns the JSON.

        The parameters of a GET are its query, those of other requests are JSON.
        """
        if method.upper() in ("GET", "HEAD") and params:
            path, params = f"{path}{'&' if '?' in path else '?'}{_query(params)}", {}
        return self._send(method, f"/api/v4{path}", params, token or self.token)

    def control(self, method: str, path: str, /, **params: Any) -> Any:
        """Ask `/-/testing/…`, see docs/testing.md."""
        return self._send(method, f"/-/testing/{path}", params, self.token)

    def seed(self, world: Mapping[str, Any] | str | Path) -> WorldIds:
        """Replace everything by this world: its description, or the YAML file that has it."""
        if not isinstance(world, Mapping):
            world = cast("Mapping[str, Any]", deferred_imports.yaml().safe_load(Path(world).read_text("utf-8")) or {})
        return msgspec.convert(self.control("POST", "seed", **world), WorldIds)

    def reset(self) -> None:
        """Return to the state after the last seed; clock, faults, settings and records are those of the start."""
        self.control("POST", "reset")

    def fail(self, path: str = "*", **fault: Any) -> None:
        """Let requests fail: `fail("/api/v4/projects*", status=502, times=1)`."""
        self.control("POST", "faults", path=path, **fault)

    def heal(self) -> None:
        """Remove all faults."""
        self.control("DELETE", "faults")

    def configure(self, **settings: Any) -> None:
        """Change `jobs` ("inline", "manual"), `read_only`, `version` or `edition`."""
        self.control("PUT", "settings", **settings)

    def run_jobs(self) -> None:
        """Run the schedules and jobs that are due."""
        self.control("POST", "jobs")

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests since the last reset."""
        return self.control("GET", "requests")

    @property
    def deliveries(self) -> list[dict[str, Any]]:
        """The calls of hooks since the last reset."""
        return self.control("GET", "deliveries")

    @property
    def mails(self) -> list[dict[str, Any]]:
        """The mails since the last reset."""
        return self.control("GET", "mails")

    def _send(self, method: str, path: str, params: Mapping[str, Any], token: str) -> Any:
        body = json.dumps(params) if params else None
        headers = {"Private-Token": token, "Content-Type": "application/json"}
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        is_json = response.headers.get_content_type() == "application/json"
        answer = (json.loads(text) if is_json else text.decode(errors="replace")) if text else None
        if response.status >= 400:
            raise RequestRefused(response.status, answer)
        return answer


def _query(params: Mapping[str, Any]) -> str:
    """The parameters as the API reads them in a query."""
    pairs: list[tuple[str, str]] = []
    for name, value in params.items():
        if isinstance(value, list | tuple):
            pairs += [(f"{name}[]", _text(each)) for each in cast("Sequence[Any]", value)]
        else:
            pairs.append((name, _text(value)))
    return urlencode(pairs)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class MujinaProcess(Mujina):
    """A server that this process has started."""

    def __init__(self, started: ServerProcess) -> None:
        """Returns when the server is ready."""
        url, ssh_url = started.addresses()
        super().__init__(url, started.token, ssh_url)
        self.data, self.log, self.process, self.stop = started.data, started.log, started.process, started.stop
        self._reader = started.reader

    def log_since(self, line: int) -> list[str]:
        """The lines from this one on, with those of every request that was answered so far."""
        mark, deadline = f"/-/testing/{token_hex(8)}", monotonic() + LOG_SECONDS
        with suppress(RequestRefused, HTTPException, OSError):
            self._send("GET", mark, {}, self.token)
        while self._reader.is_alive() and monotonic() < deadline and not any(mark in each for each in self.log[line:]):
            sleep(0.01)
        return [each for each in self.log[line:] if mark not in each]
