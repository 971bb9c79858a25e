"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.kernel.monitoring.readiness import CHECKS
from mujina.kernel.product import Chapter
from mujina.migrations.state import find_database_problem

CHAPTER: Final = Chapter("mujina.instance", CHECKS.of(("database", find_database_problem)))
