"""The parameters of requests about links between issues."""

from mujina.kernel.params import Params


class CreateIssueLink(Params):
    target_project_id: str
    target_issue_iid: int
