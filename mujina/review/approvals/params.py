"""The parameters of requests about approvals."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Ids, Params, Unset


class ConfigureApprovals(Params):
    """How a project asks for approvals. An omitted field stays as it is."""

    approvals_before_merge: int | Unset = UNSET
    reset_approvals_on_push: bool | Unset = UNSET
    disable_overriding_approvers_per_merge_request: bool | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD


class RequireApprovals(Params):
    approvals_required: int


class SetApprovers(Params):
    """Both lists replace the former ones, and may be empty."""

    approver_ids: Ids
    approver_group_ids: Ids


class Approve(Params):
    sha: str | Unset = UNSET
