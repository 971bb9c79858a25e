"""`retry` and `allow_failure`: what happens when a job fails."""

import re
from typing import Final

from mujina.ci.language.config import RetryPolicy
from mujina.ci.language.problems import ConfigSection
from mujina.ci.language.yaml.values import Map, Value

MAX_RETRIES: Final = 2
_REASONS: Final = (
    "always", "unknown_failure", "script_failure", "api_failure", "stuck_or_timeout_failure", "runner_system_failure",
    "missing_dependency_failure", "runner_unsupported", "stale_schedule", "job_execution_timeout", "archived_failure",
    "unmet_prerequisites", "scheduler_failure", "data_integrity_failure",
)  # fmt: skip
"""The failures after which a job may be repeated; the last ones never happen here."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?")


def read_retry(section: ConfigSection) -> RetryPolicy | None:
    """How often a job is repeated; None if the key is absent."""
    value = section.get("retry")
    if value is None:
        return None
    if not isinstance(value, Map):
        return RetryPolicy(_read_count(section, "retry", value))
    retry = section.at("retry").section(value, ("max", "when", "exit_codes"))
    if retry is None:
        return None
    count = _read_count(retry, "max", retry.get("max")) if retry.has("max") else 0
    reasons = retry.text_or_texts("when") or ["always"]
    for reason in reasons:
        if reason not in _REASONS:
            retry.error("when", f"unknown value: {reason}")
    return RetryPolicy(count, tuple(reasons), _exit_codes(retry))


def _read_count(section: ConfigSection, key: str, value: Value) -> int:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value) if "." in value else int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        section.error(key, "is not a number")
    elif not isinstance(value, int):
        section.error(key, "must be an integer")
    elif value > MAX_RETRIES:
        section.error(key, f"must be less than or equal to {MAX_RETRIES}")
    elif value < 0:
        section.error(key, "must be greater than or equal to 0")
    else:
        return value
    return 0


def read_allow_failure(section: ConfigSection) -> tuple[bool | None, list[int]]:
    """Whether the job may fail (None if the key is absent), and with which exit codes only."""
    value = section.get("allow_failure")
    if isinstance(value, Map):
        allowed = section.at("allow_failure").section(value, ("exit_codes",))
        return False, _exit_codes(allowed) if allowed else []
    return section.boolean("allow_failure"), []


def _exit_codes(section: ConfigSection) -> list[int]:
    value = section.get("exit_codes")
    if value is None:
        return []
    codes = value if isinstance(value, list) else [value]
    numbers = [code for code in codes if isinstance(code, int) and not isinstance(code, bool)]
    if len(numbers) != len(codes):
        section.error("exit_codes", "should be an array of integers or a single integer")
    return numbers
