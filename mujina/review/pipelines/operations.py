"""Which pipelines belong to a merge request."""

import asyncio
from pathlib import Path
from typing import Final

from mujina.adapters.git.reading import diffs
from mujina.kernel.services import Services
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.rules import MergeRequestRow
from mujina.review.versions.rules import versions_of

MAX_VERSIONS: Final = 100
MAX_COMMITS: Final = 10_000


async def commits_with_pipelines(services: Services, request: MergeRequestRow, source_id: int) -> list[str]:
    """The commits that the newest versions of the request compare, as far as the source branch has pipelines for them."""
    selection = versions_of(request.id)
    async with services.database.reading() as tx:
        built: set[str] = set(
            await tx.values(
                """SELECT DISTINCT pl.sha FROM pipelines pl
                   WHERE pl.project_id = :project_id AND pl.ref = :ref AND NOT pl.tag""",
                project_id=source_id,
                ref=request.source_branch,
            )
        )
        compared = await tx.rows(
            tuple[str, str | None],
            f"""SELECT v.head_sha, v.start_sha {selection.text} AND v.head_sha IS NOT NULL
                ORDER BY v.id DESC LIMIT :max_versions""",
            max_versions=MAX_VERSIONS,
            **selection.bound,
        )
    if not built:
        return []
    repo_path = await repository_of(request).repo_path(services)
    return await asyncio.to_thread(_built, repo_path, compared, built)


def _built(repo_path: Path, compared: list[tuple[str, str | None]], built: set[str]) -> list[str]:
    found, seen = set[str](), 0
    for head, start in dict.fromkeys(compared):
        if seen >= MAX_COMMITS or found == built:
            break
        commits = diffs.commits_between(repo_path, start, head)
        seen += len(commits)
        found |= built.intersection(commits)
    return sorted(found)
