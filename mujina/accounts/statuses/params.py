"""The parameters of requests about the status of a user."""

from typing import Annotated, Any, Literal

from mujina.kernel.http.params import UNSET, BadValue, Form, Params, Unset, read_text

MAX_MESSAGE_LENGTH = 100
MAX_EMOJI_LENGTH = 64


def _read_emoji(value: Any) -> str:
    name = read_text(value).strip().strip(":")
    if len(name) > MAX_EMOJI_LENGTH or not all(part.isalnum() for part in name.replace("-", "_").split("_") if part):
        raise BadValue
    return name


EmojiName = Annotated[str, Form(_read_emoji, {"type": "string"}, blank_is_null=False)]
ClearAfter = Literal["30_minutes", "3_hours", "8_hours", "1_day", "3_days", "7_days", "30_days"]


class SetUserStatus(Params):
    emoji: EmojiName | Unset = UNSET
    message: str | Unset = UNSET
    availability: Literal["not_set", "busy"] | Unset = UNSET
    clear_status_after: ClearAfter | Unset | None = UNSET
