"""Comments on the commits of a merge request, as its page shows them below the discussion."""

from typing import Final

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address
from mujina.planning.commit_comments import entities
from mujina.planning.commit_comments.entities import CommentOnCommit
from mujina.rendering import markdown
from mujina.rendering.html import Html
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.views.page_view import MergeRequestPageRow
from mujina.review.versions import operations as versions

MAX_COMMITS: Final = 100
MAX_COMMENTS: Final = 100


class ShownCommitComment(msgspec.Struct, frozen=True):
    on: CommentOnCommit
    body: Html


async def read_commented(services: Services, row: MergeRequestPageRow) -> list[str]:
    """The newest commits of the request, if the projects that it is between have any comments on commits."""
    if not row.commented or not row.code_readable or row.head_sha is None:
        return []
    return await versions.newest_commits(services, repository_of(row), row.start_sha, row.head_sha, MAX_COMMITS)


async def show_commented(
    services: Services, tx: Tx, actor: Actor, row: MergeRequestPageRow, shas: list[str]
) -> list[ShownCommitComment]:
    """The oldest comments on these commits in the projects of the request whose code the reader may read."""
    if not shas:
        return []
    projects = [id_ for id_ in (row.project_id, row.source_project_id) if id_ is not None]
    found = await entities.on_commits(tx, actor, projects, shas, MAX_COMMENTS)
    base = instance_address.get().base
    places = [TextPlace(base=base, project=each.full_path, anchors=False) for each in found]
    texts = [MarkdownText(each.comment.note, place) for each, place in zip(found, places, strict=True)]
    bodies = await markdown.show(services, tx, actor, texts)
    return [ShownCommitComment(each, body) for each, body in zip(found, bodies, strict=True)]
