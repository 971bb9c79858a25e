"""Proposals of merge requests: the projects that they may be between, their commits, and their forms."""

import contextlib
import re
from typing import Annotated

import msgspec

from mujina.code.commits import operations as commits
from mujina.code.commits.operations import CommitInfo, Repository, ResolvedCommit
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Params, Ref, Unset, Words
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.planning.issues.entities import load_one as load_issue
from mujina.planning.issues.rules import find_issue
from mujina.review.merge_requests.operations import MAX_TITLE_LENGTH
from mujina.review.merge_requests.rules import CREATE_MERGE_REQUEST, RECEIVE_MERGE_REQUEST, merge_requests_enabled
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import RepositoryRef
from mujina.workspaces.projects.rules import READ_PROJECT, ProjectRow

MAX_FAMILY = 100
"""Related projects that a form offers."""
_NUMBERED = re.compile(r"([0-9]{1,9})-")
"""The start of a branch that is named after an issue."""


class BranchFields(Params):
    """The first step of a new request: what is merged into what."""

    source_project_id: int | Unset | None = UNSET
    source_branch: Words | Unset = UNSET
    target_project_id: int | Unset | None = UNSET
    target_branch: Words | Unset = UNSET


class RelatedProject(Row, alias="p"):
    """A project of the same fork network that the actor may read."""

    id: int
    full_path: Annotated[str, "r.path"]
    source: Annotated[bool, CREATE_MERGE_REQUEST.for_scan]
    """Whether the actor may propose a branch of it."""
    target: Annotated[bool, (RECEIVE_MERGE_REQUEST & merge_requests_enabled).for_scan]
    """Whether the actor may propose to merge into it."""
    upstream: Annotated[bool, "EXISTS (SELECT 1 FROM projects f WHERE f.id = :project_id AND f.forked_from_id = p.id)"]


async def read_family(tx: Tx, actor: Actor, project_id: int) -> list[RelatedProject]:
    """The projects of its fork network: those that it was forked from, then forks of any of them, then the others."""
    return await tx.rows(
        RelatedProject,
        f"""WITH RECURSIVE above(id, distance) AS (
                SELECT CAST(:project_id AS bigint), 0
                UNION SELECT fork.forked_from_id, above.distance + 1 FROM projects fork JOIN above ON above.id = fork.id
                WHERE fork.forked_from_id IS NOT NULL),
            network(id) AS (SELECT coalesce(own.network_id, own.id) FROM projects own WHERE own.id = :project_id),
            family(id, distance) AS (
                SELECT above.id, above.distance FROM above
                UNION SELECT kin.id, CASE WHEN kin.forked_from_id IN (SELECT above.id FROM above) THEN 1000 ELSE 2000 END
                FROM projects kin WHERE kin.id NOT IN (SELECT above.id FROM above) AND kin.id IN (
                    SELECT network.id FROM network
                    UNION SELECT fork.id FROM projects fork JOIN network ON network.id = fork.network_id))
            SELECT {RelatedProject.columns} FROM family JOIN projects p ON p.id = family.id
            JOIN routes r ON r.project_id = p.id WHERE p.deleted_at IS NULL AND {READ_PROJECT.for_scan}
            ORDER BY family.distance, p.id LIMIT :max_family""",
        project_id=project_id,
        max_family=MAX_FAMILY,
        **actor.bound,
    )


class Proposal(msgspec.Struct, frozen=True):
    """The commits that would be merged."""

    problem: str
    """Why nothing can be; empty: it can."""
    commits: list[CommitInfo]
    head: ResolvedCommit | None
    """None: the two branches cannot be compared before the request is made."""
    base: str


def _impossible(problem: str) -> Proposal:
    return Proposal(problem, [], None, "")


async def propose(
    services: Services, source: ProjectRow, source_branch: str, target: ProjectRow, target_branch: str
) -> Proposal:
    """Compare the branches without changing a repository."""
    if (source.id, source_branch) == (target.id, target_branch):
        return _impossible("You must select different branches")
    here, there = (RepositoryRef(project.id, project.repository_storage) for project in (source, target))
    head = versions.tip(await here.repo_path(services), source_branch)
    start = versions.tip(await there.repo_path(services), target_branch)
    if head is None:
        return _impossible(f'Source branch "{source_branch}" does not exist')
    if start is None:
        return _impossible(f'Target branch "{target_branch}" does not exist')
    if not await versions.has_commit(services, here, start):
        return Proposal("", [], None, "")
    code: Repository = await commits.code_of(services, source)
    after = ResolvedCommit(code, source_branch, head)
    base, found = await commits.commits_between(ResolvedCommit(code, target_branch, start), after)
    return Proposal("" if found else "Source and target are identical.", found, after, base)


class ProposedTexts(msgspec.Struct, frozen=True):
    """The initial values of the form of a new request."""

    title: str
    description: str


async def texts_of(tx: Tx, actor: Actor, target: ProjectRow, branch: str, found: list[CommitInfo]) -> ProposedTexts:
    """The words of a single commit, of the issue that the branch is named after, or the name of the branch."""
    title, description = branch.replace("-", " ").replace("_", " ").strip().capitalize(), ""
    if len(found) == 1:
        title, _, description = found[0].message.partition("\n")
    if (number := _NUMBERED.match(branch)) is not None:
        with contextlib.suppress(errors.ApiError):
            issue = await find_issue(tx, actor, Ref.of(target.id), int(number[1]))
            shown = await load_issue(tx, actor, issue.id)
            title = title if len(found) == 1 else f'Resolve "{shown.title}"'
            description = f"{description.strip()}\n\nCloses #{shown.iid}"
    return ProposedTexts(title.strip()[:MAX_TITLE_LENGTH], description.strip())
