"""Commits of a project's repository."""

from urllib.parse import quote

from mujina.code.commit_ranges import operations as ranges
from mujina.code.commits import operations
from mujina.code.commits.actions import read_actions
from mujina.code.commits.entities import (
    Commit,
    CommitRef,
    CommitSequence,
    Comparison,
    Contributor,
    DryRun,
    shown_commit,
    whole_commit,
)
from mujina.code.commits.operations import FileChange, Repetition
from mujina.code.commits.params import (
    CherryPick,
    Compare,
    CountCommits,
    CreateCommit,
    ListCommits,
    ListContributors,
    ListRefs,
    MergeBase,
    RepeatCommit,
    ShowCommit,
)
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.rules import may_read_pipelines
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel.http.dispatcher import Call, JsonResponse
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Segment, get, post
from mujina.kernel.urls import web


@get("/projects/:id/repository/commits", anonymous=True)
async def list_commits(call: Call, id: Ref, query: ListCommits, page: Page) -> Paged[Commit]:
    project, code = await operations.find_code(call.services, call.actor, id)
    if code.default_branch is None and not query.ref_name and not query.all:
        return page.of([], 0)
    found = ranges.all_refs(code) if query.all else ranges.find_range(code, query.ref_name or None)
    bounds = query.path or "", query.since or "", query.until or ""
    commits, total = await operations.history(
        found, *bounds, **page.bound,
        author=query.author or "", first_parent=query.first_parent is True, topological=query.order == "topo",
    )  # fmt: skip
    shown = [shown_commit(commit, project.full_path) for commit in commits]
    if query.with_stats:
        for commit, stats in zip(
            shown, await operations.stats_of_each(code, [commit.id for commit in commits]), strict=True
        ):
            commit.stats = stats
    return page.of(shown, total)


@post("/projects/:id/repository/commits")
@with_repository_lock
async def create_commit(call: Call, id: Ref, change: CreateCommit) -> Commit:
    actions = read_actions(change.actions)
    committer = await operations.committer_for(call.services, call.actor, id)
    start = await ranges.find_start(
        committer, change.branch, change.start_branch or "", change.start_sha or "", change.start_project or ""
    )
    branch = operations.target_branch(
        committer, change.branch, change.start_branch or "", start=start, force=bool(change.force)
    )
    names = {"author_name": change.author_name or "", "author_email": change.author_email or ""}
    found = await operations.commit(branch, actions, change.commit_message, **names)
    stats = UNSET if change.stats is False else await operations.stats_of(found)
    return whole_commit(committer.project, operations.show(found), stats)


@get("/projects/:id/repository/commits/:sha", anonymous=True)
async def show_commit(call: Call, id: Ref, sha: Segment, query: ShowCommit) -> Commit:
    project, code = await operations.find_code(call.services, call.actor, id)
    found = operations.find(code, sha)
    stats = UNSET if query.stats is False else await operations.stats_of(found)
    async with call.reading() as tx:
        pipeline = await pipelines.newest(tx, project.id, found.id)
        if pipeline is not None and not await may_read_pipelines(tx, call.actor, project.id):
            pipeline = None
    return whole_commit(project, operations.show(found), stats, pipeline)


@get("/projects/:id/repository/commits/:sha/diff", anonymous=True)
async def list_commit_diff(call: Call, id: Ref, sha: Segment, page: Page) -> Paged[FileChange]:
    """List the changes of a commit, file by file."""
    _, code = await operations.find_code(call.services, call.actor, id)
    found = operations.find(code, sha)
    return page.of(*await operations.differences(found, part=slice(page.start, page.end)))


@get("/projects/:id/repository/commits/:sha/refs", anonymous=True)
async def list_commit_refs(call: Call, id: Ref, sha: Segment, query: ListRefs, page: Page) -> Paged[CommitRef]:
    _, code = await operations.find_code(call.services, call.actor, id)
    refs = [CommitRef(kind, name) for kind, name in await operations.refs_with(operations.find(code, sha))]
    return page.cut([ref for ref in refs if query.type in ("all", ref.type)])


@get("/projects/:id/repository/commits/:sha/sequence", anonymous=True)
async def show_commit_sequence(call: Call, id: Ref, sha: Segment, query: CountCommits) -> CommitSequence:
    """Show which commit of its history it is."""
    _, code = await operations.find_code(call.services, call.actor, id)
    found = operations.find(code, sha)
    return CommitSequence(await ranges.count(found, first_parent=query.first_parent is True))


@post("/projects/:id/repository/commits/:sha/cherry_pick")
@with_repository_lock
async def cherry_pick_commit(call: Call, id: Ref, sha: Segment, change: CherryPick) -> JsonResponse[Commit | DryRun]:
    """Cherry-pick a commit onto a branch."""
    return await _repeat(call, id, Repetition("cherry-pick", sha, change.message or ""), change)


@post("/projects/:id/repository/commits/:sha/revert")
@with_repository_lock
async def revert_commit(call: Call, id: Ref, sha: Segment, change: RepeatCommit) -> JsonResponse[Commit | DryRun]:
    """Revert a commit on a branch."""
    return await _repeat(call, id, Repetition("revert", sha), change)


async def _repeat(call: Call, id: Ref, repetition: Repetition, change: RepeatCommit) -> JsonResponse[Commit | DryRun]:
    committer = await operations.committer_for(call.services, call.actor, id)
    made = await operations.repeat(committer, repetition, change.branch, dry_run=bool(change.dry_run))
    if change.dry_run:
        return JsonResponse(DryRun(), 200)
    return JsonResponse(shown_commit(operations.show(made), committer.project.full_path))


@get("/projects/:id/repository/compare", anonymous=True)
async def compare_commits(call: Call, id: Ref, query: Compare) -> Comparison:
    project, code = await operations.find_code(call.services, call.actor, id)
    other = await ranges.find_relative(call.services, call.actor, project, query.from_project_id or project.id)
    before, after = operations.find(other or code, query.from_), operations.find(code, query.to)
    compare = operations.compare if other is None else ranges.compare_across
    compared = await compare(before, after, straight=bool(query.straight))
    commits = [shown_commit(commit, project.full_path) for commit in compared.commits]
    page = web(f"/{project.full_path}/compare/{quote(query.from_)}...{quote(query.to)}")
    return Comparison(
        commit=commits[-1] if commits else None, commits=commits, diffs=compared.changes,
        compare_timeout=False, compare_same_ref=before.id == after.id, web_url=page,
    )  # fmt: skip


@get("/projects/:id/repository/merge_base", anonymous=True)
async def show_merge_base(call: Call, id: Ref, query: MergeBase) -> Commit:
    """Show the best common ancestor of commits."""
    project, code = await operations.find_code(call.services, call.actor, id)
    base = await ranges.merge_base(code, query.refs)
    return shown_commit(operations.show(base), project.full_path)


@get("/projects/:id/repository/contributors", anonymous=True)
async def list_contributors(call: Call, id: Ref, query: ListContributors, page: Page) -> Paged[Contributor]:
    _, code = await operations.find_code(call.services, call.actor, id)
    if code.default_branch is None:
        return page.of([], 0)
    authors = await operations.contributors(operations.find(code, query.ref or None))
    shown = [Contributor(name, email, commits) for name, email, commits in authors]
    if query.sent_fields().keys() & {"order_by", "sort"}:
        order = "commits" if query.order_by == "id" else query.order_by  # they have no ids
        shown.sort(key=lambda author: (getattr(author, order), author.email), reverse=query.sort == "desc")
    return page.cut(shown)
