"""Badges as SVG: a label and a value beside it."""

from html import escape
from typing import Final

GREEN, LIGHT_GREEN, YELLOW, RED, GRAY = "#4c1", "#a3c51c", "#dfb317", "#e05d44", "#9f9f9f"
UNKNOWN: Final = "unknown"
STATUS_COLORS: Final = {
    "success": GREEN, "failed": RED, "running": YELLOW, "pending": YELLOW, "preparing": YELLOW, "canceled": GRAY,
    "skipped": GRAY, "manual": GRAY,
}  # fmt: skip
_COVERAGES: Final = ((95, GREEN), (90, LIGHT_GREEN), (75, YELLOW))
_CHARACTER: Final = 7
_PADDING: Final = 10


def draw_status(status: str | None) -> str:
    """The badge of the status of a pipeline."""
    value = UNKNOWN if status is None else {"success": "passed"}.get(status, status)
    return draw("pipeline", value, STATUS_COLORS.get(status or "", GRAY))


def draw_coverage(coverage: str | None) -> str:
    """The badge of a coverage in percent."""
    if coverage is None:
        return draw("coverage", UNKNOWN, GRAY)
    color = next((color for least, color in _COVERAGES if float(coverage) >= least), RED)
    return draw("coverage", f"{float(coverage):.2f}%", color)


def draw(label: str, value: str, color: str) -> str:
    """The badge; the width of its parts follows the length of their texts."""
    left, right = (len(text) * _CHARACTER + _PADDING for text in (label, value))
    label, value = escape(label), escape(value)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" \
aria-label="{label}: {value}"><title>{label}: {value}</title>
<clipPath id="round"><rect width="{left + right}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)"><rect width="{left}" height="20" fill="#555"/>\
<rect x="{left}" width="{right}" height="20" fill="{color}"/></g>
<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">
<text x="{left / 2}" y="14">{label}</text><text x="{left + right / 2}" y="14">{value}</text></g></svg>
"""
