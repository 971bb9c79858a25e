"""Parameters of pages about traces."""

from mujina.kernel.http.params import Params


class ShownPart(Params):
    """Which part of a long trace is shown; None: the last one."""

    part: int | None = None


class FollowTrace(Params):
    """Where a page that follows a trace has come to."""

    offset: int = 0
    line: int = 0
    codes: str = ""
    """The look of what follows, as the codes of a terminal."""
    status: str = ""
