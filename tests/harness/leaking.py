"""A test that leaks, for the test that such a test fails."""

from mujina.kernel import secrets
from mujina.kernel.monitoring.logs import log


def test_that_leaks() -> None:
    log.info("seen", word=secrets.new_token())
