"""Parameters of forms about the work in the background."""

from mujina.kernel.http.params import Params


class FailedJob(Params):
    """A job by its task and its key, which may be empty."""

    task: str
    key: str = ""
