"""Releases as responses show them."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final, LiteralString, cast
from urllib.parse import quote_plus

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.code.commits.entities import Commit, shown_commit
from mujina.code.commits.operations import Repository
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.code.tags import operations as tags
from mujina.kernel import clock
from mujina.kernel.db.documents import COMPUTED_SLOT, PATH_SLOT, Documents, DocumentSource
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Order, Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_documents, load_joined
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.urls import instance_address, quoted, web
from mujina.planning.issues.rules import READ_ISSUE
from mujina.planning.milestones.entities import Milestone, MilestoneView
from mujina.publishing.releases.rules import CODE_READABLE, RELEASES, ReleaseLinkRow, ReleaseRow
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace

SOURCE_FORMATS: Final = ("zip", "tar.gz", "tar.bz2", "tar")


class ReleaseSource(msgspec.Struct):
    format: str
    url: str


class ReleaseLink(msgspec.Struct):
    id: int
    name: str
    url: str
    direct_asset_url: str
    link_type: str


class ReleaseAssets(msgspec.Struct):
    count: int
    sources: list[ReleaseSource] | UnsetType
    links: list[ReleaseLink]


class IssueStats(msgspec.Struct):
    total: int
    closed: int


class ReleaseMilestone(Milestone, kw_only=True):
    issue_stats: IssueStats


class Release(msgspec.Struct, kw_only=True, rename={"links": "_links"}):
    """A release; without the right to read the code it has no tag, no commit and no sources."""

    tag_name: str | UnsetType = UNSET
    name: str
    description: str
    description_html: str | UnsetType = UNSET
    created_at: str
    released_at: str
    upcoming_release: bool
    milestones: list[ReleaseMilestone] | UnsetType = UNSET
    author: UserRef | None
    commit: Commit | UnsetType = UNSET
    commit_path: str | UnsetType = UNSET
    tag_path: str | UnsetType = UNSET
    assets: ReleaseAssets
    evidences: list[str] | UnsetType = UNSET
    """Always empty: no evidence is collected."""
    links: dict[str, str]


class ReleaseView(ReleaseRow):
    """The columns from which a `Release` is made."""

    author: RefRow | None


_SOURCE: Final[LiteralString] = f"{RELEASES} LEFT JOIN users u ON u.id = rel.author_id"
_COLUMNS: Final[dict[bool, LiteralString]] = {
    code: ReleaseView.columns_assuming({CODE_READABLE: code}) for code in (True, False)
}
"""By whether the actor may read the code."""


class SimpleRelease(msgspec.Struct, rename={"links": "_links"}):
    """A release in the short list of a group."""

    tag_name: str | UnsetType
    name: str
    description: str
    created_at: str
    released_at: str
    upcoming_release: bool
    links: dict[str, str]


async def load_page(
    services: Services, tx: Tx, actor: Actor, selection: Selection, order: Order, page: Page,
    *, html: bool = False, code: bool | None = None,
) -> Paged[Release]:  # fmt: skip
    """One page of releases, with what belongs to them.

    `code`: whether the actor may read the code of their project; None: each release is asked for.
    """
    if code and not html:
        return await load_documents(_documents(services, actor), tx, selection, order, page)
    columns = None if code is None else _COLUMNS[code]
    selection = selection.bind(**actor.bound)
    found = await load_joined(tx, ReleaseView, _SOURCE, "rel.id", selection, order, page, columns=columns)
    return found.with_items(await _to_entities(services, tx, actor, found.items, html=html))


async def load_release(services: Services, tx: Tx, actor: Actor, release: ReleaseRow, *, html: bool) -> Release:
    """This release as responses show it."""
    row = await find_row(tx, ReleaseView, Selection(_SOURCE, "rel.id = :id", id=release.id, **actor.bound), "Release")
    return (await _to_entities(services, tx, actor, [row], html=html))[0]


async def _to_entities(
    services: Services, tx: Tx, actor: Actor, rows: Sequence[ReleaseView], *, html: bool
) -> list[Release]:
    """These releases with their commits, links and milestones; `html`: also with their descriptions as HTML."""
    entities = await _without_milestones(services, tx, rows)
    milestones = await _milestones_of(tx, actor, [row.id for row in rows if row.has_milestones])
    texts = [MarkdownText(row.description, text_place(row.full_path)) for row in rows] if html else []
    shown = await markdown.show(services, tx, actor, texts) if texts else []
    for row, entity in zip(rows, entities, strict=True):
        entity.milestones = milestones.get(row.id, UNSET)
    for entity, text in zip(entities, shown, strict=False):
        entity.description_html = str(text)
    return entities


async def _without_milestones(services: Services, tx: Tx, rows: Sequence[ReleaseView]) -> list[Release]:
    """These releases with what every reader of the code sees of them: their commits and links."""
    links = await _links_of(tx, [row.id for row in rows if row.has_links])
    commits = await _commits_of(services, tx, rows)
    now = clock.now()
    return [_to_entity(row, links.get(row.id, []), commits.get(row.id), now) for row in rows]


class _SourceAndView(Row):
    source: DocumentSource
    view: ReleaseView


def _documents(services: Services, actor: Actor) -> Documents[Release]:
    """The documents of releases, for those who may read the code.

    What time and the actor decide is left open where there is any.
    """

    async def compute(tx: Tx, ids: list[int]) -> list[tuple[DocumentSource, Release]]:
        found = await tx.rows(
            _SourceAndView,
            f"SELECT {documents.source_columns}, {_COLUMNS[True]} FROM {_SOURCE} WHERE rel.id IN :ids",
            ids=ids,
        )
        rows = [msgspec.structs.replace(row.view, full_path=PATH_SLOT) for row in found]
        releases = await _without_milestones(services, tx, rows)
        for row, release in zip(rows, releases, strict=True):
            if row.has_milestones or release.upcoming_release:
                release.upcoming_release = cast("bool", COMPUTED_SLOT)
        return list(zip([row.source for row in found], releases, strict=True))

    documents = Documents(
        "release_documents", Release, compute, of="releases", alias="rel", variant=str,
        computed=partial(_late_members, actor),
    )  # fmt: skip
    return documents


async def _late_members(actor: Actor, tx: Tx, ids: list[int]) -> dict[int, dict[str, Any]]:
    """Whether these releases are still to come, and their milestones."""
    rows = await tx.rows(
        tuple[int, bool],
        "SELECT rel.id, rel.released_at > :now FROM releases rel WHERE rel.id IN :ids",
        ids=ids,
        now=clock.now(),
    )
    milestones = await _milestones_of(tx, actor, ids)
    return {
        id_: {"upcoming_release": upcoming} | ({"milestones": milestones[id_]} if id_ in milestones else {})
        for id_, upcoming in rows
    }


def text_place(full_path: str) -> TextPlace:
    """Where the description of a release of this project stands."""
    return TextPlace(base=instance_address.get().base, project=full_path, below=2, anchors=False)


def to_simple(release: Release) -> SimpleRelease:
    return to_entity(SimpleRelease, release)


def to_link(release: ReleaseRow, link: ReleaseLinkRow) -> ReleaseLink:
    path = link.filepath
    direct = web(f"{release.page}/downloads{path}") if path and release.code_readable else link.url
    return to_entity(ReleaseLink, link, direct_asset_url=direct)


async def load_links(tx: Tx, release: ReleaseRow) -> list[ReleaseLink]:
    """The links of a release, newest first."""
    return [to_link(release, link) for link in (await _links_of(tx, [release.id])).get(release.id, [])]


async def _links_of(tx: Tx, ids: list[int]) -> dict[int, list[ReleaseLinkRow]]:
    if not ids:
        return {}
    rows = await tx.rows(
        ReleaseLinkRow,
        f"SELECT {ReleaseLinkRow.columns} FROM release_links link WHERE link.release_id IN :ids ORDER BY link.id DESC",
        ids=ids,
    )
    found: dict[int, list[ReleaseLinkRow]] = defaultdict(list)
    for row in rows:
        found[row.release_id].append(row)
    return found


def _count_issues(condition: LiteralString) -> LiteralString:
    return f"""(SELECT count(*) FROM issues i JOIN projects p ON p.id = i.project_id WHERE i.milestone_id = ms.id
        AND {condition} AND i.deleted_at IS NULL AND p.deleted_at IS NULL AND {READ_ISSUE.for_scan})"""


class _LinkedMilestone(Row, alias="x"):
    """A milestone of a release, with the numbers of its issues that the actor may read."""

    release_id: int
    total: Annotated[int, _count_issues("TRUE")]
    closed: Annotated[int, _count_issues("i.state = 'closed'")]
    milestone: MilestoneView


async def _milestones_of(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, list[ReleaseMilestone]]:
    if not ids:
        return {}
    rows = await tx.rows(
        _LinkedMilestone,
        f"""SELECT {_LinkedMilestone.columns} FROM release_milestones x JOIN milestones ms ON ms.id = x.milestone_id
            WHERE x.release_id IN :ids ORDER BY ms.due_on IS NULL, ms.due_on, ms.id""",
        ids=ids,
        **actor.bound,
    )
    found: dict[int, list[ReleaseMilestone]] = defaultdict(list)
    for row in rows:
        milestone = row.milestone.to_entity(Milestone)
        stats = IssueStats(row.total, row.closed)
        found[row.release_id].append(to_entity(ReleaseMilestone, milestone, issue_stats=stats))
    return found


async def _commits_of(services: Services, tx: Tx, rows: Sequence[ReleaseView]) -> dict[int, Commit]:
    """The commits of the tags that the actor may read, by the ids of the releases."""
    by_project: dict[int, list[ReleaseView]] = defaultdict(list)
    for row in rows:
        if row.code_readable:
            by_project[row.project_id].append(row)
    found: dict[int, Commit] = {}
    for project_id, releases in by_project.items():
        repo_path = await repo_path_to_read(services, releases[0].storage, project_id, tx=tx)
        code = Repository(repo_path, releases[0].default_branch)
        tagged = tags.find_commits(code, [row.tag for row in releases])  # a page of them takes less than a thread costs
        for row in releases:
            if (commit := tagged.get(row.tag)) is not None:
                found[row.id] = shown_commit(commit, row.full_path)
    return found


def _to_entity(row: ReleaseView, links: list[ReleaseLinkRow], commit: Commit | None, now: str) -> Release:
    path, tag = quoted(f"/{row.full_path}"), quoted(row.tag)
    here = f"{instance_address.get().base}{path}"
    sources = _sources(row, here, tag) if row.code_readable else UNSET
    assets = ReleaseAssets(
        len(links) + (0 if sources is UNSET else len(sources)), sources, [to_link(row, link) for link in links]
    )
    release = Release(
        name=row.name or (row.tag if row.code_readable else f"Release-{row.id}"), description=row.description,
        created_at=row.created_at, released_at=row.released_at, upcoming_release=row.released_at > now,
        author=row.author and row.author.shown(), assets=assets, links={},
    )  # fmt: skip
    if row.code_readable:
        release.tag_name, release.evidences = row.tag, []
        release.links = _links(here, f"{here}/-/releases/{tag}", quote_plus(row.tag))
        release.tag_path = f"{path}/tags/{tag}"
        if commit is not None:
            release.commit, release.commit_path = commit, f"{path}/commit/{commit.id}"
    return release


def _sources(row: ReleaseRow, here: str, tag: str) -> list[ReleaseSource]:
    address = f"{here}/-/archive/{tag}/{row.project_path}-{tag.replace('/', '-')}"
    return [ReleaseSource(suffix, f"{address}.{suffix}") for suffix in SOURCE_FORMATS]


_LISTS: Final = {
    "closed_issues_url": ("issues", "closed"),
    "closed_merge_requests_url": ("merge_requests", "closed"),
    "merged_merge_requests_url": ("merge_requests", "merged"),
    "opened_issues_url": ("issues", "opened"),
    "opened_merge_requests_url": ("merge_requests", "opened"),
}


def _links(here: str, page: str, tag: str) -> dict[str, str]:
    lists = {name: f"{here}/{path}?release_tag={tag}&scope=all&state={state}" for name, (path, state) in _LISTS.items()}
    return {"self": page, "edit_url": f"{page}/edit", **lists}
