"""A person with a browser that keeps cookies and sends the forms it was shown, in the process of the tests."""

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from tests.harness.client import Answer, Client, Raw
from tests.harness.encoding import form_text

TOKEN = re.compile(r'name="authenticity_token" value="([0-9a-f]+)"')
COOKIE = re.compile(r"_service_session=([^;]*)")


@dataclass
class Visitor:
    """One browser; `cookie` is what it holds, `page` what it was last shown."""

    client: Client
    cookie: str = ""
    page: Answer | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def open(self, path: str, **query: Any) -> Answer:
        """A page, without following where it leads."""
        return self._keep(self.client.ask("GET", f"/{path}", Raw(headers=self._said()), query))

    def send(self, path: str, /, *, token: str | None = "", **fields: Any) -> Answer:
        """A form with the token of the page last shown (`token=None`: without one)."""
        if token == "":
            found = TOKEN.search(self.page.text if self.page else "")
            token = found[1] if found else None
        said = fields if token is None else {"authenticity_token": token, **fields}
        raw = Raw(body=form_text(said).encode(), type="application/x-www-form-urlencoded", headers=self._said())
        return self._keep(self.client.ask("POST", f"/{path}", raw))

    def send_files(self, path: str, /, files: dict[str, tuple[str, bytes]], **fields: Any) -> Answer:
        """A form with files: `files={"files[]": ("a.png", b"…")}`."""
        raw = Raw.multipart(files, authenticity_token=self.token, **fields)
        return self._keep(self.client.ask("POST", f"/{path}", Raw(body=raw.body, type=raw.type, headers=self._said())))

    def sign_in(self, login: str, password: str, **fields: Any) -> Answer:
        self.open("/users/sign_in")
        return self.send("/users/sign_in", user={"login": login, "password": password}, **fields)

    def call(self, verb: str, path: str, headers: dict[str, str] | None = None, **params: Any) -> Answer:
        """A request to the API with nothing but the cookie."""
        raw = Raw(headers={"cookie": f"_service_session={self.cookie}", **(headers or {})})
        return self.client.ask(verb, path, raw, params)

    @property
    def token(self) -> str:
        """The token of the forms on the page last shown."""
        return TOKEN.search(self.page.text)[1]

    def field(self, name: str) -> str:
        """The value of a field on the page last shown."""
        return unescape(re.search(rf'name="{re.escape(name)}"[^>]*? value="([^"]*)"', self.page.text)[1])

    def links(self, start: str) -> list[str]:
        """Where the links of the page last shown lead, of those that begin so."""
        return [unescape(link) for link in re.findall(r'href="([^"]*)"', self.page.text) if link.startswith(start)]

    def _said(self) -> dict[str, str]:
        cookie = {"cookie": f"_service_session={self.cookie}"} if self.cookie else {}
        return {"accept": "text/html", **cookie, **self.headers}

    def _keep(self, answer: Answer) -> Answer:
        if found := COOKIE.search(answer.headers.get("Set-Cookie", "")):
            self.cookie = found[1].strip('"')
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            self.page = answer
        return answer
