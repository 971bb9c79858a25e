"""What this chapter adds to the product."""

from typing import Final

from mujina.administration.storage.operations import find_file_problem, read_missing
from mujina.kernel.product import Chapter
from mujina.kernel.readiness import CHECKS, GAUGES

CHAPTER: Final = Chapter(
    "mujina.administration",
    CHECKS.of(("storage", find_file_problem)),
    GAUGES.of(read_missing),
)
