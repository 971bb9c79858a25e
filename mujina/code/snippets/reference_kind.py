"""Snippets of projects as texts name them."""

from typing import Final

from mujina.code.snippets.rules import READ_PROJECT_SNIPPET
from mujina.rendering.references import ReferenceKind, link_to

SNIPPET_REFERENCES: Final = ReferenceKind(
    name="snippet",
    sign="$",
    word="snippets",
    select=f"""
        SELECT 'snippet', r.path_folded, CAST(s.id AS text), r.path, s.id, s.title, '', '' FROM routes r
        JOIN projects p ON p.id = r.project_id JOIN snippets s ON s.project_id = p.id
        WHERE r.path_folded IN :snippet_paths AND s.id IN :snippet_numbers
        AND p.deleted_at IS NULL AND {READ_PROJECT_SNIPPET.for_scan}""",
    show=link_to("/{path}/snippets/{name}", "$"),
)
