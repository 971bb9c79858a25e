"""Texts of a source as they are stored here: names of people, addresses and links to files lead to what was moved."""

import re
from collections.abc import Mapping
from typing import Final

UPLOAD: Final = re.compile(r"/uploads/([0-9a-f]{32})/([^\s()<>\"'\\/\[\]]{1,300})")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_CODE_SPAN: Final = re.compile(r"((?<!`)``[^`]{1,1000}``(?!`)|(?<!`)`[^`]{1,1000}`(?!`))")
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
        """The text, its code as it is; `files`: `/uploads/secret/name` at the source → the same here."""
        if "`" not in text and "~~~" not in text:
            return self._rewrite(text, files)
        fence, lines = "", list[str]()
        for line in text.split("\n"):
            mark = _FENCE.match(line)
            if fence or mark:
                lines.append(line)
                if fence:
                    fence = "" if mark and mark[1].startswith(fence) and not mark[2].strip() else fence
                elif mark:
                    fence = mark[1]
            else:
                parts = _CODE_SPAN.split(line)  # each second one is code
                lines.append("".join(part if n % 2 else self._rewrite(part, files) for n, part in enumerate(parts)))
        return "\n".join(lines)

    def _rewrite(self, text: str, files: Mapping[str, str]) -> str:
        if files:
            text = UPLOAD.sub(lambda found: files.get(found[0], found[0]), text)
        if self._address is not None:
            text = self._address.sub(lambda found: self._addresses[found[1]], text)
        text = _REFERENCE.sub(lambda found: self._projects.get(found[1], found[1]), text)
        return _MENTION.sub(self._mention, text)

    def _mention(self, found: re.Match[str]) -> str:
        name = found[1].rstrip(".")
        return f"@{self._usernames.get(name, name)}{found[1][len(name) :]}"
