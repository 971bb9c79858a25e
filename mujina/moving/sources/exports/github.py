"""GitHub's migration archive: numbered JSON lists of objects that name each other by address, and bare repositories."""

import re
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from typing import Any, Final
from urllib.parse import quote, unquote

from mujina.moving.archives.writing import ArchiveManifest
from mujina.moving.sources.archive import ArchivedForge
from mujina.moving.sources.exports.documents import (
    ExportDocuments,
    Fields,
    decode_list,
    fields_of,
    given,
    objects,
    once,
    picked,
    read_objects,
    text_of,
    texts,
)
from mujina.moving.sources.exports.github_people import GitHubPeople
from mujina.moving.sources.exports.operations import add_bare
from mujina.moving.sources.operations import MAX_PAGE_BYTES
from mujina.moving.sources.pulls import shapes
from mujina.moving.sources.pulls.conversions import highest
from mujina.moving.sources.pulls.forge import PullForge
from mujina.moving.sources.pulls.github import GitHub
from mujina.moving.sources.records import SourceMember, SourceMergeRequest

ROOT: Final = "schema.json"
_LIST: Final = re.compile(r"([a-z_]+)_\d{6}\.json")
_REPOSITORY: Final = re.compile(r"(https?://[^/]+(?:/[^/]+)*?)/([\w.-]{1,100})/([\w.-]{1,100})")
_NUMBERED: Final = re.compile(r"(.+)/(?:issues|pull|pulls|milestones)/([1-9][0-9]{0,8})")
_IN_ARCHIVE: Final = "tarball://root/"
_VERDICTS: Final = {"1": "COMMENTED", "30": "CHANGES_REQUESTED", "40": "APPROVED", "50": "DISMISSED"}
_READ: Final = frozenset({
    "users", "organizations", "teams", "repositories", "milestones", "issues", "issue_comments", "issue_events",
    "pull_requests", "pull_request_reviews", "pull_request_review_threads", "pull_request_review_comments", "releases",
    "protected_branches", "attachments",
})  # fmt: skip


class GitHubArchive(ArchivedForge, GitHub):
    """Reads a migration archive."""

    async def count(self, project_id: int, noun: str) -> int | None:
        return await PullForge.count(self, project_id, noun)

    async def complete(self, project_id: int, request: SourceMergeRequest) -> SourceMergeRequest:
        return await PullForge.complete(self, project_id, request)

    async def members(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMember]]:
        """Owners of an organization, and those who have a permission for a repository, by themselves or in a team."""
        groups = f"/orgs/{self._groups[owner_id]}/members" if owner == "groups" else ""
        pages = self._pages(shapes.ForgeCollaborator, groups or self.repository(owner_id, "/collaborators"))
        yield highest([each.member(each.level) async for page in pages for each in page])

    def asset_url(self, project_id: int, asset: shapes.ForgeAsset) -> str:  # noqa: ARG002
        return asset.browser_download_url or ""


def is_github_archive(names: Iterable[str]) -> bool:
    """Whether an archive of these members is a migration archive."""
    known = set(names)
    return ROOT in known and any(name.startswith("repositories_") for name in known)


class GitHubMigration:
    """Writes the documents of one migration archive."""

    def __init__(self, documents: ExportDocuments) -> None:
        self._documents = documents
        self._people = GitHubPeople(documents)
        self._repositories = dict[str, int]()
        """Id by address."""
        self._milestones = dict[str, int]()
        self._threads = dict[str, int]()
        """The first comment by the address of the thread."""
        self._resolvers = dict[str, str]()
        self._mergers = dict[str, str]()

    def write(self) -> ArchiveManifest:
        """Write everything that moves, and list what does not."""
        self._people.read_users(self._read("users"))
        self._people.read_organizations(self._read("organizations"), self._read("teams"))
        for found in self._read("repositories"):
            self._repository(found)
        for found in self._read("issue_events"):
            if found.get("event") == "merged":
                self._mergers[text_of(found.get("pull_request"))] = text_of(found.get("actor"))
        for found in self._read("pull_request_review_threads"):
            if found.get("resolved_at") is not None:
                self._resolvers[text_of(found.get("url"))] = text_of(found.get("resolver"))
        self._write_each("milestones", "/milestones", self._milestone)
        self._write_each("issues", "/issues", self._work)
        self._write_each("pull_requests", "/pulls", self._pull)
        self._write_each("releases", "/releases", self._release)
        self._write_comments()
        self._write_protected_branches()
        for found in self._read("attachments"):
            self._add_file(text_of(found.get("url")), found.get("asset_url"))
        self._people.write()
        self._list_left_out()
        return self._manifest()

    def _manifest(self) -> ArchiveManifest:
        paths = [found for each in self._repositories if (found := _REPOSITORY.fullmatch(each))]
        origin = paths[0][1] if paths else ""
        return ArchiveManifest(origin, "", project=f"{paths[0][2]}/{paths[0][3]}" if len(paths) == 1 else None)

    def _read(self, noun: str) -> Generator[Fields]:
        """The objects of a noun, in the order of its files."""
        for name, file in sorted(self._documents.members.items()):
            found = _LIST.fullmatch(name)
            if found is None or found[1] != noun:
                continue
            if file.stat().st_size > MAX_PAGE_BYTES:
                self._documents.problem(name, f"It is longer than {MAX_PAGE_BYTES} bytes.")
            else:
                yield from read_objects(self._documents, name, decode_list(file.read_bytes()))

    def _write_each(self, noun: str, rest: str, convert: Callable[[Fields, str], Fields]) -> None:
        """The objects of a noun, in the list of their repository."""
        for found in self._read(noun):
            if here := self._here(found.get("repository")):
                self._documents.add(f"{here}{rest}", convert(found, here))

    def _here(self, address: Any) -> str:
        """Where the repository at an address is in the API; empty if it is not in the archive."""
        found = _REPOSITORY.fullmatch(text_of(address))
        return f"/repos/{found[2]}/{found[3]}" if found and found[0] in self._repositories else ""

    def _repository(self, found: Fields) -> None:
        address = _REPOSITORY.fullmatch(text_of(found.get("url")))
        if address is None or address[0] in self._repositories:
            self._documents.problem("repositories", "A repository has no address, or one that another has.")
            return
        repository_id = self._repositories[address[0]] = self._documents.number()
        path = f"{address[2]}/{address[3]}"
        here, documents = f"/repos/{path}", self._documents
        add_bare(documents, f"/{quote(path)}.git", f"repositories/{path}.git")
        add_bare(documents, f"/{quote(path)}.wiki.git", f"repositories/{path}.wiki.git")
        shown = given(
            id=repository_id, name=address[3], full_name=path, owner=self._people.owner(found.get("owner"), address[2]),
            archived=found.get("is_archived"),
            **picked(found, "created_at", "description", "private", "default_branch", "has_issues", "has_wiki", "topics"),
        )  # fmt: skip
        documents.one(here, shown)
        documents.add("/user/repos", shown)
        for label in objects(found.get("labels")):
            kept = picked(label, "name", "color", "description")
            documents.add(f"{here}/labels", {"id": documents.number(), **kept})
        for hook in objects(found.get("webhooks")):
            documents.add(f"{here}/hooks", _hook(documents.number(), hook, found.get("created_at")))
        documents.list(f"{here}/collaborators", self._people.collaborators(found))

    def _milestone(self, found: Fields, here: str) -> Fields:  # noqa: ARG002
        url = text_of(found.get("url"))
        milestone_id = self._milestones[url] = self._documents.number()
        names = ("title", "description", "state", "due_on", "created_at", "updated_at")
        return given(id=milestone_id, number=_number(url), **picked(found, *names))

    def _written(self, found: Fields, path: str) -> Fields:
        """The fields of every authored object; the reactions to it are at the path."""
        reactions, at = objects(found.get("reactions")), found.get("created_at")
        self._documents.list(f"{path}/reactions", [
            {"id": self._documents.number(), "user": self._people.find(each.get("user")), **picked(each, "content", "created_at")}
            for each in reactions
        ])  # fmt: skip
        updated_at = found.get("updated_at") or found.get("merged_at") or found.get("closed_at") or at
        return {
            "user": self._people.find(found.get("user")),
            **given(
                body=found.get("body"), created_at=at, updated_at=updated_at, reactions={"total_count": len(reactions)}
            ),
        }

    def _work(self, found: Fields, here: str) -> Fields:
        number, closed_at = _number(text_of(found.get("url"))), found.get("closed_at")
        people = [found.get("assignee"), *texts(found.get("assignees"))]
        milestone = self._milestones.get(text_of(found.get("milestone")))
        return {
            **self._written(found, f"{here}/issues/{number}"),
            **given(
                id=self._documents.number(), number=number, title=found.get("title"), closed_at=closed_at,
                state="open" if closed_at is None else "closed", milestone={"id": milestone} if milestone else None,
                labels=[unquote(each.rpartition("/labels/")[2]) for each in texts(found.get("labels"))],
                assignees=once(map(self._people.find, people)), comments=1, locked=found.get("locked"),
            ),
        }  # fmt: skip

    def _pull(self, found: Fields, here: str) -> Fields:
        head, base = (self._branch(fields_of(found.get(side))) for side in ("head", "base"))
        reviewers = [each.get("reviewer") or each.get("user") for each in objects(found.get("review_requests"))]
        return self._work(found, here) | given(
            head=head, base=base, draft=found.get("work_in_progress") or found.get("is_draft"),
            merged_by=self._people.find(self._mergers.get(text_of(found.get("url")))),
            requested_reviewers=once(map(self._people.find, reviewers)), **picked(found, "merged_at", "merge_commit_sha"),
        )  # fmt: skip

    def _branch(self, found: Fields) -> Fields:
        repository_id = self._repositories.get(text_of(found.get("repo")))
        return picked(found, "ref", "sha") | given(repo={"id": repository_id} if repository_id else None)

    def _release(self, found: Fields, here: str) -> Fields:
        tag, address, assets = text_of(found.get("tag_name")), text_of(found.get("repository")), list[Fields]()
        for each in objects(found.get("release_assets")):
            url = f"{address}/releases/download/{quote(tag)}/{quote(text_of(each.get('name')))}"
            self._add_file(url, each.get("asset_url"))
            assets.append(given(id=self._documents.number(), name=each.get("name"), browser_download_url=url))
        written = self._written(found, f"{here}/releases/{quote(tag)}")
        return given(
            author=written.pop("user"),
            draft=found.get("state") == "draft",
            assets=assets,
            **picked(found, "tag_name", "name", "body", "created_at", "published_at"),
        )

    def _add_file(self, url: str, in_archive: Any) -> None:
        """The file at an address is a member of the archive."""
        member = text_of(in_archive).removeprefix(_IN_ARCHIVE)
        if member in self._documents.members and "://" in url:
            path = url.partition("://")[2].partition("/")[2].partition("?")[0]
            self._documents.file(f"/{path}", member)

    def _write_comments(self) -> None:
        documents = self._documents
        for found in self._read("issue_comments"):
            here, number = self._place(found.get("issue") or found.get("pull_request"))
            if here:
                comment_id = documents.number()
                written = self._written(found, f"{here}/issues/comments/{comment_id}")
                documents.one(f"{here}/issues/{number}/comments", [{"id": comment_id, **written}])
        for found in self._read("pull_request_reviews"):
            here, number = self._place(found.get("pull_request"))
            if here and str(found.get("state")) in _VERDICTS:
                documents.one(f"{here}/pulls/{number}/reviews", [self._review(found)])
        for found in self._read("pull_request_review_comments"):
            here, number = self._place(found.get("pull_request"))
            if here:
                documents.one(f"{here}/pulls/{number}/comments", [self._line_comment(found, here)])

    def _place(self, address: Any) -> tuple[str, int]:
        """The repository and the number of the issue or pull at an address."""
        found = _NUMBERED.fullmatch(text_of(address))
        return (self._here(found[1]), int(found[2])) if found else ("", 0)

    def _review(self, found: Fields) -> Fields:
        at = found.get("submitted_at") or found.get("created_at")
        return {
            "user": self._people.find(found.get("user")),
            **given(
                id=self._documents.number(), state=_VERDICTS[str(found.get("state"))], body=found.get("body"),
                commit_id=found.get("head_sha"), submitted_at=at,
            ),
        }  # fmt: skip

    def _line_comment(self, found: Fields, here: str) -> Fields:
        """The comment; those of a thread answer its first one."""
        comment_id, url = self._documents.number(), text_of(found.get("url"))
        thread = text_of(found.get("pull_request_review_thread")) or text_of(found.get("in_reply_to")) or url
        first = self._threads.setdefault(thread, comment_id)
        self._threads.setdefault(url, first)
        names = ("path", "diff_hunk", "commit_id", "original_commit_id", "position", "original_position", "side")
        return {
            "id": comment_id,
            **self._written(found, f"{here}/pulls/comments/{comment_id}"),
            **given(
                in_reply_to_id=None if first == comment_id else first,
                original_line=found.get("original_line"),
                resolver=self._people.find(self._resolvers.get(thread)),
            ),
            **picked(found, *names),
        }

    def _write_protected_branches(self) -> None:
        for found in self._read("protected_branches"):
            here, name = self._here(found.get("repository_url") or found.get("repository")), text_of(found.get("name"))
            if here and name:
                people = texts(found.get("authorized_users")) + texts(found.get("authorized_teams"))
                protection = given(
                    required_pull_request_reviews=found.get("pull_request_reviews_enforcement_level") or None,
                    restrictions=people or None,
                    allow_force_pushes={"enabled": found.get("block_force_pushes_enforcement_level") == 0},
                )
                self._documents.add(f"{here}/branches", {"name": name})
                self._documents.one(f"{here}/branches/{quote(name, safe='')}/protection", protection)

    def _list_left_out(self) -> None:
        nouns = {found[1]: name for name in self._documents.members if (found := _LIST.fullmatch(name))}
        for noun in sorted(nouns.keys() - _READ):
            self._documents.problem(nouns[noun], "These do not move: see the documentation of archives.")


def _number(url: str) -> int:
    found = _NUMBERED.fullmatch(url)
    return int(found[2]) if found else 0


def _hook(hook_id: int, found: Fields, created_at: Any) -> Fields:
    insecure = "1" if found.get("enable_ssl_verification") is False else "0"
    return given(
        id=hook_id, config={"url": found.get("payload_url"), "insecure_ssl": insecure}, events=texts(found.get("event_types")),
        active=found.get("active"), created_at=found.get("created_at") or created_at,
    )  # fmt: skip
