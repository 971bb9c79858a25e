"""The parameters of the page with the pipelines of a merge request."""

from mujina.kernel.http.params import Params


class RunMergeRequestPipeline(Params):
    confirmed: bool = False
    """Whether the user has been told that code of another project runs in their name."""
