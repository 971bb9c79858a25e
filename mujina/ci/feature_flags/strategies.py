"""What the parameters of a strategy may be, by its name."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from mujina.kernel import errors

MAX_ID_LENGTH: Final = 256
MAX_IDS_LENGTH: Final = 1_000_000
_GROUP = re.compile(r"[a-z0-9_-]{1,63}", re.IGNORECASE | re.ASCII)
_PERCENTAGE = re.compile(r"100|[1-9]?[0-9]", re.ASCII)
_STICKINESS: Final = ("default", "userId", "sessionId", "random")


def _is_group(text: str) -> bool:
    return _GROUP.fullmatch(text) is not None


def _is_percentage(text: str) -> bool:
    return _PERCENTAGE.fullmatch(text) is not None


def _are_ids(text: str) -> bool:
    ids = text.split(",")
    return len(text) <= MAX_IDS_LENGTH and all(0 < len(each.strip()) <= MAX_ID_LENGTH for each in ids)


_KINDS: Final[Mapping[str, Mapping[str, Callable[[str], bool]]]] = {
    "default": {},
    "gradualRolloutUserId": {"groupId": _is_group, "percentage": _is_percentage},
    "flexibleRollout": {
        "groupId": _is_group,
        "rollout": _is_percentage,
        "stickiness": lambda text: text in _STICKINESS,
    },
    "userWithId": {"userIds": _are_ids},
    "gitlabUserList": {},
}


def check_parameters(name: str, given: Any) -> dict[str, str]:
    """The parameters of a strategy of this name, exactly those that it needs; 400 otherwise."""
    kind, sent = _KINDS[name], cast("dict[str, Any]", given)
    if not isinstance(given, dict) or set(sent) != set(kind):
        raise errors.invalid({"strategies.parameters": [f"of {name} are {', '.join(kind) or 'none'}"]})
    parameters = {key: str(value) if isinstance(value, int) else value for key, value in sent.items()}
    for key, is_valid in kind.items():
        if not isinstance(parameters[key], str) or not is_valid(parameters[key]):
            raise errors.invalid({"strategies.parameters": [f"have no valid {key}"]})
    return parameters
