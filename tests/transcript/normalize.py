"""What differs between two recordings of the same program is replaced: times, secrets, and hashes of times.

A random word is replaced by the number of the exchange in which it first appeared, so that two answers that name the
same commit still name the same commit after the replacement.
"""

import io
import re
import tarfile
import zipfile
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)([T ])\d\d:\d\d:\d\d((?:\.\d+)?(?:Z| UTC|[+-]\d\d:?\d\d)?)")
_DATE = re.compile(r"(?<![\d-])\d{4}-\d\d-\d\d(?![\dT-])")
_HTTP_DATE = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")
_HEX = re.compile(r"(?<![0-9a-zA-Z])(?<!/avatar/)[0-9a-f]{32,128}(?![0-9a-zA-Z])")
_SHORT = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{7,12}(?![0-9a-zA-Z])")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SECRET = re.compile(
    r'"(?:token|runners_token|private_token|secret|access_token|refresh_token|id_token|'
    r'Authorization|application_id|n|kid)":\s?"([^"]{12,})"'
)
_BOT = re.compile(r"_bot_([0-9a-f]{16})(?![0-9a-f])")
_NONCE = re.compile(r"""\bnonce(?:-|=")([\w-]{16,})""")
_UNIX_TIME = re.compile(r'"((?:created|exp|iat|auth|updated)_?(?:at|time)?|expires_in|\w+_timestamp)":\s?\d+')
_DROPPED = {"date", "x-runtime", "transfer-encoding", "connection"}


class Normalizer:
    """Replaces what is random or a time of this run; what the scenario fixes stays as it is."""

    def __init__(self) -> None:
        today = datetime.now(UTC).date()
        self._first, self._last = today - timedelta(days=3), today + timedelta(days=800)
        self._today = {today + timedelta(days=days) for days in (-1, 0, 1)}
        self._fixed: set[str] = set()
        self._names: dict[str, str] = {}
        self._short: dict[str, str] = {}

    def keep(self, *words: str) -> None:
        """Hashes that the scenario fixes."""
        self._fixed.update(words)

    def name(self, word: str, exchange: int) -> None:
        """Replace this word from now on."""
        if word not in self._names and word not in self._fixed:
            place = sum(each.startswith(f"<{exchange}.") for each in self._names.values()) + 1
            self._names[word] = f"<{exchange}.{place}>"
            if len(word) == 40:
                self._short[word[:7]] = word

    def text(self, text: str, exchange: int) -> str:
        for pattern in (_SECRET, _BOT, _NONCE, _UUID, _HEX):
            for found in pattern.finditer(text):
                self.name(found[pattern.groups], exchange)
        for word in (word for word in self._names if not _HEX.fullmatch(word) and word in text):
            text = text.replace(word, self._names[word])
        text = _HEX.sub(lambda found: self._names.get(found[0], found[0]), text)
        text = _SHORT.sub(self._shortened, text)
        text = _TIME.sub(self._time, text)
        text = _DATE.sub(self._date, text)
        text = _UNIX_TIME.sub(r'"\1":"<seconds>"', text)
        return _HTTP_DATE.sub("<date>", text)

    def headers(self, headers: list[tuple[str, str]], body: bytes, exchange: int) -> dict[str, str]:
        """Every header but those that count seconds; a length is compared with the body, not with another length."""
        shown: dict[str, str] = {}
        for name, value in sorted((name.lower(), value) for name, value in headers):
            if name in _DROPPED:
                continue
            match name:
                case "etag":
                    kept = "W/<etag>" if value.startswith("W/") else "<etag>"
                case "x-request-id":
                    kept = "<id>"
                case "content-length":
                    kept = "<length>" if not body or int(value) == len(body) else value
                case _:
                    kept = self.text(value, exchange)
            shown[name] = f"{shown[name]}\n{kept}" if name in shown else kept
        return shown

    def body(self, body: bytes, path: str, exchange: int) -> str:
        if (members := _members(body, path)) is not None:
            return self.text(members, exchange)
        try:
            return self.text(body.decode(), exchange)
        except UnicodeDecodeError:
            return f"<{len(body)} bytes, {sha256(body).hexdigest()[:16]}>"

    def _shortened(self, found: re.Match[str]) -> str:
        whole = self._short.get(found[0][:7], "")
        return f"{self._names[whole]}[:{len(found[0])}]" if whole.startswith(found[0]) and whole else found[0]

    def _time(self, found: re.Match[str]) -> str:
        day = _read(found[1])
        if day is None or not self._first <= day <= self._last:
            return found[0]
        return f"<time{found[2]}{re.sub('[0-9]', '0', found[3])}>"

    def _date(self, found: re.Match[str]) -> str:
        return "<today>" if _read(found[0]) in self._today else found[0]


def _read(day: str) -> date | None:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return None


def _members(body: bytes, path: str) -> str | None:
    """An archive as the names and hashes of its files; its bytes hold times."""
    if "/archive" not in path or not body or body[:1] == b"{":
        return None
    file = io.BytesIO(body)
    if body.startswith(b"PK"):
        with zipfile.ZipFile(file) as archive:
            files = [(name, archive.read(name)) for name in sorted(archive.namelist())]
    else:
        with tarfile.open(fileobj=file) as archive:
            opened = {entry.name: archive.extractfile(entry) for entry in archive.getmembers()}
            files = [(name, content.read() if content else b"") for name, content in sorted(opened.items())]
    return "".join(f"{name} {sha256(content).hexdigest()[:12]}\n" for name, content in files)
