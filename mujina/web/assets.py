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
    ".ico": "image/x-icon", ".txt": "text/plain; charset=utf-8", ".html": "text/html; charset=utf-8",
}  # fmt: skip
_HASHED = re.compile(r"/assets/([\w-]+)\.([0-9a-f]{10})\.(\w+)")
_PLAIN = re.compile(r"/assets/([\w.-]+)")
_DAY = 24 * 3600
_YEAR = 365 * _DAY


DIAGRAM_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)
"""The frame of a diagram runs scripts of ours and of libraries, with no origin and no network."""


class Asset(msgspec.Struct, frozen=True):
    """A file that everyone may cache."""

    content_type: str
    packed: bytes | Path
    """The compressed content; of a large library, only the file that has it."""
    address: str

    @property
    def compressed(self) -> bytes:
        return self.packed if isinstance(self.packed, bytes) else self.packed.read_bytes()

    @property
    def data(self) -> bytes:
        return gzip.decompress(self.compressed)

    def headers(self, path: str) -> dict[str, str]:
        """A hashed address never changes its content; another one is checked again after an hour."""
        immutable = f"public, max-age={_YEAR}, immutable"
        cache_control = (
            immutable if path == self.address else f"public, max-age={_DAY if path.endswith('.ico') else 3600}"
        )
        headers = {"Cache-Control": cache_control, "Vary": "Accept-Encoding"}
        if self.content_type.startswith("text/html"):
            return headers | {"Content-Security-Policy": DIAGRAM_POLICY, "X-Frame-Options": "SAMEORIGIN"}
        if self.content_type.startswith("text/javascript"):
            # A frame without an origin loads scripts as another site would.
            return headers | {"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*"}
        return headers | {"Cross-Origin-Resource-Policy": "same-origin"}


@cache
def assets() -> dict[str, Asset]:
    """Every asset by its name. All but the large libraries are read and compressed once."""
    sums = (FOLDER / "SHA512SUMS").read_text(encoding="utf-8").splitlines()
    digests = {name: digest for digest, name in map(str.split, sums)}
    found = {
        path.stem: Asset(TYPES[".js"], path, _address(path.with_suffix(""), digests[path.stem]))
        for path in sorted(FOLDER.glob("*.js.gz"))
    }
    # The frame of diagrams is last: it has the addresses of the others in it.
    files = sorted(FOLDER.iterdir(), key=lambda path: (path.suffix == ".html", path.name))
    for path in files:
        if path.suffix in TYPES:
            found[path.name] = _read(path, found)
    return found


def _address(path: Path, digest: str) -> str:
    return f"/assets/{path.stem}.{digest[:10]}{path.suffix}"


def _read(path: Path, others: dict[str, Asset]) -> Asset:
    data = path.read_bytes()
    if path.suffix == ".css":
        data = _compact(data)
    elif path.name == "site.js":
        data = _compact_script(data)
    elif path.suffix == ".html":
        data = re.sub(rb"/assets/([\w-]+\.js)", lambda name: others[name[1].decode()].address.encode(), data)
    # Without a time in it, the compressed file is the same in every process.
    return Asset(TYPES[path.suffix], gzip.compress(data, mtime=0), _address(path, hashlib.sha256(data).hexdigest()))


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
