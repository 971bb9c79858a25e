"""The parameters of rebasing."""

from mujina.kernel.http.params import UNSET, Params, Unset


class RebaseMergeRequest(Params):
    skip_ci: bool | Unset = UNSET
    """Accepted and ignored: a rebase starts no pipeline."""
