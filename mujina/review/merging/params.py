"""The parameters of merging."""

from mujina.kernel.params import UNSET, Params, Unset


class MergeMergeRequest(Params):
    merge_commit_message: str | Unset = UNSET
    squash_commit_message: str | Unset = UNSET
    should_remove_source_branch: bool | Unset = UNSET
    sha: str | Unset = UNSET
    squash: bool | Unset = UNSET
    merge_when_pipeline_succeeds: bool | Unset = UNSET
