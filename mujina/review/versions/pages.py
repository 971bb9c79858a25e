"""Pages of the changes of a merge request: its commits, its changed files with their threads, and both as patches."""

from collections import Counter
from typing import Any

import msgspec

from mujina.code.commits.operations import Repository, ResolvedCommit
from mujina.code.commits.shown_changes import ShownChanges, read_changes
from mujina.code.files.downloads import SAFE
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.code.repositories.browsing import authors_of
from mujina.code.signatures.badges import read_badges
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import NOTE, HtmlPage, PageRequest, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import FIRST_PAGE, Page
from mujina.kernel.http.params import UNSET, Params, Ref, Unset
from mujina.planning.discussions.timeline import Thread, read_threads, text_place
from mujina.review.discussions.lines import Spot, find_threads
from mujina.review.merge_requests.declarations.noteable import noteable_of
from mujina.review.merge_requests.operations import repository_of
from mujina.review.merge_requests.rules import MergeRequestRow, find_merge_request
from mujina.review.merge_requests.views.listing import facts_of
from mujina.review.merge_requests.views.page_view import FoundForPage, find_for_page, read_for_page
from mujina.review.suggestions.page_view import show_suggestions
from mujina.review.versions import entities, operations
from mujina.review.versions.entities import MergeRequestVersion
from mujina.review.versions.rules import VersionRow, find_newest_version, find_version
from mujina.workspaces.projects.rules import ProjectRow


@view("/{project}/merge_requests/{iid:int}/commits", rights={"pipelines": READ_PIPELINES})
async def show_merge_request_commits(request: PageRequest, project: ProjectRow, iid: int, page: Page) -> HtmlPage:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    async with request.reading() as tx:
        version = await find_newest_version(tx, found.row.id)
    repository = repository_of(found.row)
    commits, total = await operations.commits(request.services, repository, version, page.start, page.size)
    code = Repository(await repository.repo_path(request.services), None)
    shas = [commit.id for commit in commits]
    signatures = await read_badges(request.services, code, project.id, shas)
    async with request.reading() as tx:
        context = {
            "shown": await read_for_page(tx, request.actor, found),
            "authors": await authors_of(tx, commits),
            "statuses": await pipelines.newest_statuses(tx, project.id, shas) if request.rights["pipelines"] else {},
            "signatures": signatures,
        }
    return HtmlPage("review/commits.html", {**context, "paged": page.of(commits, total), "tab": "commits"})


class ShownVersion(Params):
    """Which version of the changes is shown."""

    diff_id: int | Unset | None = UNSET
    start_sha: str | Unset = UNSET
    """The head of an earlier version that it is compared with; without it, the target branch."""


class Compared(msgspec.Struct, frozen=True):
    """Two commits whose difference is shown."""

    version: VersionRow
    versions: list[MergeRequestVersion]
    """The versions that have changes, the newest first."""
    base: str
    start: MergeRequestVersion | None
    """An earlier version that it is compared with."""

    @property
    def newest(self) -> bool:
        return not self.versions or self.version.id == self.versions[0].id

    @property
    def number(self) -> int:
        return self.number_of(self.version.id)

    def number_of(self, version_id: int) -> int:
        """The number of a version, counted from the first."""
        ids = [version.id for version in reversed(self.versions)]
        return ids.index(version_id) + 1 if version_id in ids else 0


@view("/{project}/merge_requests/{iid:int}/diffs")
async def show_merge_request_changes(
    request: PageRequest, project: ProjectRow, iid: int, query: ShownVersion
) -> HtmlPage:
    found = await find_for_page(request.services, request.actor, project.id, iid)
    async with request.reading() as tx:
        compared = await _compared(tx, found, query)
    changes = None
    if compared is not None and compared.version.head_sha is not None:
        code = Repository(await repository_of(found.row).repo_path(request.services), None)
        head = ResolvedCommit(code, compared.version.head_sha, compared.version.head_sha)
        changes = await read_changes(request, head, compared.base)
    async with request.reading() as tx:
        facts = (await facts_of(tx, request.actor, [found.row.id])).get(found.row.id)
        context: dict[str, Any] = {
            "shown": await read_for_page(tx, request.actor, found),
            "compared": compared,
            "changes": changes,
            "unresolved": errors.or_not_found(facts, "Merge Request").threads,  # it was deleted a moment ago
            "threads": await _threads(request, tx, project, found, compared, changes),
        }
    counts = Counter(path for (path, _, _), threads in context["threads"].items() for _ in threads)
    context |= {"tab": "changes", "counts": counts}
    parts = {name: (*blocks, "unresolved") for name, blocks in changes.parts.items()} if changes else {}
    return HtmlPage("review/changes.html", context, parts={**parts, NOTE: ("files",)} if changes else {})


async def _compared(tx: Tx, found: FoundForPage, query: ShownVersion) -> Compared | None:
    """The version that the query asks for; None if there are no changes."""
    request_id = found.row.id
    if query.diff_id:
        version = await find_version(tx, request_id, query.diff_id)
    else:
        version = await find_newest_version(tx, request_id)
    if version is None or version.base_sha is None or version.head_sha is None:
        return None
    versions = await entities.load_page(tx, request_id, FIRST_PAGE)
    listed = [each for each in versions.items if each.state != "empty"]
    start = next((each for each in listed if query.start_sha and each.head_commit_sha == query.start_sha), None)
    if query.start_sha and start is None:
        raise errors.not_found("Version")
    base = (start.head_commit_sha if start else None) or version.base_sha
    return Compared(version, listed, base, start)


async def _threads(
    request: PageRequest,
    tx: Tx,
    project: ProjectRow,
    found: FoundForPage,
    compared: Compared | None,
    changes: ShownChanges | None,
) -> dict[Spot, list[Thread]]:
    """The threads about lines of the files that are shown, by line. Between two versions there are none."""
    if compared is None or changes is None or compared.start is not None:
        return {}
    paths = {change.patch.new_path for change in changes.files}
    located = await find_threads(tx, found.row.id, compared.version.head_sha)
    wanted = [each for each in located if each.location[0] in paths]
    noteable, place = noteable_of(found.row, found.row.note_sources), text_place(project.full_path)
    read = await read_threads(request.services, tx, request.actor, noteable, place, [each.id for each in wanted])
    await show_suggestions(tx, request.actor, found.row, read)
    by_id = {thread.id: thread for thread in read}
    at: dict[Spot, list[Thread]] = {}
    for each in wanted:
        if each.id in by_id:
            at.setdefault(each.location, []).append(by_id[each.id])
    return at


@view("/{project}/merge_requests/{iid:int}.diff")
async def read_merge_request_diff(request: PageRequest, project: ProjectRow, iid: int) -> Response:
    row, version = await _newest(request, project, iid)
    pieces = await operations.raw_diffs(request.services, repository_of(row), version)
    return Response(pieces, content_type="text/plain; charset=utf-8", headers=SAFE)


@view("/{project}/merge_requests/{iid:int}.patch")
async def read_merge_request_patch(request: PageRequest, project: ProjectRow, iid: int) -> Response:
    row, version = await _newest(request, project, iid)
    pieces = await operations.mailed_patches(request.services, repository_of(row), version)
    return Response(pieces, content_type="text/plain; charset=utf-8", headers=SAFE)


async def _newest(request: PageRequest, project: ProjectRow, iid: int) -> tuple[MergeRequestRow, VersionRow | None]:
    async with request.reading() as tx:
        row = await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
        return row, await find_newest_version(tx, row.id)
