"""Issues of trackers elsewhere, as texts name them: `#1` where the project has no issues of its own, and `KEY-1`."""

from collections.abc import Mapping, Sequence
from typing import Final, LiteralString

import msgspec

from mujina.kernel.services import Services
from mujina.rendering.html import Html, element, escape
from mujina.rendering.references import KEY, Reference, ReferenceKind, Target
from mujina.workspaces.projects.rules import READ_PROJECT


def _select(name: LiteralString, slugs: LiteralString, condition: LiteralString) -> LiteralString:
    """One row for each project with such a tracker: `title` has the properties, `color` the slug."""
    return f"""
        SELECT '{name}', r.path_folded, '', r.path, s.id, s.properties, '', s.slug FROM routes r
        JOIN projects p ON p.id = r.project_id JOIN services s ON s.project_id = p.id
        WHERE r.path_folded IN :{name}_paths AND s.active AND s.slug IN ({slugs}) AND {condition}
        AND p.deleted_at IS NULL AND {READ_PROJECT.for_scan}"""


async def _for_each_name(_: Services, rows: Sequence[Target], names: Mapping[str, set[str]]) -> list[Target]:
    """A tracker elsewhere may have any issue: each name of the project is one."""
    return [
        msgspec.structs.replace(row, name=name, title=_address(row, name))
        for row in rows
        for name in names.get(row.path_folded, ())
    ]


def _address(row: Target, name: str) -> str:
    properties: dict[str, str] = msgspec.json.decode(row.title)
    if row.color == "jira":
        return f"{properties['url'].rstrip('/')}/browse/{name}"
    return properties["issues_url"].replace(":id", name.rpartition("-")[2])


def _show(target: Target, reference: Reference) -> Html:
    rel = "nofollow noopener noreferrer"
    return element("a", escape(reference.text), class_="ref", href=target.title, rel=rel)


TRACKER_REFERENCES: Final = (
    ReferenceKind(
        name="tracker_number",
        sign="#",
        select=_select("tracker_number", "'bugzilla', 'custom-issue-tracker', 'redmine'", "NOT p.issues_enabled"),
        show=_show,
        confirm=_for_each_name,
    ),
    ReferenceKind(
        name="tracker_key",
        sign=KEY,
        select=_select("tracker_key", "'bugzilla', 'custom-issue-tracker', 'redmine', 'jira'", "TRUE"),
        show=_show,
        confirm=_for_each_name,
    ),
)
