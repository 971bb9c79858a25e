"""What requests about links between issues may say."""

from mujina.kernel.params import Params


class CreateLink(Params):
    target_project_id: str
    target_issue_iid: int
