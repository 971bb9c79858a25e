"""One request after another over HTTP, each written down with its answer."""

import http.client
import json
import re
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.transcript.normalize import Normalizer

API = "/api/v4"
_SSH = re.compile(r"ssh://git@127\.0\.0\.1:\d+")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Recorder:
    """Asks the server at `url`; `tokens` has one entry for each caller, an empty one for a caller without a token."""

    url: str
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    exchanges: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    normalizer: Normalizer = field(default_factory=Normalizer)
    templates: list[tuple[str, re.Pattern[str], str]] = field(default_factory=list[tuple[str, re.Pattern[str], str]])
    """Verb, pattern and name of each route, to group what is asked outside of the walk."""

    @property
    def number(self) -> int:
        """The number of the next exchange."""
        return len(self.exchanges)

    def ask(
        self,
        caller: str,
        request: str,
        params: Mapping[str, Any] | None = None,
        *,
        route: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """`request` is a verb and a path below the API, or from the root where it starts with `//`.

        Parameters are sent as the query of GET, HEAD and DELETE, and as a JSON body otherwise; `route` groups the
        exchange with others of the same route in a comparison.
        """
        verb, _, path = request.partition(" ")
        target = path[1:] if path.startswith("//") else API + path
        sent = dict(headers or {})
        if params and verb in {"GET", "HEAD", "DELETE"}:
            target += ("&" if "?" in target else "?") + query(params)
        elif params is not None and verb not in {"GET", "HEAD", "DELETE"}:
            body, sent["Content-Type"] = json.dumps(params).encode(), "application/json"
        credentials = {"Private-Token": self.tokens[caller]} if self.tokens.get(caller) else {}
        answer = self._exchange(verb, target, {**credentials, **sent}, body)
        self._write(caller, f"{verb} {target}", route or self._route(verb, path.partition("?")[0]), sent, body, answer)
        return answer

    def made(self, caller: str, request: str, params: Mapping[str, Any] | None = None) -> Any:
        """What the scenario cannot go on without; its JSON."""
        answer = self.ask(caller, request, params)
        if answer.status not in {200, 201}:
            raise SystemExit(f"the scenario ends here: {request} {params} gives {answer.status} {answer.text[:500]}")
        return answer.json

    def run(self, command: list[str], folder: Any, environment: Mapping[str, str]) -> str:
        """A git command against the server: its exit code and output are an exchange like any other."""
        done = subprocess.run(
            command, cwd=folder, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            stdin=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
        lines = done.stdout.decode("utf-8", "replace").replace("\r", "\n").splitlines()
        output = "\n".join(line for line in lines if "%" not in line and "delta" not in line and "objects" not in line)
        name = " ".join(command[:3])
        self._write("git", " ".join(command), name, {}, b"", Answer(done.returncode, {}, output.encode()))
        return output

    def basic(self, caller: str, password: str | None = None) -> dict[str, str]:
        """The header by which git and its helpers present a caller."""
        pair = f"{caller}:{self.tokens.get(caller, '') if password is None else password}"
        return {"Authorization": f"Basic {b64encode(pair.encode()).decode()}"}

    def _exchange(self, verb: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        # A connection for each request: the server closes one whose request it refused before it read the body.
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        connection.request(verb, target, body or None, dict(headers))
        response = connection.getresponse()
        content = response.read()
        connection.close()
        self._raw_headers = response.getheaders()
        return Answer(response.status, {name.lower(): value for name, value in self._raw_headers}, content)

    _raw_headers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def _write(
        self, caller: str, request: str, route: str, headers: Mapping[str, str], body: bytes, answer: Answer
    ) -> None:
        number = self.number
        shown = {
            name: value for name, value in headers.items() if name not in {"Authorization", "Cookie", "If-None-Match"}
        }
        raw = self._raw_headers if answer.headers else []

        def clean(text: str) -> str:
            return self.normalizer.text(self._hosts(text), number)

        self.exchanges.append(
            {
                "number": number,
                "caller": caller,
                "route": clean(route),
                "request": clean(request),
                "sent": {name: clean(value) for name, value in {**shown, **self._names(headers)}.items()},
                "body": self.normalizer.body(self._hosts_of(body), "", number),
                "status": answer.status,
                "headers": self.normalizer.headers([(n, self._hosts(v)) for n, v in raw], answer.body, number),
                "answer": self.normalizer.body(self._hosts_of(answer.body), request, number),
            }
        )

    def _route(self, verb: str, path: str) -> str:
        found = (name for of, pattern, name in self.templates if of == verb and pattern.fullmatch(path))
        return next(found, f"{verb} {path}")

    @staticmethod
    def _names(headers: Mapping[str, str]) -> dict[str, str]:
        """Credentials are named, not written."""
        return {name: "<given>" for name in headers if name in {"Authorization", "Cookie", "If-None-Match"}}

    def _hosts(self, text: str) -> str:
        return _SSH.sub("<ssh>", text.replace(urlsplit(self.url).netloc, "<host>"))

    def _hosts_of(self, body: bytes) -> bytes:
        try:
            return self._hosts(body.decode()).encode()
        except UnicodeDecodeError:
            return body


def query(params: Mapping[str, Any]) -> str:
    pairs: list[tuple[str, Any]] = []
    for name, value in params.items():
        if isinstance(value, list):
            pairs += [(name if name.endswith("[]") else f"{name}[]", each) for each in value]
        elif isinstance(value, dict):
            pairs += [(f"{name}[{key}]", each) for key, each in value.items()]
        else:
            pairs.append((name, str(value).lower() if isinstance(value, bool) else value))
    return urlencode(pairs)
