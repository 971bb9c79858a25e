"""Commits as responses show them."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from mujina.code.commits.operations import CommitInfo, FileChange, Stats
from mujina.code.commits.trailers import trailers_of
from mujina.code.pipelines.entities import Pipeline
from mujina.kernel.urls import web
from mujina.workspaces.projects.rules import ProjectRow

SHORT = 8


class Commit(msgspec.Struct, kw_only=True):
    """A commit; `stats` and `status` only in single responses."""

    id: str
    short_id: str
    title: str
    created_at: str
    parent_ids: list[str]
    message: str
    author_name: str
    author_email: str
    authored_date: str
    committer_name: str
    committer_email: str
    committed_date: str
    # Compat: `web_url` is younger than the specification; today's clients require it.
    web_url: str
    trailers: dict[str, str]
    extended_trailers: dict[str, list[str]]
    """Trailers whose key occurs more than once have all their values here, and the last one in `trailers`."""
    stats: Stats | UnsetType = UNSET
    status: str | None | UnsetType = UNSET
    last_pipeline: Pipeline | None | UnsetType = UNSET
    project_id: int | UnsetType = UNSET


def shown_commit(commit: CommitInfo, full_path: str, project_id: int | UnsetType = UNSET) -> Commit:
    """A commit in a list, of the project at this path; with its id in lists over several projects."""
    trailers = trailers_of(commit.message)
    return Commit(
        id=commit.id,
        short_id=commit.id[:SHORT],
        title=commit.title,
        created_at=commit.committed_at,
        parent_ids=commit.parents,
        message=commit.message,
        author_name=commit.author_name,
        author_email=commit.author_email,
        authored_date=commit.authored_at,
        committer_name=commit.committer_name,
        committer_email=commit.committer_email,
        committed_date=commit.committed_at,
        web_url=web(f"/{full_path}/commit/{commit.id}"),
        trailers={key: values[-1] for key, values in trailers.items()},
        extended_trailers=trailers,
        project_id=project_id,
    )


def whole_commit(
    project: ProjectRow,
    commit: CommitInfo,
    stats: Stats | UnsetType,
    pipeline: Pipeline | None = None,
) -> Commit:
    """A single commit, with its newest pipeline."""
    shown = shown_commit(commit, project.full_path, project.id)
    shown.stats, shown.status, shown.last_pipeline = stats, pipeline and pipeline.status, pipeline
    return shown


class Comparison(msgspec.Struct):
    """The commits and changes between two refs."""

    commit: Commit | None
    commits: list[Commit]
    diffs: list[FileChange]
    compare_timeout: bool
    compare_same_ref: bool
    web_url: str


class DryRun(msgspec.Struct):
    """What a request would have led to that was to change nothing."""

    dry_run: Literal["success"] = "success"


class Contributor(msgspec.Struct):
    name: str
    email: str
    commits: int
    additions: int = 0
    deletions: int = 0


class CommitSequence(msgspec.Struct):
    """How many commits a history has up to and with one."""

    count: int


class CommitRef(msgspec.Struct):
    """A branch or tag that contains a commit."""

    type: str
    name: str
