"""What GitHub and Gitea have in common as sources: repositories with issues and pulls in one series of numbers."""

import asyncio
import re
from abc import abstractmethod
from collections.abc import AsyncGenerator, Iterable
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar, Final

import msgspec

from mujina.kernel import clock
from mujina.moving.sources.forge import Forge, ReportProblem, empty_list
from mujina.moving.sources.operations import Query, SourceClient
from mujina.moving.sources.pulls import shapes
from mujina.moving.sources.pulls.conversions import alone, position_of
from mujina.moving.sources.pulls.shapes import emoji_of, people_of, person_of
from mujina.moving.sources.pulls.texts import projects_in, rewrite_references
from mujina.moving.sources.records import (
    GroupRecord,
    Iid,
    ProjectNamespace,
    SourceApproval,
    SourceAssets,
    SourceAward,
    SourceDiscussion,
    SourceHook,
    SourceIssue,
    SourceLabel,
    SourceMergeRequest,
    SourceMilestone,
    SourceNote,
    SourcePerson,
    SourceProject,
    SourceRelease,
    SourceReleaseLink,
    SourceSizes,
    SourceTimes,
    SourceVariable,
    SourceVersion,
    Visibility,
    derived_id,
)

ALL: Final[Query] = {"state": "all"}
_MOMENT: Final = timedelta(milliseconds=1)
COMMENT, REVIEW, LINE_COMMENT = range(3)
"""Kinds of notes, each with numbers of its own: the number of a note says of which kind it is."""
_COUNTED: Final = {"merge_requests": "pulls", "members": "collaborators"}
_VERDICTS: Final = {
    "APPROVED": "approved this merge request",
    "CHANGES_REQUESTED": "requested changes",
    "REQUEST_CHANGES": "requested changes",
}
_VISIBILITIES: Final[dict[str, Visibility]] = {"limited": "internal", "private": "private"}


class PullNumber(msgspec.Struct, frozen=True):
    number: Iid


class PullReviews(msgspec.Struct, frozen=True):
    """The reviews of a pull, and the comments about lines, each with the head that it is about."""

    reviews: list[shapes.ForgeReview]
    lines: list[tuple[str, shapes.ForgeLineComment]]


class PullForge(Forge):
    """Reads one instance. Projects are asked for by their paths, which are remembered when they are listed."""

    request_heads: ClassVar = "refs/pull/"
    pull_page: ClassVar = "/pulls/"
    pulls_only: ClassVar[tuple[str, Query]]
    """The list that has all pulls, and perhaps nothing else."""
    issues_only: ClassVar[Query] = ALL
    """The parameters of the list of issues, which may have pulls as well."""
    names_lists: ClassVar = False
    """Whether an answer about variables is an object that has the list."""
    comment_paths: ClassVar = {COMMENT: "/issues/comments", LINE_COMMENT: "/issues/comments"}
    """Below which comments have their reactions."""

    def __init__(self, client: SourceClient, problem: ReportProblem, address: str = "") -> None:
        super().__init__(client, problem, address)
        self._paths = dict[int, str]()
        self._groups = dict[int, str]()
        self._sizes = dict[int, int]()
        self._pulls = dict[str, set[int]]()
        self._learning = asyncio.Lock()
        self._asked = dict[tuple[int, int], shapes.ForgePull]()
        """Pulls of the page that is being written."""
        self._reviews = dict[tuple[int, int], asyncio.Future[PullReviews]]()
        self._without = set[tuple[str, int, int]]()
        """What an answer said to have no comments or no reactions: nothing is asked about it."""

    def repository(self, project_id: int, rest: str) -> str:
        return f"/repos/{self._paths[project_id]}{rest}"

    # Projects and groups

    async def project(self, path: str) -> SourceProject:
        return await self._project(await self._client.one(shapes.ForgeRepository, f"/repos/{path}"))

    async def group(self, path: str) -> GroupRecord:
        found = await self._client.one(shapes.ForgeOrganization, f"/orgs/{path}")
        name = found.login or found.username or found.name or path
        self._groups[found.id] = name
        return GroupRecord(
            id=found.id, path=name, full_path=name, name=found.full_name or found.name or name,
            description=found.description or None, visibility=_VISIBILITIES.get(found.visibility, "public"),
        )  # fmt: skip

    async def projects_of(self, group_id: int) -> AsyncGenerator[list[SourceProject]]:
        async for page in self._pages(shapes.ForgeRepository, f"/orgs/{self._groups[group_id]}/repos"):
            yield [await self._project(each) for each in page]

    async def projects(self) -> AsyncGenerator[list[SourceProject]]:
        async for page in self._pages(shapes.ForgeRepository, "/user/repos"):
            yield [await self._project(each) for each in page]

    async def token_owner(self) -> SourcePerson | None:
        return (await self._client.one(shapes.ForgePerson, "/user")).record()

    @abstractmethod
    async def is_group(self, owner: shapes.ForgePerson) -> bool:
        """Whether the owner of a repository is an organization."""

    async def _project(self, found: shapes.ForgeRepository) -> SourceProject:
        self._paths[found.id], self._sizes[found.id] = found.full_name, found.size << 10
        kind = "group" if await self.is_group(found.owner) else "user"
        internal = found.internal or found.visibility == "internal"
        return SourceProject(
            id=found.id, path=found.name, name=found.name, path_with_namespace=found.full_name,
            namespace=ProjectNamespace(max(found.owner.id, 1), kind, found.owner.login),
            created_at=found.created_at or found.updated_at or datetime.fromtimestamp(clock.timestamp(), UTC),
            description=found.description or None,
            visibility="internal" if internal else "private" if found.private else "public",
            default_branch=found.default_branch, archived=found.archived, issues_enabled=found.has_issues,
            merge_requests_enabled=found.has_pull_requests, wiki_enabled=found.has_wiki,
            last_activity_at=found.updated_at, tag_list=found.topics or [],
            merge_method="ff" if found.default_merge_style == "fast-forward-only" else "merge",
        )  # fmt: skip

    async def sizes(self, project: SourceProject) -> SourceSizes | None:
        return SourceSizes(repository_size=self._sizes[project.id])

    def page_of(self, project: SourceProject, rest: str) -> str:
        rest = rest.removeprefix("/-").replace("/merge_requests/", self.pull_page)
        return super().page_of(project, rest)

    async def count(self, project_id: int, noun: str) -> int | None:
        query = self.issues_only if noun == "issues" else ALL
        return await self._count(self.repository(project_id, f"/{_COUNTED.get(noun, noun)}"), query)

    # Labels, milestones, issues, pulls

    async def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        path = f"/orgs/{self._groups[owner_id]}/labels" if owner == "groups" else self.repository(owner_id, "/labels")
        async for page in self._pages(shapes.ForgeLabel, path):
            yield [each.record() for each in page]

    async def milestones(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMilestone]]:
        if owner == "projects":
            async for page in self._pages(shapes.ForgeMilestone, self.repository(owner_id, "/milestones"), ALL):
                yield [each.record() for each in page]

    async def issues(self, project_id: int) -> AsyncGenerator[list[SourceIssue]]:
        await self._learn_pulls(self._paths[project_id])
        path = self.repository(project_id, "/issues")
        async for page in self._pages(shapes.ForgeIssue, path, self.issues_only, long=True):
            yield [await self._issue(project_id, each) for each in page if each.pull_request is None]

    async def _issue(self, project_id: int, issue: shapes.ForgeIssue) -> SourceIssue:
        if issue.comments == 0:
            self._without.add(("comments", project_id, issue.number))
        self._note_reactions("issues", project_id, issue.number, issue.reactions)
        return SourceIssue(
            **issue.shared_fields(),
            description=await self._text(project_id, issue.body, issue.assets),
            state="opened" if issue.state == "open" else "closed",
            due_date=issue.due_date.date() if issue.due_date else None,
            time_stats=SourceTimes(issue.time_estimate),
        )

    async def merge_requests(self, project_id: int) -> AsyncGenerator[list[SourceMergeRequest]]:
        await self._learn_pulls(self._paths[project_id])
        async for page in self._pages(shapes.ForgePull, self.repository(project_id, "/pulls"), ALL, long=True):
            self._asked = {(project_id, pull.number): pull for pull in page}
            yield [await self._pull(project_id, each) for each in page]
            self._reviews.clear()

    async def _pull(self, project_id: int, pull: shapes.ForgePull) -> SourceMergeRequest:
        fields = pull.shared_fields()
        if pull.draft:
            fields["title"] = f"Draft: {pull.title}"
        merged = pull.merged_at is not None
        return SourceMergeRequest(
            **fields, description=await self._text(project_id, pull.body, pull.assets),
            state="merged" if merged else "opened" if pull.state == "open" else "closed",
            source_branch=pull.head.ref, target_branch=pull.base.ref,
            source_project_id=pull.head.repo.id if pull.head.repo else None,
            reviewers=people_of(pull.requested_reviewers), merged_at=pull.merged_at,
            merge_commit_sha=pull.merge_commit_sha if merged else None, merged_by=person_of(pull.merged_by),
        )  # fmt: skip

    async def complete(self, project_id: int, request: SourceMergeRequest) -> SourceMergeRequest:
        """The merge request, whose reviewers are all who wrote a review."""
        reviews = (await self._ask_reviews(project_id, request.iid)).reviews
        author = request.author.id if request.author else 0
        people = {
            each.id: each for each in (*request.reviewers, *people_of(each.user for each in reviews if each.user))
        }
        return msgspec.structs.replace(request, reviewers=[each for each in people.values() if each.id != author])

    async def approvals(self, project_id: int, iid: int) -> list[SourceApproval]:
        """The approvals of those whose last verdict is one."""
        verdicts = dict[int, shapes.ForgeReview]()
        for review in sorted((await self._ask_reviews(project_id, iid)).reviews, key=lambda each: each.id):
            if review.user is not None and review.state in (*_VERDICTS, "DISMISSED"):
                verdicts[review.user.id] = review
        return [
            SourceApproval(person, review.submitted_at)
            for review in verdicts.values()
            if review.state == "APPROVED" and not review.dismissed and (person := person_of(review.user))
        ]

    async def versions(self, project_id: int, iid: int) -> AsyncGenerator[list[SourceVersion]]:
        """The commits that line comments are about, each with the time of the first one, and the head, which is the last."""
        pull, heads = self._asked[project_id, iid], dict[str, datetime]()
        for commit, comment in (await self._ask_reviews(project_id, iid)).lines:
            heads[commit] = min(heads.get(commit, comment.created_at), comment.created_at)
        first = heads.pop(pull.head.sha, pull.created_at)
        heads[pull.head.sha] = max([first, *(at + _MOMENT for at in heads.values())])
        base = pull.merge_base or None
        yield [
            SourceVersion(derived_id(f"{pull.id} {head}"), at, head, base, pull.base.sha if base is None else base)
            for head, at in heads.items()
            if head
        ]

    async def releases(self, project_id: int) -> AsyncGenerator[list[SourceRelease]]:
        await self._learn_pulls(self._paths[project_id])
        async for page in self._pages(shapes.ForgeRelease, self.repository(project_id, "/releases")):
            yield [await self._release(project_id, each) for each in page if not each.draft]

    async def _release(self, project_id: int, release: shapes.ForgeRelease) -> SourceRelease:
        page = f"{self.address}/{self._paths[project_id]}"
        links = [
            SourceReleaseLink(
                asset.id, asset.name, page + self.link_file(self.asset_url(project_id, asset), asset.name)
            )
            for asset in release.assets or ()
        ]
        return SourceRelease(
            tag_name=release.tag_name, created_at=release.created_at, name=release.name,
            description=await self._text(project_id, release.body), released_at=release.published_at,
            author=person_of(release.author), assets=SourceAssets(links),
        )  # fmt: skip

    async def hooks(self, project_id: int) -> AsyncGenerator[list[SourceHook]]:
        path = self.repository(project_id, "/hooks")
        async for page in self._pages(shapes.ForgeHook, path):
            address, usable = f"{self._client.address}{path}", [each for each in page if each.is_usable]
            for hook in page:
                if hook not in usable:
                    self._problem(f"{address}/{hook.id}", "It is switched off, or for one kind of receiver only.")
            yield [record for each in usable if (record := self._read(SourceHook, each.fields(), address))]

    async def variables(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceVariable]]:
        """The names of variables and secrets of a project."""
        for noun in ("variables", "secrets") if owner == "projects" else ():
            path, key = self.repository(owner_id, f"/actions/{noun}"), noun if self.names_lists else ""
            async for page in self._pages(shapes.ForgeVariableName, path, key=key, absent=(404,)):
                yield [SourceVariable(each.name) for each in page]

    # Comments

    async def discussions(self, project_id: int, noun: str, iid: int) -> AsyncGenerator[list[SourceDiscussion]]:
        path = self.repository(project_id, f"/issues/{iid}/comments")
        commented = ("comments", project_id, iid) not in self._without
        async for page in self._pages(shapes.ForgeComment, path) if commented else empty_list():
            yield [alone(await self._note(project_id, COMMENT, each)) for each in page]
        if noun == "merge_requests":
            reviews = await self._ask_reviews(project_id, iid)
            yield [alone(each) for review in reviews.reviews if (each := await self._verdict(project_id, review))]
            yield await self._threads(project_id, reviews)

    def _ask_reviews(self, project_id: int, iid: int) -> asyncio.Future[PullReviews]:
        """The reviews of a pull, asked for once."""
        key = project_id, iid
        if key not in self._reviews:
            self._reviews[key] = asyncio.ensure_future(self.reviews(project_id, self._asked[key]))
        return self._reviews[key]

    @abstractmethod
    async def reviews(self, project_id: int, pull: shapes.ForgePull) -> PullReviews: ...

    async def _note(self, project_id: int, kind: int, comment: shapes.ForgeComment, **more: Any) -> SourceNote:
        self._note_reactions("note", project_id, comment.id * 4 + kind, comment.reactions)
        return SourceNote(
            comment.id * 4 + kind, await self._text(project_id, comment.body, comment.assets) or "",
            person_of(comment.user), comment.created_at, comment.updated_at, **more,
        )  # fmt: skip

    async def _verdict(self, project_id: int, review: shapes.ForgeReview) -> SourceNote | None:
        """What a review says as a whole: its text, or else its verdict."""
        text = await self._text(project_id, review.body)
        if review.submitted_at is None or not (text or review.state in _VERDICTS):
            return None
        return SourceNote(
            review.id * 4 + REVIEW, text or _VERDICTS[review.state], person_of(review.user), review.submitted_at,
            review.submitted_at, system=not text,
        )  # fmt: skip

    async def _threads(self, project_id: int, reviews: PullReviews) -> list[SourceDiscussion]:
        threads = dict[str, list[SourceNote]]()
        for commit, comment in sorted(reviews.lines, key=lambda each: (each[1].created_at, each[1].id)):
            resolver = person_of(comment.resolver)
            note = await self._note(
                project_id, LINE_COMMENT, comment, position=position_of(commit, comment), resolved=resolver is not None,
                resolved_by=resolver,
            )  # fmt: skip
            threads.setdefault(self.thread_of(comment), []).append(note)
        return [SourceDiscussion(f"l{notes[0].id}", individual_note=False, notes=notes) for notes in threads.values()]

    def _note_reactions(self, noun: str, project_id: int, number: int, reactions: shapes.ForgeReactions | None) -> None:
        if reactions is not None and reactions.total_count == 0:
            self._without.add((noun, project_id, number))

    @abstractmethod
    def thread_of(self, comment: shapes.ForgeLineComment) -> str:
        """Comments for which it is the same are one thread."""

    @abstractmethod
    def asset_url(self, project_id: int, asset: shapes.ForgeAsset) -> str:
        """From where a file of a release is fetched."""

    async def awards(
        self, project_id: int, noun: str, iid: int, note_id: int | None
    ) -> AsyncGenerator[list[SourceAward]]:
        comment_id, kind = divmod(note_id or 0, 4)
        key = (noun, project_id, iid) if note_id is None else ("note", project_id, note_id)
        if kind == REVIEW or key in self._without:
            return
        path = f"/issues/{iid}" if note_id is None else f"{self.comment_paths[kind]}/{comment_id}"
        async for page in self._pages(shapes.ForgeReaction, self.repository(project_id, f"{path}/reactions")):
            yield [SourceAward(each.id, emoji_of(each.content), person_of(each.user), each.created_at) for each in page]

    # Texts and files

    async def _text(
        self, project_id: int, text: str | None, assets: Iterable[shapes.ForgeAsset] | None = None
    ) -> str | None:
        """The text with references as here, and links to its files, at its end if it has none to them."""
        if not text and not assets:
            return text
        path, named = self._paths[project_id], {each.uuid: each.name for each in assets or ()}
        linked = set[str]()

        def link(found: re.Match[str]) -> str:
            linked.add(found["uuid"] or "")
            return self.link_file(self.attachment_url(found), named.get(found["uuid"] or "", ""))

        written = self.attachment.sub(link, text or "")
        for asset in assets or ():
            if asset.uuid not in linked and asset.browser_download_url:
                written += f"\n\n[{asset.name}]({self.link_file(asset.browser_download_url, asset.name)})"
        for other in projects_in(written) & set(self._paths.values()):
            await self._learn_pulls(other)
        return rewrite_references(written, path, self.origin, lambda at, number: number in self._pulls.get(at, ()))

    @cached_property
    @abstractmethod
    def attachment(self) -> re.Pattern[str]:
        """An address in a text from which a file is fetched."""

    def attachment_url(self, found: re.Match[str]) -> str:
        return found[0]

    async def _learn_pulls(self, path: str) -> None:
        """The numbers of the project at the path that are pulls are known."""
        async with self._learning:
            if path not in self._pulls:
                noun, query = self.pulls_only
                pages = self._pages(PullNumber, f"/repos/{path}/{noun}", query, long=True)
                self._pulls[path] = {each.number async for page in pages for each in page}
