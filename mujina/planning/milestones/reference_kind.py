"""Milestones as texts name them: by title, or those of the project by number."""

from typing import Final

from mujina.rendering.html import Html, element, escape
from mujina.rendering.references import Reference, ReferenceKind, Target
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import READ_PROJECT


def _link(target: Target, reference: Reference) -> Html:
    """`state` is the path of the group whose milestone it is, `color` its number."""
    owner_path = f"/groups/{target.state}/-" if target.state else f"/{target.path}"
    text = f"{'' if reference.near else target.path}%{target.name}"
    return element("a", escape(text), class_="ref", href=f"{owner_path}/milestones/{target.color}")


MILESTONE_REFERENCES: Final = ReferenceKind(
    name="milestone",
    sign="%",
    word="milestones",
    by_id=True,
    select=f"""
        SELECT 'milestone', r.path_folded, ms.title, r.path, CASE WHEN ms.project_id IS NULL THEN 0 ELSE ms.iid END,
            '', coalesce((SELECT owner.path FROM routes owner WHERE owner.namespace_id = ms.group_id), ''),
            CAST(ms.iid AS text)
        FROM routes r JOIN projects p ON p.id = r.project_id
        JOIN milestones ms ON ms.project_id = p.id
            OR ms.group_id IN (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = p.namespace_id)
        WHERE r.path_folded IN :milestone_paths
        AND (ms.title IN :milestone_names OR (ms.project_id = p.id AND ms.iid IN :milestone_numbers))
        AND p.deleted_at IS NULL AND {READ_PROJECT.for_scan}
        UNION ALL
        SELECT 'milestone', r.path_folded, ms.title, r.path, 0, '', r.path, CAST(ms.iid AS text)
        FROM routes r JOIN groups g ON g.id = r.namespace_id JOIN namespaces n ON n.id = g.id
        JOIN milestones ms ON ms.group_id = g.id
        WHERE r.path_folded IN :milestone_paths AND ms.title IN :milestone_names
        AND n.deleted_at IS NULL AND {READ_GROUP.for_scan}""",
    show=_link,
)
