"""Uploaded files as the API shows them."""

from pathlib import PurePosixPath
from typing import Final

import msgspec

EMBEDDED: Final = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tiff", ".ico", ".webp", ".svg", ".mp4", ".m4v", ".mov", ".webm", ".ogv"}
)
"""Markdown embeds images and videos, and links to other files."""


class Uploaded(msgspec.Struct):
    alt: str
    url: str
    full_path: str
    markdown: str


def uploaded(project_path: str, secret: str, name: str) -> Uploaded:
    """The Markdown and the URL for texts of the project."""
    url = f"/uploads/{secret}/{name}"
    embedded = PurePosixPath(name).suffix.lower() in EMBEDDED
    alt = PurePosixPath(name).stem if embedded else name
    return Uploaded(alt, url, f"/{project_path}{url}", f"{'!' if embedded else ''}[{alt}]({url})")
