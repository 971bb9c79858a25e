"""Parameters of requests about push rules."""

from typing import ClassVar

from mujina.kernel.http.params import UNSET, Params, Unset

NAMES = (
    "deny_delete_tag", "member_check", "prevent_secrets", "commit_message_regex", "branch_name_regex",
    "author_email_regex", "file_name_regex", "max_file_size",
)  # fmt: skip


class ChangePushRule(Params):
    """A field left out is left alone; an empty pattern checks nothing."""

    deny_delete_tag: bool | Unset = UNSET
    member_check: bool | Unset = UNSET
    prevent_secrets: bool | Unset = UNSET
    commit_message_regex: str | Unset | None = UNSET
    branch_name_regex: str | Unset | None = UNSET
    author_email_regex: str | Unset | None = UNSET
    file_name_regex: str | Unset | None = UNSET
    max_file_size: int | Unset = UNSET

    at_least_one_of: ClassVar = NAMES
