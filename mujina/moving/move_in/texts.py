"""Texts of a source as they are stored here: names of people, addresses and links to files lead to what was moved."""

import re
from collections.abc import Mapping
from typing import Final

UPLOAD: Final = re.compile(r"/uploads/([0-9a-f]{32})/([^\s()<>\"'\\/\[\]]{1,300})")
_MENTION: Final = re.compile(r"(?<![\w@/.`-])@([A-Za-z0-9_][A-Za-z0-9_.-]{0,254})")
_REFERENCE: Final = re.compile(r"(?<![\w/.-])([A-Za-z0-9_][\w.-]*(?:/[A-Za-z0-9_.][\w.-]*)+)(?=[#!]\d)")


class Texts:
    """Rewrites texts. `projects`: the path of each project at the source → the path that it has or will have here."""

    def __init__(self, source: str, target: str, projects: Mapping[str, str], usernames: Mapping[str, str]) -> None:
        self._addresses = {f"{source}/{old}": f"{target}/{new}" for old, new in projects.items()}
        self._projects, self._usernames = projects, usernames
        longest_first = sorted(map(re.escape, self._addresses), key=len, reverse=True)
        self._address = re.compile(f"({'|'.join(longest_first)})(?=[/\\s)>\"'\\]]|$)") if longest_first else None

    def rewrite(self, text: str, files: Mapping[str, str]) -> str:
        """The text; `files`: `/uploads/secret/name` at the source → the same here."""
        if files:
            text = UPLOAD.sub(lambda found: files.get(found[0], found[0]), text)
        if self._address is not None:
            text = self._address.sub(lambda found: self._addresses[found[1]], text)
        text = _REFERENCE.sub(lambda found: self._projects.get(found[1], found[1]), text)
        return _MENTION.sub(self._mention, text)

    def _mention(self, found: re.Match[str]) -> str:
        name = found[1].rstrip(".")
        return f"@{self._usernames.get(name, name)}{found[1][len(name) :]}"
