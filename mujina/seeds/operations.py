"""Creates what a file describes, by the requests that an administrator would send; what exists already is left alone.

A run that was interrupted is continued by the next one: it adds the commits, tags, comments and states that are missing.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final
from urllib.parse import quote

from mujina.kernel import clock
from mujina.kernel.secrets import new_password
from mujina.kernel.text.folding import fold
from mujina.seeds.description import (
    GroupOfWorld,
    ProjectOfWorld,
    SeededCommit,
    SeededGroup,
    SeededIssue,
    SeededMergeRequest,
    SeededNote,
    SeededProject,
    SeededUser,
    UserOfWorld,
    World,
    WorldIds,
)
from mujina.seeds.missing import ForeignCommits, missing_commits, missing_notes

Ask = Callable[[str, str, Mapping[str, Any], str | None], Awaitable[tuple[int, Any]]]
"""Sends a request (method, path below `/api/v4`, parameters, id of the user to act as); returns the status and the JSON."""
History = AsyncGenerator[float]
"""What happens to a project, an issue or a merge request; it yields how many days ago its next step is."""
Progress = Callable[[str, int, int], None]
"""Called after each user, group and project: its kind, how many are done, and how many there are."""

LEVELS: Final = {"guest": 10, "reporter": 20, "developer": 30, "maintainer": 40, "owner": 50}
DEFAULT_BRANCH: Final = "master"
PAGE_SIZE: Final = 100


class SeedFailed(Exception):
    """A request of the seeding was refused; the text says which, and why."""


class Seeder:
    """Seeds one instance. With `tokens`, every described user gets a new token."""

    def __init__(self, ask: Ask, *, tokens: bool, progress: Progress = lambda _name, _done, _total: None) -> None:
        self._send = ask
        self._progress = progress
        self._tokens = tokens
        self._ids = WorldIds()
        self._histories: list[tuple[float, int, History]] = []
        """The earliest step is next; steps of one time keep the order of the description."""
        self._order = count()

    async def seed(self, world: World) -> WorldIds:
        """The instance has everything that is described; returns the ids."""
        with clock.set_back() as set_back:
            set_back(timedelta(days=max((project.days_ago for project in world.projects), default=0)))
            for done, user in enumerate(world.users, 1):
                self._ids.users[user.username] = await self._user(user)
                self._progress("users", done, len(world.users))
            for done, group in enumerate(world.groups, 1):
                self._ids.groups[group.path] = await self._group(group)
                self._progress("groups", done, len(world.groups))
            for project in world.projects:
                self._begin(project.days_ago, self._project(project, len(world.projects)))
            while self._histories:
                before, order, history = heappop(self._histories)
                set_back(timedelta(days=-before))
                days_ago = await anext(history, None)
                if days_ago is not None:
                    heappush(self._histories, (max(before, -days_ago), order, history))
        return self._ids

    def _begin(self, days_ago: float, history: History) -> None:
        heappush(self._histories, (-days_ago, next(self._order), history))

    async def _ask(self, method: str, path: str, author: str | None = None, /, **params: Any) -> Any:
        """The response; the author is the user as whom the request is sent, by id, as a username may be a number."""
        user = None if author is None else str(await self._user_id(author))
        status, answer = await self._send(method, path, params, user)
        if status >= 400:
            raise SeedFailed(f"{method} {path} was refused with status {status}: {answer}")
        return answer

    async def _find(self, path: str) -> Any:
        """The object at this path; None if there is none."""
        status, answer = await self._send("GET", path, {}, None)
        if status >= 400 and status != 404:
            raise SeedFailed(f"GET {path} was refused with status {status}: {answer}")
        return answer if status < 400 else None

    async def _list(self, path: str, query: str = "") -> list[Any]:
        """All objects of the list, of all pages."""
        found: list[Any] = []
        for page in count(1):
            rows = await self._ask("GET", f"{path}?per_page={PAGE_SIZE}&page={page}{query}")
            found += rows
            if len(rows) < PAGE_SIZE:
                break
        return found

    async def _user(self, user: SeededUser) -> UserOfWorld:
        made = await self._find_user(user.username) or await self._ask(
            "POST", "/users", username=user.username, name=user.name or user.username.capitalize(), admin=user.admin,
            email=user.email or f"{user.username}@example.com", skip_confirmation=True,
            password=user.password or new_password(),
        )  # fmt: skip
        return UserOfWorld(made["id"], await self._token(made["id"]) if self._tokens else None)

    async def _token(self, user_id: int) -> str:
        made = await self._ask("POST", f"/users/{user_id}/impersonation_tokens", name="seed", scopes=["api"])
        return made["token"]

    async def _find_user(self, username: str) -> Any:
        found = await self._ask("GET", f"/users?username={quote(username)}")
        return next((user for user in found if fold(user["username"]) == fold(username)), None)

    async def _user_id(self, username: str) -> int:
        if username in self._ids.users:
            return self._ids.users[username].id
        found = await self._find_user(username)
        if found is None:
            raise SeedFailed(f"there is no user {username}")
        return found["id"]

    async def _group(self, group: SeededGroup) -> GroupOfWorld:
        parent, _, path = group.path.rpartition("/")
        found = await self._find_group(group.path)
        if found is None:
            above = await self._find_group(parent) if parent else None
            if parent and above is None:
                raise SeedFailed(f"there is no group {parent}")
            found = await self._ask(
                "POST", "/groups", path=path, name=group.name or path, description=group.description,
                visibility=group.visibility, **({"parent_id": above["id"]} if above else {}),
            )  # fmt: skip
        await self._members(f"/groups/{found['id']}/members", group.members)
        return GroupOfWorld(found["id"])

    async def _find_group(self, path: str) -> Any:
        """The group with this path; None if there is none."""
        if path.isdigit():  # the API would take it for an id
            found = await self._list("/groups", f"&search={path}")
            return next((group for group in found if group["full_path"] == path), None)
        return await self._find(f"/groups/{quote(path, safe='')}")

    async def _members(self, path: str, members: Mapping[str, str]) -> None:
        if not members:
            return
        present = {fold(member["username"]): member["access_level"] for member in await self._list(path)}
        for username, level in members.items():
            if fold(username) not in present:
                user_id = await self._user_id(username)
                await self._ask("POST", path, user_id=user_id, access_level=LEVELS[level])
            elif present[fold(username)] != LEVELS[level]:
                await self._ask("PUT", f"{path}/{await self._user_id(username)}", access_level=LEVELS[level])

    async def _project(self, project: SeededProject, total: int) -> History:
        found = await self._find(f"/projects/{quote(project.path, safe='')}")
        if found is None:
            found = await self._new_project(project)
        ids = self._ids.projects[project.path] = ProjectOfWorld(found["id"])
        base = f"/projects/{found['id']}"
        await self._members(f"{base}/members", project.members)
        await self._add_missing(
            f"{base}/labels", "name", {name: {"color": color} for name, color in project.labels.items()}
        )
        await self._add_missing(f"{base}/milestones", "title", {title: {} for title in project.milestones})
        for issue in project.issues:
            self._begin(issue.days_ago, self._issue(base, issue, ids))
        for request in project.merge_requests:
            self._begin(request.days_ago, self._merge_request(base, request, ids))
        async for days_ago in self._repository(base, project):
            yield days_ago
        tags = {name: {"ref": ref} for name, ref in project.tags.items()}
        await self._add_missing(f"{base}/repository/tags", "name", tags, "tag_name")
        await self._add_missing(
            f"{base}/releases",
            "tag_name",
            {tag: {"name": tag, "description": text} for tag, text in project.releases.items()},
        )
        await self._add_missing(
            f"{base}/variables", "key", {key: {"value": value} for key, value in project.variables.items()}
        )
        await self._add_missing(f"{base}/hooks", "url", {
            hook.url: {f"{event}_events": event in hook.events for event in ("push", *hook.events)}
            | ({"token": hook.token} if hook.token else {})
            for hook in project.hooks
        })  # fmt: skip
        self._progress("projects", len(self._ids.projects), total)

    async def _new_project(self, project: SeededProject) -> Any:
        namespace, _, path = project.path.rpartition("/")
        group = await self._find_group(namespace)
        if group is None and await self._find_user(namespace) is None:
            raise SeedFailed(f"there is no user or group {namespace}")
        return await self._ask(
            "POST", "/projects", namespace if group is None else None,
            path=path, name=project.name or path, description=project.description, visibility=project.visibility,
            **({"namespace_id": group["id"]} if group else {}),
        )  # fmt: skip

    async def _add_missing(
        self, path: str, key: str, wanted: Mapping[str, Mapping[str, Any]], param: str | None = None
    ) -> None:
        """Add what the list lacks. `key` names an object in responses, and in requests unless `param` does."""
        if not wanted:
            return
        present = {each[key] for each in await self._list(path)}
        for name, params in wanted.items():
            if name.strip() not in present:
                await self._ask("POST", path, **{param or key: name}, **params)

    async def _repository(self, base: str, project: SeededProject) -> History:
        """The commits that are missing; an error if the repository has others than the described ones before them."""
        begin = SeededCommit(message="Initial commit", files=project.files, days_ago=project.days_ago)
        commits = [*([begin] if project.files else []), *project.commits]
        if not commits:
            return
        present = await self._list(f"{base}/repository/commits", "&all=true")
        try:
            done = missing_commits(commits, [commit["message"] for commit in present])
        except ForeignCommits as error:
            raise SeedFailed(f"the repository of {project.path} {error}") from None
        content: dict[str, set[str]] = {}
        for number, commit in enumerate(commits):
            branch = commit.branch or DEFAULT_BRANCH
            start = {"start_branch": DEFAULT_BRANCH} if content and branch not in content else {}
            files = content.setdefault(branch, set(content.get(DEFAULT_BRANCH, ())))
            if number >= done:
                yield commit.days_ago
                await self._ask(
                    "POST", f"{base}/repository/commits", commit.author,
                    branch=branch, commit_message=commit.message, actions=_actions(commit, files), **start,
                )  # fmt: skip
            files.update(commit.files)
            files.difference_update(path for path, text in commit.files.items() if text is None)

    async def _issue(self, base: str, issue: SeededIssue, ids: ProjectOfWorld) -> History:
        same = await self._list(f"{base}/issues", f"&in=title&search={quote(issue.title)}")
        found = _titled(issue.title, same) or await self._new_issue(base, issue)
        ids.issues[issue.title] = found["iid"]
        path = f"{base}/issues/{found['iid']}"
        notes = [
            SeededNote(body=note, author=issue.author, days_ago=issue.days_ago) if isinstance(note, str) else note
            for note in issue.notes
        ]
        async for days_ago in self._notes(path, notes):
            yield days_ago
        if issue.closed and found["state"] != "closed":
            yield issue.closed_days_ago
            await self._ask("PUT", path, issue.author, state_event="close")

    async def _new_issue(self, base: str, issue: SeededIssue) -> Any:
        milestone = {"milestone_id": await self._milestone_id(base, issue.milestone)} if issue.milestone else {}
        return await self._ask(
            "POST", f"{base}/issues", issue.author, title=issue.title, description=issue.description,
            confidential=issue.confidential, labels=",".join(issue.labels),
            assignee_ids=[await self._user_id(username) for username in issue.assignees], **milestone,
        )  # fmt: skip

    async def _milestone_id(self, base: str, title: str) -> int:
        found = await self._ask("GET", f"{base}/milestones?title={quote(title.strip())}")
        if not found:
            raise SeedFailed(f"there is no milestone {title}")
        return found[0]["id"]

    async def _notes(self, path: str, notes: Sequence[SeededNote]) -> History:
        """The comments that the issue or merge request at this path lacks."""
        if not notes:
            return
        present = [note["body"] for note in await self._list(f"{path}/notes") if not note["system"]]
        for note in missing_notes(notes, present):
            yield note.days_ago
            await self._ask("POST", f"{path}/notes", note.author, body=note.body)

    async def _merge_request(self, base: str, request: SeededMergeRequest, ids: ProjectOfWorld) -> History:
        same = await self._list(f"{base}/merge_requests", f"&source_branch={quote(request.source_branch.strip())}")
        found = _titled(request.title, same) or await self._new_merge_request(base, request)
        ids.merge_requests[request.title] = found["iid"]
        path = f"{base}/merge_requests/{found['iid']}"
        async for days_ago in self._notes(path, request.notes):
            yield days_ago
        if request.merged and found["state"] != "merged":
            yield request.merged_days_ago
            await self._ask("PUT", f"{path}/merge", next(iter(request.assignees), None))

    async def _new_merge_request(self, base: str, request: SeededMergeRequest) -> Any:
        source, target = request.source_branch.strip(), (request.target_branch or DEFAULT_BRANCH).strip()
        for branch in (source, target):
            if await self._find(f"{base}/repository/branches/{quote(branch, safe='')}") is None:
                raise SeedFailed(
                    f"the merge request “{request.title}” needs the branch {branch}, which does not exist then"
                )
        return await self._ask(
            "POST", f"{base}/merge_requests", request.author, title=request.title, description=request.description,
            source_branch=source, target_branch=target, labels=",".join(request.labels),
            assignee_ids=[await self._user_id(username) for username in request.assignees],
        )  # fmt: skip


def _titled(title: str, found: Sequence[Any]) -> Any:
    """The issue or merge request of this title; None if there is none. The server removes outer blanks."""
    return next((each for each in found if each["title"] == title.strip()), None)


def _actions(commit: SeededCommit, present: set[str]) -> list[dict[str, str]]:
    """The changes of a commit to a branch with these files."""
    return [
        {"action": "delete", "file_path": path}
        if text is None
        else {"action": "update" if path in present else "create", "file_path": path, "content": text}
        for path, text in commit.files.items()
    ]
