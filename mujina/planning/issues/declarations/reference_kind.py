"""Issues as texts name them."""

from typing import Final

from mujina.planning.issues.rules import READ_ISSUE
from mujina.rendering.references import ReferenceKind, link_to

ISSUE_REFERENCES: Final = ReferenceKind(
    name="issue",
    sign="#",
    word="issues",
    select=f"""
        SELECT 'issue', r.path_folded, CAST(i.iid AS text), r.path, i.id, i.title, i.state, '' FROM routes r
        JOIN projects p ON p.id = r.project_id JOIN issues i ON i.project_id = p.id
        WHERE r.path_folded IN :issue_paths AND i.iid IN :issue_numbers AND i.deleted_at IS NULL
        AND p.deleted_at IS NULL AND {READ_ISSUE.for_scan}""",
    show=link_to("/{path}/issues/{name}", "#"),
)
