"""Style sheets, scripts and pictures of the pages, at addresses that contain the hash of their content."""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
    ".ico": "image/x-icon", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
_HASHED = re.compile(r"/assets/([\w-]+)\.([0-9a-f]{10})\.(\w+)")
_PLAIN = re.compile(r"/assets/([\w.-]+)")
_DAY = 24 * 3600
_YEAR = 365 * _DAY


class Asset(msgspec.Struct, frozen=True):
    """A file that everyone may cache."""

    content_type: str
    data: bytes
    compressed: bytes
    address: str

    def headers(self, path: str) -> dict[str, str]:
        """A hashed address never changes its content; another one is checked again after an hour."""
        immutable = f"public, max-age={_YEAR}, immutable"
        cache_control = (
            immutable if path == self.address else f"public, max-age={_DAY if path.endswith('.ico') else 3600}"
        )
        return {
            "Cache-Control": cache_control,
            "Vary": "Accept-Encoding",
            "Cross-Origin-Resource-Policy": "same-origin",
        }


@cache
def assets() -> dict[str, Asset]:
    """Every asset by its name, read and compressed once."""
    return {path.name: _read(path) for path in sorted(FOLDER.iterdir()) if path.suffix in TYPES}


def _read(path: Path) -> Asset:
    data = path.read_bytes()
    if path.suffix == ".css":
        data = _compact(data)
    elif path.name == "site.js":
        data = _compact_script(data)
    digest = hashlib.sha256(data).hexdigest()[:10]
    # Without a time in it, the compressed file is the same in every process.
    return Asset(
        TYPES[path.suffix], data, gzip.compress(data, mtime=0), f"/assets/{path.stem}.{digest}{path.suffix}"
    )  # fmt: skip


def _compact(css: bytes) -> bytes:
    """Removes comments and layout. No string of a style sheet of ours has a space beside one of `{};,>/!`."""
    rules = re.sub(rb"/\*.*?\*/", b"", css, flags=re.DOTALL)
    return re.sub(rb"\s*([{};,>/!]|(?<=\w):(?= ))\s*", rb"\1", rules).replace(b";}", b"}")


_SCRIPT_PARTS = re.compile(
    rb"""("[^"\n]*"|`[^`\n]*`|/(?![ /*])(?:\\.|[^/\\\n])+/)  # a text or a pattern stays as it is
        | \s*(=>|&&|\|\||={1,3}|!==|[-+*?:,;<>{}()\[\]])\s*
        | \bconst\b  # `let` is shorter""",
    re.VERBOSE,
)


def _compact_script(script: bytes) -> bytes:
    """Removes comments and layout. In our script each statement ends with a semicolon or a block, no text goes over
    several lines, and a slash that divides has a space behind it.
    """
    code = re.sub(rb"\s*// .*$", b"", script, flags=re.MULTILINE).strip()
    code = _SCRIPT_PARTS.sub(lambda part: part[1] or part[2] or b"let", code)
    return re.sub(rb"(?<!\w)\((\w+)\)(?==>)", rb"\1", code).replace(b";}", b"}") + b"\n"


def asset_address(name: str) -> str:
    """The address of an asset: `asset("site.css")` in templates."""
    return assets()[name].address


def find_asset(path: str) -> Asset | None:
    """The asset at this path. A page of another version may ask for another hash: it gets the asset of this version."""
    if path == "/favicon.ico":
        return assets()["favicon.ico"]
    if match := _HASHED.fullmatch(path):
        return assets().get(f"{match[1]}.{match[3]}")
    match = _PLAIN.fullmatch(path)
    return assets().get(match[1]) if match else None
