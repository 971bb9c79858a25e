"""The forms of the editor."""

from mujina.kernel.http.params import UNSET, Params, Unset


class SaveFile(Params):
    file_path: str
    content: str
    commit_message: str
    branch: str
    last_commit_id: str | Unset = UNSET
    start_merge_request: bool | Unset | None = UNSET


class RemoveFile(Params):
    commit_message: str
    branch: str
    last_commit_id: str | Unset = UNSET
    start_merge_request: bool | Unset | None = UNSET
