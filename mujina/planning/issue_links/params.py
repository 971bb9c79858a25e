"""The parameters of requests about links between issues."""

from typing import Literal

from mujina.kernel.http.params import Params


class CreateIssueLink(Params):
    target_project_id: str
    target_issue_iid: int
    link_type: Literal["relates_to"] = "relates_to"
    """Links have no direction."""
