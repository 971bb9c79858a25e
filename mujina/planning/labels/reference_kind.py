"""Labels as texts name them."""

from typing import Final
from urllib.parse import quote

from mujina.rendering.html import Html, element, escape
from mujina.rendering.references import Reference, ReferenceKind, Target
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import READ_PROJECT

IN_GROUP: Final = "group"
"""The state that the statement gives for a label of a text in a group."""


def _chip(target: Target, reference: Reference) -> Html:
    """A neutral chip with a dot of the color of the label."""
    dot = (
        '<svg class="dot" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">'
        f'<circle cx="5" cy="5" r="4.5" fill="{escape(target.color)}"/></svg>'
    )
    list_path = f"/groups/{target.path}/-/issues" if target.state == IN_GROUP else f"/{target.path}/issues"
    text = escape(target.name if reference.near else f"{target.name} in {target.path}")
    href = f"{list_path}?label_name[]={quote(target.name)}"
    return element("a", dot + text, class_="label", href=href, title=target.title or None)


LABEL_REFERENCES: Final = ReferenceKind(
    name="label",
    sign="~",
    by_id=True,
    select=f"""
        SELECT 'label', r.path_folded, l.title, r.path, l.id, coalesce(l.description, ''), '', l.color FROM routes r
        JOIN projects p ON p.id = r.project_id
        JOIN labels l ON l.project_id = p.id
            OR l.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = p.namespace_id)
        WHERE r.path_folded IN :label_paths AND (l.title IN :label_names OR l.id IN :label_numbers)
        AND p.deleted_at IS NULL AND {READ_PROJECT.for_scan}
        UNION ALL
        SELECT 'label', r.path_folded, l.title, r.path, l.id, coalesce(l.description, ''), '{IN_GROUP}', l.color
        FROM routes r JOIN groups g ON g.id = r.namespace_id JOIN namespaces n ON n.id = g.id
        JOIN labels l ON l.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = g.id)
        WHERE r.path_folded IN :label_paths AND (l.title IN :label_names OR l.id IN :label_numbers)
        AND n.deleted_at IS NULL AND {READ_GROUP.for_scan}""",
    show=_chip,
)
