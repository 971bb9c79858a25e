"""What is said of a file that was brought."""

from pathlib import PurePosixPath
from typing import Final

import msgspec

SHOWN_IN_PLACE: Final = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tiff", ".ico", ".webp", ".svg", ".mp4", ".m4v", ".mov", ".webm", ".ogv"}
)
"""Pictures and films stand in the text; of other files there is a link."""


class Uploaded(msgspec.Struct):
    alt: str
    url: str
    full_path: str
    markdown: str


def uploaded(project_path: str, secret: str, name: str) -> Uploaded:
    """How to point at the file from a text of its project."""
    url = f"/uploads/{secret}/{name}"
    picture = PurePosixPath(name).suffix.lower() in SHOWN_IN_PLACE
    alt = PurePosixPath(name).stem if picture else name
    return Uploaded(alt, url, f"/{project_path}{url}", f"{'!' if picture else ''}[{alt}]({url})")
