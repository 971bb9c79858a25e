"""The parameters of requests about links between issues."""

from typing import Literal

from mujina.kernel.http.params import Params

LinkType = Literal["relates_to", "blocks", "is_blocked_by"]
"""How the issue that the request is about relates to the other."""


class CreateIssueLink(Params):
    target_project_id: str
    target_issue_iid: int
    link_type: LinkType = "relates_to"
