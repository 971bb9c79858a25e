"""How far a run is, and how long the rest takes: a group takes about as long on any machine, because seconds are measured."""

import time

SECONDS = {
    "issues": 60, "talk": 30, "hooks": 80, "merge-requests": 25, "pages": 75, "views": 240, "lists": 100, "sizes": 190,
    "filters": 60, "search": 200, "sign-ins": 30, "flood": 20, "git": 110, "runners": 45, "packages": 60, "testing": 60,
    "sites": 40,
}  # fmt: skip
"""Seconds for each group, with the default length of a measurement, as a machine with two cores took."""


class Progress:
    """Prints a line at the beginning of each group."""

    def __init__(self, groups: list[tuple[str, str]]) -> None:
        self._ahead = groups
        self._whole = sum(SECONDS[group] for _, group in groups)
        self._began = time.monotonic()

    def begin(self, engine: str, group: str) -> None:
        """Name the group, the minutes that have passed, and about how many are left."""
        left = sum(SECONDS[each] for _, each in self._ahead)
        passed, done = time.monotonic() - self._began, self._whole - left
        # Once something is done, this machine and these measurements tell how long the rest takes.
        rest = left * passed / done if done else left
        self._ahead = self._ahead[1:]
        print(f"{engine}, {group}: {passed / 60:.0f} minutes passed, about {rest / 60:.0f} left", flush=True)
