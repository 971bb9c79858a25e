"""Parameters of requests about topics."""

from typing import ClassVar

from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Unset, Words


class ListTopics(Params):
    search: Words | Unset = UNSET
    without_projects: bool | Unset | None = UNSET


class CreateTopic(Params):
    name: str
    title: str | Unset = UNSET
    """The name if left out."""
    description: str | Unset | None = UNSET
    avatar: Upload | Unset | None = UNSET


class EditTopic(Params):
    name: RequiredText | Unset = UNSET
    title: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    avatar: Upload | Unset | None = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD


class MergeTopics(Params):
    source_topic_id: int
    target_topic_id: int
