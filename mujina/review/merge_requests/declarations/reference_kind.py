"""Merge requests as texts name them."""

from typing import Final

from mujina.rendering.references import ReferenceKind, link_to
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST

MERGE_REQUEST_REFERENCES: Final = ReferenceKind(
    name="merge_request",
    sign="!",
    word="merge_requests",
    select=f"""
        SELECT 'merge_request', r.path_folded, CAST(mr.iid AS text), r.path, mr.id, mr.title, mr.state, '' FROM routes r
        JOIN projects p ON p.id = r.project_id JOIN merge_requests mr ON mr.project_id = p.id
        WHERE r.path_folded IN :merge_request_paths AND mr.iid IN :merge_request_numbers
        AND p.deleted_at IS NULL AND {READ_MERGE_REQUEST.for_scan}""",
    show=link_to("/{path}/merge_requests/{name}", "!"),
)
