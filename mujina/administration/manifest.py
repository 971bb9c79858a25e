"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.administration.storage.operations import find_file_problem, prepare_storage, read_missing
from mujina.kernel.monitoring.readiness import CHECKS, GAUGES, PREPARATIONS
from mujina.kernel.product import Chapter

CHAPTER: Final = Chapter(
    "mujina.administration",
    CHECKS.of(("storage", find_file_problem)),
    GAUGES.of(read_missing),
    PREPARATIONS.of(prepare_storage),
)
