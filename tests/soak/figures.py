"""What the soak finds, beside what is required; and lines that tell how far it is."""

import time
from typing import NamedTuple

_STARTED = time.monotonic()


class Figure(NamedTuple):
    engine: str
    measured: str
    found: str
    required: str
    met: bool

    def __str__(self) -> str:
        return (
            f"| {self.engine} | {self.measured} | {self.found} | {self.required} |{'' if self.met else ' **not met**'}"
        )


def progress(engine: str, line: str) -> None:
    """A line with the seconds since the start."""
    print(f"[{time.monotonic() - _STARTED:6.1f} s] {engine}: {line}", flush=True)  # noqa: T201 - its output
