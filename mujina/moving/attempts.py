"""When a job that moves something gives up, so that no move, import or export runs for ever."""

from typing import Final

from mujina.kernel.jobs.tasks import Run

ATTEMPTS: Final = 8
"""Runs that may end unexpectedly, or with their process: they take some minutes, as an outage may."""
UNEXPECTED: Final = "Something unexpected happened here; the log of the instance has more."


def exhausted(run: Run) -> bool:
    """Whether the job ended unexpectedly too often, so that this run only says so."""
    return run.attempt > ATTEMPTS
