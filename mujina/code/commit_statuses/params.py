"""Parameters of requests about the statuses of commits."""

import math
from typing import Annotated, Any, Literal

from mujina.kernel.http.params import UNSET, BadValue, Form, Params, Unset, read_text

State = Literal["pending", "running", "success", "failed", "canceled", "skipped"]

EXTERNAL = "external"
"""The stage of all statuses that other systems report."""


def _read_number(value: Any) -> float:
    try:
        number = float(read_text(value))
    except (ValueError, OverflowError):
        raise BadValue from None
    if not math.isfinite(number):
        raise BadValue
    return number


Number = Annotated[float, Form(_read_number, {"type": "number"})]


class ListStatuses(Params):
    ref: str | Unset = UNSET
    stage: str | Unset = UNSET
    name: str | Unset = UNSET
    all: bool | Unset | None = UNSET


class SetStatus(Params):
    """`context` is another name of `name`; `pipeline_id` names the pipeline, and with it the ref."""

    state: State
    ref: str | Unset = UNSET
    name: str | Unset = UNSET
    context: str | Unset = UNSET
    target_url: str | Unset | None = UNSET
    description: str | Unset | None = UNSET
    coverage: Number | Unset | None = UNSET
    pipeline_id: int | Unset | None = UNSET
