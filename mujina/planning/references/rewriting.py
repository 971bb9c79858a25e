"""A text that goes to another project: what it called `#4` at home is called `group/project#4` there."""

import re
from typing import Final

_TEXT: Final = re.compile(
    r"""(?P<code> ```.*?(?:```|\Z) | ~~~.*?(?:~~~|\Z) | `[^`\n]*` )
      | (?<![\w./#!&-]) (?P<beside> [A-Za-z0-9_][A-Za-z0-9_.-]* )? (?P<mark> [#!]) (?P<iid> \d{1,18} ) (?!\w)
      | (?<= \A changed\ milestone\ to\  ) (?P<milestone> %\d+ ) \Z""",
    re.VERBOSE | re.DOTALL,
)
"""A milestone is only read where the instance speaks of it: anywhere else `%1` may mean anything."""


def qualify_references(text: str, path: str) -> str:
    """The text as it reads outside the project at `path`; code stays as it is."""
    group = path.rpartition("/")[0]

    def called(found: re.Match[str]) -> str:
        if found["code"] is not None:
            return found[0]
        if found["milestone"] is not None:
            return f"{path}{found['milestone']}"
        project = f"{group}/{found['beside']}" if found["beside"] else path
        return f"{project}{found['mark']}{found['iid']}"

    return _TEXT.sub(called, text)
