"""The colors that the form of a label offers, and the labels of the default set."""

from typing import Final

PRESETS: Final = (
    ("Red", "#c0392b"), ("Orange", "#d35400"), ("Amber", "#b7791f"), ("Yellow", "#e0b83c"), ("Green", "#2f855a"),
    ("Teal", "#2c7a7b"), ("Sky", "#3182ce"), ("Blue", "#2b4c9b"), ("Purple", "#6b46c1"), ("Pink", "#c05585"),
    ("Brown", "#7b5b3a"), ("Gray", "#5a6169"),
)  # fmt: skip
_CODES: Final = dict(PRESETS)

DEFAULT_SET: Final = (
    ("bug", _CODES["Red"]), ("confirmed", _CODES["Orange"]), ("critical", _CODES["Pink"]),
    ("discussion", _CODES["Sky"]), ("documentation", _CODES["Blue"]), ("enhancement", _CODES["Green"]),
    ("suggestion", _CODES["Teal"]), ("support", _CODES["Purple"]),
)  # fmt: skip


def is_preset(color: str) -> bool:
    return color.lower() in _CODES.values()
