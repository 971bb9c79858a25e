"""How Python packages are named, and what is stored with their files."""

import re

import msgspec


class DistributionMetadata(msgspec.Struct):
    """What programs read of a file before they download it."""

    requires_python: str | None = None


def normalize(name: str) -> str:
    """The one spelling under which a package is stored: `My.Package` and `my_package` are `my-package`."""
    return re.sub(r"[-_.]+", "-", name).lower()
