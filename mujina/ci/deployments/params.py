"""Parameters of requests about deployments."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Timestamp, Unset

DeploymentStatus = Literal["created", "running", "success", "failed", "canceled", "skipped", "blocked"]
ReportedStatus = Literal["running", "success", "failed", "canceled"]


class ListDeployments(Params):
    order_by: Literal["id", "iid", "created_at", "updated_at", "ref"] = "id"
    sort: Literal["asc", "desc"] = "asc"
    environment: str | Unset = UNSET
    """The name of an environment."""
    status: DeploymentStatus | Unset = UNSET
    updated_after: Timestamp | Unset = UNSET
    updated_before: Timestamp | Unset = UNSET


class CreateDeployment(Params):
    environment: str
    """The name of an environment, which is created if there is none."""
    sha: str
    ref: str
    tag: bool
    status: ReportedStatus


class EditDeployment(Params):
    status: ReportedStatus
