"""What a run asks of a source. A source answers what its forge has; every other list is empty."""

import base64
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import quote, unquote, urljoin

from mujina.moving.sources.operations import EMPTY, Query, Record, SourceClient, SourceError, read
from mujina.moving.sources.packages import Manifests, SourcePackage, SourcePackageFile, content_path
from mujina.moving.sources.pushes import SourcePush
from mujina.moving.sources.records import (
    GroupRecord,
    LfsOffer,
    LinkedIssue,
    SourceApproval,
    SourceAward,
    SourceBoard,
    SourceDiscussion,
    SourceEpic,
    SourceHook,
    SourceIssue,
    SourceLabel,
    SourceLfsObject,
    SourceMember,
    SourceMergeRequest,
    SourceMilestone,
    SourcePerson,
    SourceProject,
    SourceProtectedBranch,
    SourceProtectedTag,
    SourceRelease,
    SourceSizes,
    SourceSnippet,
    SourceVariable,
    SourceVersion,
)

ReportProblem = Callable[[str, str], None]
"""Called for each thing that does not come: its address at the source, and the reason."""
LFS_TYPE: Final = "application/vnd.git-lfs+json"
LFS_SECONDS: Final = 300
LFS_BYTES_PER_SECOND: Final = 20_000
"""A source that is slower than this for long gives nothing."""
_NOT_IN_NAMES: Final = re.compile(r"[\s()<>\"'\\/\[\]]+")
NO_ITEMS: Final[tuple[list[Any], ...]] = ()


class Forge(ABC):
    """Reads one instance. A list that ends in an error, because the token may not read it, say, is a problem, not a failure."""

    has_code: ClassVar = True
    """Whether its projects have repositories."""
    request_heads: ClassVar = "refs/merge-requests/"
    """Below it, `N/head` is the head of merge request N."""

    def __init__(self, client: SourceClient, problem: ReportProblem, address: str = "") -> None:
        self.address = address or client.address
        """The address of its pages and repositories."""
        self.origin = self.address
        """The address that links in its texts have."""
        self._client = client
        self._problem = problem
        self._files = dict[tuple[str, str], str]()
        """Secret and name in a link to a file → the address of the file."""

    async def aclose(self) -> None:
        """Close the connections to the source."""
        await self._client.aclose()

    @property
    def seconds_of_answer(self) -> float:
        return self._client.seconds_of_answer

    @abstractmethod
    async def project(self, path: str) -> SourceProject: ...

    @abstractmethod
    async def group(self, path: str) -> GroupRecord: ...

    def subgroups(self, group_id: int) -> AsyncGenerator[list[GroupRecord]]:
        return empty_list(group_id)

    @abstractmethod
    def projects_of(self, group_id: int) -> AsyncGenerator[list[SourceProject]]:
        """Those of the group itself, not of those below it."""

    @abstractmethod
    def projects(self) -> AsyncGenerator[list[SourceProject]]:
        """Every project that the token's user is a member of."""

    @abstractmethod
    async def person(self, person_id: int) -> SourcePerson:
        """The person with what the token may see of their addresses."""

    @abstractmethod
    async def token_owner(self) -> SourcePerson | None:
        """The person to whom the token belongs."""

    def members(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMember]]:
        """`owner`: `groups` or `projects`."""
        return empty_list(owner, owner_id)

    def labels(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceLabel]]:
        return empty_list(owner, owner_id)

    def milestones(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceMilestone]]:
        return empty_list(owner, owner_id)

    def boards(self, project_id: int) -> AsyncGenerator[list[SourceBoard]]:
        return empty_list(project_id)

    @abstractmethod
    def issues(self, project_id: int) -> AsyncGenerator[list[SourceIssue]]: ...

    def merge_requests(self, project_id: int) -> AsyncGenerator[list[SourceMergeRequest]]:
        return empty_list(project_id)

    async def complete(self, project_id: int, request: SourceMergeRequest) -> SourceMergeRequest:  # noqa: ARG002
        """The merge request with what only an answer about it alone tells."""
        return request

    def versions(self, project_id: int, iid: int) -> AsyncGenerator[list[SourceVersion]]:
        """What a merge request compared; a version without a base is about what its head has and its start has not."""
        return empty_list(project_id, iid)

    @abstractmethod
    def discussions(self, project_id: int, noun: str, iid: int) -> AsyncGenerator[list[SourceDiscussion]]:
        """`noun`: `issues`, `merge_requests`, or `snippets`, which have their id as `iid`."""

    def awards(self, project_id: int, noun: str, iid: int, note_id: int | None) -> AsyncGenerator[list[SourceAward]]:
        """The reactions to an issue, a merge request or a snippet, or to one of its notes."""
        return empty_list(project_id, noun, iid, note_id)

    def links(self, project_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:
        return empty_list(project_id, iid)

    async def approvals(self, project_id: int, iid: int) -> list[SourceApproval]:  # noqa: ARG002
        """The approvals of a merge request."""
        return []

    def epics(self, group_id: int) -> AsyncGenerator[list[SourceEpic]]:
        """Those of the group itself, not of those below it."""
        return empty_list(group_id)

    def epic_issues(self, group_id: int, iid: int) -> AsyncGenerator[list[LinkedIssue]]:
        """The issues of an epic, in its order."""
        return empty_list(group_id, iid)

    def epic_discussions(self, group_id: int, epic_id: int) -> AsyncGenerator[list[SourceDiscussion]]:
        return empty_list(group_id, epic_id)

    def epic_awards(self, group_id: int, iid: int, note_id: int | None) -> AsyncGenerator[list[SourceAward]]:
        """The reactions to an epic, or to one of its notes."""
        return empty_list(group_id, iid, note_id)

    def snippets(self, project_id: int) -> AsyncGenerator[list[SourceSnippet]]:
        return empty_list(project_id)

    async def snippet_file(self, project_id: int, snippet: SourceSnippet, place: int, max_bytes: int) -> bytes:  # noqa: ARG002
        """The content of a file of the snippet; the first one has place 0."""
        raise SourceError(self.address, "It has no snippets.")

    def packages(self, project_id: int) -> AsyncGenerator[list[SourcePackage]]:
        """The packages of a project, the versions of one name after each other, the oldest first."""
        return empty_list(project_id)

    def package_files(self, project_id: int, package_id: int) -> AsyncGenerator[list[SourcePackageFile]]:
        return empty_list(project_id, package_id)

    async def package_manifests(self, project_id: int, package: SourcePackage) -> Manifests:  # noqa: ARG002
        """What programs read before they download: of a PyPI package by the names of files, of an npm package by versions."""
        return {}

    def package_content(
        self, project_id: int, package: SourcePackage, file: SourcePackageFile
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The content of a file of a package, in pieces."""
        seconds = LFS_SECONDS + file.size / LFS_BYTES_PER_SECOND
        return self._client.download(content_path(project_id, package, file), seconds)

    async def avatar(self, url: str, max_bytes: int) -> bytes:
        """The image at an address that a group or project of the source has."""
        return await self._file(url, max_bytes)

    def releases(self, project_id: int) -> AsyncGenerator[list[SourceRelease]]:
        return empty_list(project_id)

    def pushes(self, project_id: int) -> AsyncGenerator[list[SourcePush]]:
        """The pushes that feeds of the source show, one record for each ref, the oldest first."""
        return empty_list(project_id)

    def protected_branches(self, project_id: int) -> AsyncGenerator[list[SourceProtectedBranch]]:
        return empty_list(project_id)

    def protected_tags(self, project_id: int) -> AsyncGenerator[list[SourceProtectedTag]]:
        return empty_list(project_id)

    def hooks(self, project_id: int) -> AsyncGenerator[list[SourceHook]]:
        return empty_list(project_id)

    def variables(self, owner: str, owner_id: int) -> AsyncGenerator[list[SourceVariable]]:
        return empty_list(owner, owner_id)

    async def upload(self, project: SourceProject, secret: str, name: str, max_bytes: int) -> bytes:
        """A file that a text links to as `/uploads/secret/name`."""
        url = self._files.get((secret, name))
        if url is None:
            raise SourceError(self.page_of(project, f"/uploads/{secret}/{name}"), "It is no file of the source.")
        return await self._file(url, max_bytes)

    async def _file(self, url: str, max_bytes: int) -> bytes:
        """The file at an address that the source gave; `SourceError` if it is none."""
        try:
            return await self._client.file(urljoin(f"{self.address}/", url), max_bytes)
        except ValueError:
            raise SourceError(url, "It is no address.") from None

    async def lfs_objects(self, project: SourceProject, wanted: Mapping[str, int], token: str) -> list[SourceLfsObject]:
        """Where these LFS objects of the project are; `wanted`: digest → size."""
        body = {
            "operation": "download",
            "transfers": ["basic"],
            "objects": [{"oid": oid, "size": size} for oid, size in wanted.items()],
        }
        header = {**_lfs_login(token), "Accept": LFS_TYPE, "Content-Type": LFS_TYPE}
        url = f"{self.address}/{quote(project.path_with_namespace)}.git/info/lfs/objects/batch"
        return (await self._client.post(LfsOffer, url, body, header)).objects

    @asynccontextmanager
    async def lfs_content(self, offer: SourceLfsObject, size: int, token: str) -> AsyncGenerator[AsyncIterator[bytes]]:
        """The content of an LFS object that the source offers, in pieces."""
        assert offer.download is not None
        # Another host gets what the source says that it needs, and never the token.
        login = _lfs_login(token) if offer.download.href.startswith(f"{self.address}/") else {}
        seconds = LFS_SECONDS + size / LFS_BYTES_PER_SECOND
        async with self._client.stream(offer.download.href, {**login, **offer.download.header}, seconds) as pieces:
            yield pieces

    def upload_address(self, project: SourceProject, secret: str, name: str) -> str:
        """Where the file is at the source."""
        return self._files.get((secret, name)) or self.page_of(project, f"/uploads/{secret}/{name}")

    def link_file(self, url: str, name: str) -> str:
        """The link to the file at this address, for sources whose texts have other links; `upload` gives the file."""
        shown = name or unquote(url.partition("?")[0].rpartition("/")[2])
        key = sha256(url.encode()).hexdigest()[:32], _NOT_IN_NAMES.sub("-", shown)[-255:] or "file"
        self._files[key] = url
        return f"/uploads/{key[0]}/{key[1]}"

    def page_of(self, project: SourceProject, rest: str) -> str:
        """The address of something in a project, for people; `rest` is that of the API v4's own pages."""
        return f"{self.origin}/{project.path_with_namespace}{rest}"

    def bundle(self, project: SourceProject, *, wiki: bool) -> Path | None:  # noqa: ARG002
        """The bundle, or bare repository of ours, from which git fetches the repository or wiki; None: from the source."""
        return None

    async def sizes(self, project: SourceProject) -> SourceSizes | None:  # noqa: ARG002
        """How large the project is; None if the source does not say."""
        return None

    async def count(self, project_id: int, noun: str) -> int | None:  # noqa: ARG002
        """How many objects a list of a project has; None if the source does not say."""
        return None

    async def _pages(
        self, shape: type[Record], path: str, query: Query = EMPTY, key: str = "", absent: Collection[int] = (), *,
        long: bool = False,
    ) -> AsyncGenerator[list[Record]]:  # fmt: skip
        """The pages of a list. `absent`: the statuses that say that the source does not have it, which is no problem."""
        address = f"{self._client.address}{path}"
        try:
            async for items in self._client.pages(path, query, key, long=long):
                yield [record for item in items if (record := self._read(shape, item, address))]
                del items  # not kept while the next page is read
        except SourceError as error:
            if error.status not in absent:
                self._problem(error.address, error.reason)

    async def _one(self, shape: type[Record], path: str, absent: Collection[int] = ()) -> Record | None:
        """The object at the path; None, and a problem, if the source does not give it. `absent`: as of `_pages`."""
        try:
            return await self._client.one(shape, path)
        except SourceError as error:
            if error.status not in absent:
                self._problem(error.address, error.reason)
            return None

    async def _count(self, path: str, query: Query = EMPTY) -> int | None:
        """How many objects a list has; None, and a problem, if the source does not say."""
        try:
            return await self._client.total(path, query)
        except SourceError as error:
            self._problem(error.address, error.reason)
            return None

    def _read(self, shape: type[Record], item: Any, address: str) -> Record | None:
        try:
            return read(shape, item, address)
        except SourceError as error:
            self._problem(error.address, error.reason)
            return None


def _lfs_login(token: str) -> dict[str, str]:
    login = base64.b64encode(f"oauth2:{token}".encode()).decode()
    return {"Authorization": f"Basic {login}"} if token else {}


async def empty_list(*_arguments: str | int | None) -> AsyncGenerator[list[Any]]:
    """The pages of a list that a forge does not have, whatever is asked."""
    for page in NO_ITEMS:
        yield page
