"""The parameters of merging."""

from mujina.code.commits.params import Message
from mujina.kernel.http.params import UNSET, Params, Unset


class MergeMergeRequest(Params):
    merge_commit_message: Message | Unset = UNSET
    squash_commit_message: Message | Unset = UNSET
    should_remove_source_branch: bool | Unset = UNSET
    sha: str | Unset = UNSET
    squash: bool | Unset = UNSET
    merge_when_pipeline_succeeds: bool | Unset = UNSET
    auto_merge: bool | Unset = UNSET
    """The name by which today's clients know `merge_when_pipeline_succeeds`."""

    @property
    def automatic(self) -> bool:
        """Whether to wait for the pipeline."""
        return self.merge_when_pipeline_succeeds is True or self.auto_merge is True
