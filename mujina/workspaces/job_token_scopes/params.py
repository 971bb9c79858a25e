"""The parameters of requests about the scope of job tokens."""

from mujina.kernel.http.params import Params


class EditJobTokenScope(Params):
    enabled: bool


class AllowProject(Params):
    target_project_id: int


class AllowGroup(Params):
    target_group_id: int
