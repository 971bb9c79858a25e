"""The variables and reports of pipelines as responses show them."""

import msgspec

from mujina.ci.variables.job_variables import PIPELINE_VALUE
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault


class ShownVariable(msgspec.Struct):
    """A variable that a pipeline was started with."""

    key: str
    value: str
    variable_type: str
    raw: bool


class TestSuite(msgspec.Struct):
    """The tests of one job."""

    name: str


class TestReport(msgspec.Struct):
    """The tests of a pipeline."""

    total_time: float = 0
    total_count: int = 0
    success_count: int = 0
    failed_count: int = 0
    skipped_count: int = 0
    error_count: int = 0
    test_suites: list[TestSuite] = []


class TestTotals(msgspec.Struct):
    """How many tests there are, and how they ended."""

    time: float = 0
    count: int = 0
    success: int = 0
    failed: int = 0
    skipped: int = 0
    error: int = 0
    suite_error: str | None = None


class TestReportSummary(msgspec.Struct):
    """The totals of the tests of a pipeline."""

    total: TestTotals = msgspec.field(default_factory=TestTotals)
    test_suites: list[TestSuite] = []


async def load_variables(tx: Tx, vault: Vault, pipeline_id: int) -> list[ShownVariable]:
    """The variables, by their keys."""
    rows = await tx.rows(
        tuple[str, str, str, bool],
        "SELECT v.key, v.value, v.variable_type, v.raw FROM pipeline_variables v WHERE v.pipeline_id = :id ORDER BY v.key",
        id=pipeline_id,
    )
    return [ShownVariable(key, vault.decrypt(value, PIPELINE_VALUE), kind, raw) for key, value, kind, raw in rows]
