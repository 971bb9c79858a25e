"""The parameters of requests about notification settings."""

from typing import Final, Literal

from mujina.kernel.http.params import UNSET, Params, Unset

GlobalLevel = Literal["disabled", "participating", "watch", "mention", "custom"]
Level = Literal["disabled", "participating", "watch", "global", "mention", "custom"]

NUMBERS: Final[dict[str, int]] = {"disabled": 0, "participating": 1, "watch": 2, "global": 3, "mention": 4, "custom": 5}
"""The levels as permissions in projects show them."""


class EventChoices(Params):
    """Which events send a notification at the level custom."""

    new_note: bool | Unset = UNSET
    new_issue: bool | Unset = UNSET
    reopen_issue: bool | Unset = UNSET
    close_issue: bool | Unset = UNSET
    reassign_issue: bool | Unset = UNSET
    new_merge_request: bool | Unset = UNSET
    push_to_merge_request: bool | Unset = UNSET
    reopen_merge_request: bool | Unset = UNSET
    close_merge_request: bool | Unset = UNSET
    reassign_merge_request: bool | Unset = UNSET
    merge_merge_request: bool | Unset = UNSET
    failed_pipeline: bool | Unset = UNSET
    success_pipeline: bool | Unset = UNSET


EVENTS: Final[tuple[str, ...]] = EventChoices.__struct_fields__


class EditGlobalNotifications(EventChoices):
    level: GlobalLevel | Unset = UNSET
    notification_email: str | Unset = UNSET


class EditNotifications(EventChoices):
    level: Level | Unset = UNSET
