"""Parameters of requests about push rules."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, Unset


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

    at_least_one_of: ClassVar = EVERY_FIELD
