"""Groups as texts name them."""

from typing import Final

from mujina.rendering.html import Html, element, escape
from mujina.rendering.references import Reference, ReferenceKind, Target
from mujina.workspaces.groups.rules import READ_GROUP


def _mention(target: Target, _: Reference) -> Html:
    return element("a", escape(f"@{target.path}"), class_="mention", href=f"/groups/{target.path}", title=target.title)


GROUP_REFERENCES: Final = ReferenceKind(
    name="group",
    sign="@",
    select=f"""
        SELECT 'group', '', r.path_folded, r.path, g.id, n.full_name, '', '' FROM routes r
        JOIN namespaces n ON n.id = r.namespace_id JOIN groups g ON g.id = n.id
        WHERE r.path_folded IN :group_names AND n.deleted_at IS NULL AND {READ_GROUP.for_scan}""",
    show=_mention,
)
