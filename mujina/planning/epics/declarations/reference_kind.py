"""Epics as texts name them."""

from typing import Final

from mujina.instance.editions.rules import has_feature
from mujina.planning.epics.rules import READ_EPIC
from mujina.rendering.references import ReferenceKind, link_to

EPIC_REFERENCES: Final = ReferenceKind(
    name="epic",
    sign="&",
    word="epics",
    in_groups=True,
    select=f"""
        SELECT 'epic', r.path_folded, CAST(e.iid AS text), r.path, e.id, e.title, '', '' FROM routes r
        JOIN groups g ON g.id = r.namespace_id JOIN namespaces n ON n.id = g.id JOIN epics e ON e.group_id = g.id
        WHERE r.path_folded IN :epic_paths AND e.iid IN :epic_numbers AND n.deleted_at IS NULL AND {READ_EPIC.for_scan}""",
    show=link_to("/groups/{path}/-/epics/{name}", "&"),
    offered=lambda: has_feature("epics"),
)
