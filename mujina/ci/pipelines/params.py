"""Parameters of requests about pipelines."""

import re
from typing import Annotated, Any, Literal, cast

from mujina.ci.jobs.params import Scopes, Status
from mujina.kernel.http.params import UNSET, BadValue, Form, Params, Timestamp, Unset, read_text

Source = Literal[
    "unknown", "push", "web", "trigger", "schedule", "api", "external", "pipeline", "chat", "webide",
    "merge_request_event", "external_pull_request_event", "parent_pipeline", "ondemand_dast_scan",
    "ondemand_dast_validation", "security_orchestration_policy", "container_registry_push",
    "pipeline_execution_policy_schedule", "duo_workflow",
]  # fmt: skip
"""The sources of pipelines that clients may ask for; most of them start none here."""
_POSITION = re.compile(r"[0-9]{1,9}")


def _read_variables(value: Any) -> list[dict[str, str]]:
    """`[{"key": …, "value": …, "variable_type": …}]`, or a map of keys and values."""
    if isinstance(value, dict):
        tree = cast("dict[str, Any]", value)
        if all(_POSITION.fullmatch(key) for key in tree):
            value = [tree[key] for key in sorted(tree, key=int)]
        else:
            return [{"key": read_text(key), "value": read_text(text)} for key, text in tree.items()]
    if not isinstance(value, list):
        raise BadValue
    found: list[dict[str, str]] = []
    for entry in cast("list[Any]", value):
        if not isinstance(entry, dict) or "key" not in entry:
            raise BadValue
        given = cast("dict[str, Any]", entry)
        found.append({name: read_text(given[name]) for name in ("key", "value", "variable_type") if name in given})
    return found


Variables = Annotated[
    list[dict[str, str]], Form(_read_variables, {"type": "array", "items": {"type": "object"}}, blank_is_null=False)
]


class ListPipelines(Params):
    scope: Literal["running", "pending", "finished", "branches", "tags"] | Unset = UNSET
    status: Status | Unset = UNSET
    source: Source | Unset = UNSET
    ref: str | Unset = UNSET
    sha: str | Unset = UNSET
    yaml_errors: bool | Unset | None = UNSET
    name: str | Unset = UNSET
    username: str | Unset = UNSET
    updated_after: Timestamp | Unset | None = UNSET
    updated_before: Timestamp | Unset | None = UNSET
    created_after: Timestamp | Unset | None = UNSET
    created_before: Timestamp | Unset | None = UNSET
    order_by: Literal["id", "status", "ref", "updated_at", "user_id"] = "id"
    sort: Literal["asc", "desc"] = "desc"


class FilterPipelines(Params):
    """The filters of the page that lists pipelines; an empty one does not count."""

    scope: Literal["", "running", "pending", "finished", "branches", "tags"] = ""
    status: Literal["", "created", "pending", "running", "success", "failed", "canceled", "skipped", "manual"] = ""
    ref: str = ""
    username: str = ""

    @property
    def listed(self) -> ListPipelines:
        return ListPipelines(
            scope=self.scope or UNSET,
            status=self.status or UNSET,
            ref=self.ref or UNSET,
            username=self.username or UNSET,
        )


class RunPipeline(Params):
    """The form that starts a pipeline."""

    ref: str
    variables: str = ""
    """One in each line, as `KEY=value`."""


class LatestPipeline(Params):
    ref: str | Unset = UNSET


class CreatePipeline(Params):
    ref: str
    variables: Variables | Unset | None = UNSET


class ListPipelineJobs(Params):
    scope: Scopes | Unset = UNSET
    include_retried: bool | Unset | None = UNSET


class RunMergeRequestPipeline(Params):
    confirmed: bool = False
    """Whether the user has been told that code of another project runs in their name."""
