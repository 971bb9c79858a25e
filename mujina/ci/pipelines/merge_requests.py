"""Pipelines of merge requests: detached, for the head of the source branch, in the source project."""

from typing import Annotated

from mujina.ci.language.context import MERGE_REQUEST
from mujina.ci.pipelines.operations import NewPipeline, create_pipeline
from mujina.code.pipelines.rules import WRITE_PIPELINES
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.review.merge_requests.rules import MergeRequestRow
from mujina.review.versions.rules import NEWEST_VERSION
from mujina.workspaces.projects.rules import find_project


class BuiltRequest(Row, alias="mr"):
    """An open merge request with its newest version (`v`)."""

    id: int
    source_project_id: int
    source_branch: str
    head_sha: Annotated[str, "v.head_sha"]
    base_sha: Annotated[str | None, "v.base_sha"]
    built: Annotated[
        bool,
        """EXISTS (SELECT 1 FROM pipelines pl
        WHERE pl.merge_request_id = mr.id AND pl.sha = v.head_sha)""",
    ]
    """Whether its head has a pipeline of the request."""

    @property
    def pipeline(self) -> NewPipeline:
        return NewPipeline(
            source=MERGE_REQUEST, ref=self.source_branch, tag=False, sha=self.head_sha, since=self.base_sha,
            merge_request_id=self.id,
        )  # fmt: skip


async def find_built_request(tx: Tx, request_id: int) -> BuiltRequest | None:
    """The request, if it is open and has something to build."""
    return await tx.row(
        BuiltRequest,
        f"""SELECT {BuiltRequest.columns} FROM merge_requests mr JOIN {NEWEST_VERSION}
            WHERE mr.id = :id AND mr.state = 'opened' AND mr.source_project_id IS NOT NULL AND v.head_sha IS NOT NULL""",
        id=request_id,
    )


async def run_pipeline(services: Services, actor: Actor, request: MergeRequestRow) -> int:
    """Run a pipeline for the head of the request, in its source project: the id. `Invalid` if there is none to make."""
    async with services.database.reading() as tx:
        built = await find_built_request(tx, request.id)
        if built is None:
            raise errors.invalid({"base": ["The merge request has no head to build"]})
        await find_project(tx, actor, Ref.of(built.source_project_id), to=WRITE_PIPELINES)
    return await create_pipeline(services, actor, built.source_project_id, built.pipeline)
