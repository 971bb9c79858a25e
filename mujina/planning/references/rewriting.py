"""Rewrites references in a text that is copied to another project: `#4` becomes `group/project#4`."""

import re
from typing import Final

_TEXT: Final = re.compile(
    r"""(?P<code> ```.*?(?:```|\Z) | ~~~.*?(?:~~~|\Z) | `[^`\n]*` )
      | (?<![\w./#!&-]) (?P<sibling> [A-Za-z0-9_][A-Za-z0-9_.-]* )? (?P<mark> [#!]) (?P<iid> \d{1,18} ) (?!\w)
      | (?<= \A changed\ milestone\ to\  ) (?P<milestone> %\d+ ) \Z""",
    re.VERBOSE | re.DOTALL,
)
"""Milestones are rewritten only in system notes: elsewhere `%1` may mean anything."""


def qualify_references(text: str, path: str) -> str:
    """The text with references that are valid outside the project at `path`; code stays as it is."""
    group = path.rpartition("/")[0]

    def qualified(found: re.Match[str]) -> str:
        if found["code"] is not None:
            return found[0]
        if found["milestone"] is not None:
            return f"{path}{found['milestone']}"
        project = f"{group}/{found['sibling']}" if found["sibling"] else path
        return f"{project}{found['mark']}{found['iid']}"

    return _TEXT.sub(qualified, text)
