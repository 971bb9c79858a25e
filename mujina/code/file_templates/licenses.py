"""Licenses that a project may choose. Their texts are those of the SPDX License List; `docs/licenses.py` copies them."""

import re
from typing import Final, NamedTuple

_USE: Final = ("commercial-use", "modifications", "distribution", "private-use")
_PATENT_USE: Final = (*_USE, "patent-use")
_DISCLAIMED: Final = ("liability", "warranty")
_COPYLEFT: Final = ("include-copyright", "document-changes", "disclose-source", "same-license")
_LIBRARY: Final = ("include-copyright", "document-changes", "disclose-source", "same-license--library")


class KnownLicense(NamedTuple):
    spdx_id: str
    name: str
    source_url: str
    description: str
    permissions: tuple[str, ...]
    conditions: tuple[str, ...]
    limitations: tuple[str, ...] = _DISCLAIMED
    popular: bool = False
    nickname: str | None = None

    @property
    def html_url(self) -> str:
        return f"https://spdx.org/licenses/{self.spdx_id}.html"


LICENSES: Final[dict[str, KnownLicense]] = {
    "agpl-3.0": KnownLicense(
        "AGPL-3.0-only", "GNU Affero General Public License v3.0", nickname="GNU AGPLv3",
        source_url="https://www.gnu.org/licenses/agpl-3.0.txt",
        description="Changed versions stay under this license, and those who use one over a network may have its source.",
        permissions=_PATENT_USE,
        conditions=(*_COPYLEFT, "network-use-disclose"),
    ),
    "apache-2.0": KnownLicense(
        "Apache-2.0", "Apache License 2.0", popular=True,
        source_url="https://www.apache.org/licenses/LICENSE-2.0.txt",
        description="Almost everything is allowed if notices stay; contributors grant the use of their patents.",
        permissions=_PATENT_USE,
        conditions=("include-copyright", "document-changes"),
        limitations=("trademark-use", *_DISCLAIMED),
    ),
    "bsd-2-clause": KnownLicense(
        "BSD-2-Clause", 'BSD 2-Clause "Simplified" License',
        source_url="https://opensource.org/licenses/BSD-2-Clause",
        description="Almost everything is allowed if the notice stays, in source and in binary form.",
        permissions=_USE,
        conditions=("include-copyright",),
    ),
    "bsd-3-clause": KnownLicense(
        "BSD-3-Clause", 'BSD 3-Clause "New" or "Revised" License',
        source_url="https://opensource.org/licenses/BSD-3-Clause",
        description="Like the license with two clauses; names of the authors may not advertise what others make of it.",
        permissions=_USE,
        conditions=("include-copyright",),
    ),
    "bsl-1.0": KnownLicense(
        "BSL-1.0", "Boost Software License 1.0",
        source_url="https://www.boost.org/LICENSE_1_0.txt",
        description="Almost everything is allowed; only copies of the source need the notice.",
        permissions=_USE,
        conditions=("include-copyright--source",),
    ),
    "cc0-1.0": KnownLicense(
        "CC0-1.0", "Creative Commons Zero v1.0 Universal",
        source_url="https://creativecommons.org/publicdomain/zero/1.0/legalcode.txt",
        description="The author waives copyright as far as the law allows it.",
        permissions=_USE,
        conditions=(),
        limitations=("trademark-use", "patent-use", *_DISCLAIMED),
    ),
    "epl-2.0": KnownLicense(
        "EPL-2.0", "Eclipse Public License 2.0",
        source_url="https://www.eclipse.org/legal/epl-2.0/",
        description="Changed files stay under this license; other parts of a product may have another.",
        permissions=_PATENT_USE,
        conditions=("disclose-source", "include-copyright", "same-license"),
    ),
    "gpl-2.0": KnownLicense(
        "GPL-2.0-only", "GNU General Public License v2.0", nickname="GNU GPLv2",
        source_url="https://www.gnu.org/licenses/gpl-2.0.txt",
        description="Who passes on a program made from it passes on the source, under this license.",
        permissions=_USE,
        conditions=_COPYLEFT,
    ),
    "gpl-3.0": KnownLicense(
        "GPL-3.0-only", "GNU General Public License v3.0", popular=True, nickname="GNU GPLv3",
        source_url="https://www.gnu.org/licenses/gpl-3.0.txt",
        description="Who passes on a program made from it passes on the source, under this license, with the use of patents.",
        permissions=_PATENT_USE,
        conditions=_COPYLEFT,
    ),
    "lgpl-2.1": KnownLicense(
        "LGPL-2.1-only", "GNU Lesser General Public License v2.1", nickname="GNU LGPLv2.1",
        source_url="https://www.gnu.org/licenses/lgpl-2.1.txt",
        description="A library whose changed versions stay under this license; programs that use it may have another.",
        permissions=_USE,
        conditions=_LIBRARY,
    ),
    "lgpl-3.0": KnownLicense(
        "LGPL-3.0-only", "GNU Lesser General Public License v3.0", nickname="GNU LGPLv3",
        source_url="https://www.gnu.org/licenses/lgpl-3.0.txt",
        description="Like version 2.1, with the use of patents.",
        permissions=_PATENT_USE,
        conditions=_LIBRARY,
    ),
    "mit": KnownLicense(
        "MIT", "MIT License", popular=True,
        source_url="https://opensource.org/license/mit/",
        description="Almost everything is allowed if copyright and license notices stay.",
        permissions=_USE,
        conditions=("include-copyright",),
    ),
    "mpl-2.0": KnownLicense(
        "MPL-2.0", "Mozilla Public License 2.0",
        source_url="https://www.mozilla.org/media/MPL/2.0/index.txt",
        description="Changed files stay under this license; files added to them may have another.",
        permissions=_PATENT_USE,
        conditions=("disclose-source", "include-copyright", "same-license--file"),
        limitations=("trademark-use", *_DISCLAIMED),
    ),
    "unlicense": KnownLicense(
        "Unlicense", "The Unlicense",
        source_url="https://unlicense.org/UNLICENSE",
        description="Everything is allowed, without conditions.",
        permissions=_USE,
        conditions=(),
    ),
}  # fmt: skip
"""By the keys of the API: the SPDX id in lower case, without the suffix of the GNU licenses."""

_YEAR: Final = re.compile(r"[<\[](?:year|yyyy)[>\]]", re.IGNORECASE)
_HOLDER: Final = re.compile(
    r"[<\[](?:copyright holders?|owner|fullname|name of (?:author|copyright owner))[>\]]", re.IGNORECASE
)
_PROJECT: Final = re.compile(
    r"<one line to give the (?:program|library)'s name and (?:a brief|an) idea of what it does\.>"
)


def fill_in(text: str, year: str, holder: str | None, project: str | None) -> str:
    """The text of a license with the blanks filled in; a blank stays if there is no value for it."""
    text = _YEAR.sub(year, text)
    if holder:
        text = _HOLDER.sub(lambda _: holder, text)
    return _PROJECT.sub(lambda _: project, text) if project else text
