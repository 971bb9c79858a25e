"""The repository and the wiki of a project, fetched by git from the source; refs are moved forward only."""

import asyncio
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.reading.patches import is_commit, patches_of
from mujina.adapters.git.transport import copying
from mujina.adapters.git.transport.copying import MIRROR_REFS, Remote
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.code.imports.operations import check_import_url, drop_invalid_refs, explain
from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO, Change, first_branch
from mujina.code.pushes.checks.refs import check_names
from mujina.code.pushes.repo_paths import find_storage, repo_path_to_write
from mujina.code.tags.releases import outdate_releases
from mujina.code.wikis.slugs import BRANCH as WIKI_BRANCH
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert
from mujina.kernel.events import record
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.text.diffs import FilePatch
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.records import SourceVersion
from mujina.review.versions.operations import KEPT, keep
from mujina.workspaces.projects.operations import adopt_default_branch

Comparison = tuple[str, str]
"""Two commits: the base and the head."""
REQUEST_HEADS: Final = "refs/merge-requests/"
MAX_REFS: Final = 100_000
"""Refs of a repository: each is a file here until they are packed."""
_REQUEST_HEAD: Final = re.compile(r"refs/merge-requests/[1-9][0-9]{0,9}/head")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


class TooManyRefs(Exception):
    """The repository has more refs than are fetched."""


async def move_repository(target: ProjectRun) -> bool:
    """The project has the branches, tags and heads of merge requests of the source; False, and a problem, if not.

    A branch or tag that went its own way here stays as it is.
    """
    if not target.run.source.has_code:
        return False
    try:
        repo_path, branch = await _fetch(target, wiki=False)
    except (OutboundForbidden, HostUnreachable) as error:
        target.problem(".git", str(error))
        return False
    except TooManyRefs:
        target.problem(".git", f"It has more than {MAX_REFS} branches, tags and merge requests.")
        return False
    except git.GitCommandError as failure:
        target.problem(".git", explain(failure, "It could not be fetched"))
        return False
    branches = await drop_invalid_refs(repo_path)
    await _drop_strange_heads(repo_path)
    if branch is None or f"{BRANCHES}{branch}" not in branches:
        branch = first_branch([Change(ref, ZERO, tip) for ref, tip in branches.items()])
    async with target.run.services.database.transaction() as tx:
        if branch is not None:
            await adopt_default_branch(tx, target.id, branch)
        await record(tx, "repository.copied", SYSTEM, subject_id=target.id, project_id=target.id)
        await enqueue(tx, "repositories.measure", target.id)
    return True


async def move_wiki(target: ProjectRun) -> None:
    """The project has the pages of the wiki; a source without one is no problem."""
    if not (target.project.wiki_enabled and target.run.source.has_code):
        return
    try:
        repo_path, _ = await _fetch(target, wiki=True)
    except (OutboundForbidden, HostUnreachable, TooManyRefs, git.GitCommandError):
        return
    if not await drop_invalid_refs(repo_path):
        return
    async with target.run.services.database.transaction() as tx:
        # The row of a push says that there is a wiki.
        if not await tx.value("SELECT 1 FROM pushes o WHERE o.project_id = :id AND o.wiki LIMIT 1", id=target.id):
            now = clock.now()
            await insert(
                tx, "pushes", project_id=target.id, wiki=True, protocol="mirror", created_at=now, recorded_at=now
            )
            target.run.report.created["wikis"] += 1
        await record(tx, "wiki.copied", SYSTEM, subject_id=target.id, project_id=target.id)


async def present_commits(target: ProjectRun, commits: Collection[str]) -> set[str]:
    """Those of these commits that the repository has, after fetching the others by their ids where the source gives them."""
    valid = {commit for commit in commits if _COMMIT.fullmatch(commit)}
    repo_path = await repo_path_of(target, wiki=False)
    missing = sorted(valid - await asyncio.to_thread(_present, repo_path, valid))
    if missing:
        remote = await _remote(target, wiki=False)
        for commit in missing:
            try:
                await copying.fetch_untrusted(remote, repo_path, [f"+{commit}:{KEPT}{commit}"], _max_bytes(target))
            except git.GitCommandError:
                continue
    found = await asyncio.to_thread(_present, repo_path, valid)
    await keep(repo_path, *sorted(found))
    return found


async def with_base(target: ProjectRun, version: SourceVersion, present: set[str]) -> SourceVersion:
    """The version, compared with the commit where its branch left the other one, if the source does not say with which."""
    head, start = version.head_commit_sha, version.start_commit_sha
    if version.base_commit_sha is not None or head not in present or start not in present:
        return version
    base = await git_refs.merge_base(await repo_path_of(target, wiki=False), start, head)
    present |= {base} if base else set()
    return msgspec.structs.replace(version, base_commit_sha=base)


async def changed_files(
    target: ProjectRun, paths: Mapping[Comparison, Collection[str]]
) -> dict[Comparison, dict[str, FilePatch]]:
    """What changed in these files between commits that came, by the paths that the files then have."""
    if not paths:
        return {}
    repo_path = await repo_path_of(target, wiki=False)
    return {
        (base, head): await asyncio.to_thread(patches_of, repo_path, base, head, names)
        for (base, head), names in paths.items()
    }


def _present(repo_path: Path, commits: Collection[str]) -> set[str]:
    return {commit for commit in commits if is_commit(repo_path, commit)}


async def _fetch(target: ProjectRun, *, wiki: bool) -> tuple[Path, str | None]:
    """The repository with the refs of the source, and the branch that its HEAD names."""
    remote = await _remote(target, wiki=wiki)
    branch = await copying.head_of(remote) or target.project.default_branch
    wanted = ("refs/heads/*", "refs/tags/*", f"{target.run.source.request_heads}*/head")
    if await copying.has_more_refs(remote, MAX_REFS, *wanted):
        raise TooManyRefs
    repo_path = await repo_path_of(target, wiki=wiki)
    await copying.fetch_mirror(remote, repo_path, _max_bytes(target))
    if not wiki:
        heads = [f"+{target.run.source.request_heads}*/head:{REQUEST_HEADS}*/head"]
        if target.run.source.bundle(target.project, wiki=False):  # it gives no commit that is not the tip of a ref
            heads.append(f"{KEPT}*:{KEPT}*")
        await copying.fetch_untrusted(remote, repo_path, heads, _max_bytes(target))
    await _follow(target, repo_path, wiki=wiki, head=branch)
    return repo_path, branch


async def _follow(target: ProjectRun, repo_path: Path, *, wiki: bool, head: str | None) -> None:
    """Create and fast-forward branches and tags as they were fetched; of a wiki, its branch under the name that it has here."""
    local = await git_refs.read_below(repo_path, BRANCHES, TAGS)
    fetched = await git_refs.read_below(repo_path, MIRROR_REFS)
    new = {f"refs/{name.removeprefix(MIRROR_REFS)}": tip for name, tip in fetched.items()}
    if wiki:
        tips = {ref.removeprefix(BRANCHES): tip for ref, tip in new.items() if ref.startswith(BRANCHES)}
        branch = next((name for name in (head, WIKI_BRANCH, *sorted(tips)) if name in tips), None)
        new = {f"{BRANCHES}{WIKI_BRANCH}": tips[branch]} if branch else {}
    moves = dict[str, str]()
    for ref, tip in new.items():
        change = Change(ref, local.get(ref, ZERO), tip)
        if change.old == change.new:
            continue
        if check_names([change]) is not None:
            target.problem(".git", f"The name {ref[:200]!r} is not allowed here.")
        elif change.creates or (change.branch and await git_refs.is_ancestor(repo_path, change.old, change.new)):
            moves[ref] = tip
        else:
            target.problem(".git", f"{ref[:200]} has gone its own way here and was left alone.")
    await git_refs.set_refs(repo_path, moves)
    async with target.run.services.database.transaction() as tx:
        await outdate_releases(tx, target.id, [ref.removeprefix(TAGS) for ref in moves if ref.startswith(TAGS)])
    target.run.report.created["refs"] += len(moves)


async def _drop_strange_heads(repo_path: Path) -> None:
    """Delete fetched refs that no merge request could have, and those that keep another commit than they say."""
    heads = await git_refs.read_below(repo_path, REQUEST_HEADS, KEPT)
    if strange := [ref for ref, tip in heads.items() if ref != KEPT + tip and not _REQUEST_HEAD.fullmatch(ref)]:
        await git_refs.drop_refs(repo_path, strange)


async def repo_path_of(target: ProjectRun, *, wiki: bool) -> Path:
    """The repository here, to write to."""
    storage = errors.or_not_found(await find_storage(target.run.services, target.id), "Project")
    return await repo_path_to_write(target.run.services, storage, target.id, wiki=wiki)


async def _remote(target: ProjectRun, *, wiki: bool) -> Remote:
    """The repository below the address of the source, whatever address the source gives: the token goes nowhere else."""
    if bundle := target.run.source.bundle(target.project, wiki=wiki):
        if not bundle.is_dir():
            return Remote.bundle(bundle)
        await copying.drop_broken_refs(bundle)
        return Remote.folder(bundle)
    parts = urlsplit(target.run.source.address)
    path = f"{parts.path}/{quote(target.project.path_with_namespace)}{'.wiki' if wiki else ''}.git"
    user = f"oauth2:{quote(target.run.token, safe='')}@" if target.run.token else ""
    return await check_import_url(target.run.services, f"{parts.scheme}://{user}{parts.netloc}{path}")


def _max_bytes(target: ProjectRun) -> int:
    return target.run.services.settings.max_push_megabytes * 1024 * 1024
