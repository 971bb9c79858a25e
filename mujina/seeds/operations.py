"""Brings about a described world by requests of the API, as an administrator would; what exists already is left alone."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import timedelta
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final
from urllib.parse import quote

from mujina.kernel import clock
from mujina.kernel.secrets import new_password
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

Ask = Callable[[str, str, Mapping[str, Any], str | None], Awaitable[tuple[int, Any]]]
"""Sends a request (method, path below `/api/v4`, parameters, username to act as); returns the status and the JSON."""
History = AsyncGenerator[float]
"""What happens to a project, an issue or a merge request; it yields how many days ago its next step is."""
Progress = Callable[[str, int, int], None]
"""Told after each user, group and project: of what, how many are done, and of how many."""

LEVELS: Final = {"guest": 10, "reporter": 20, "developer": 30, "maintainer": 40, "owner": 50}
DEFAULT_BRANCH: Final = "master"


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
        status, answer = await self._send(method, path, params, author)
        if status >= 400:
            raise SeedFailed(f"{method} {path} was refused with status {status}: {answer}")
        return answer

    async def _find(self, path: str) -> Any:
        """The object at this path; None if there is none."""
        status, answer = await self._send("GET", path, {}, None)
        return answer if status < 400 else None

    async def _user(self, user: SeededUser) -> UserOfWorld:
        found = await self._ask("GET", f"/users?username={quote(user.username)}")
        made = found[0] if found else await self._ask(
            "POST", "/users", username=user.username, name=user.name or user.username.capitalize(), admin=user.admin,
            email=user.email or f"{user.username}@example.com", skip_confirmation=True,
            password=user.password or new_password(),
        )  # fmt: skip
        return UserOfWorld(made["id"], await self._token(made["id"]) if self._tokens else None)

    async def _token(self, user_id: int) -> str:
        made = await self._ask("POST", f"/users/{user_id}/impersonation_tokens", name="seed", scopes=["api"])
        return made["token"]

    async def _user_id(self, username: str) -> int:
        if username in self._ids.users:
            return self._ids.users[username].id
        found = await self._ask("GET", f"/users?username={quote(username)}")
        if not found:
            raise SeedFailed(f"there is no user {username}")
        return found[0]["id"]

    async def _group(self, group: SeededGroup) -> GroupOfWorld:
        parent, _, path = group.path.rpartition("/")
        found = await self._find(f"/groups/{quote(group.path, safe='')}")
        if found is None:
            above = {"parent_id": await self._namespace_id(parent)} if parent else {}
            found = await self._ask(
                "POST", "/groups", path=path, name=group.name or path, description=group.description,
                visibility=group.visibility, **above,
            )  # fmt: skip
        await self._members(f"/groups/{found['id']}/members", group.members)
        return GroupOfWorld(found["id"])

    async def _namespace_id(self, path: str) -> int:
        return (await self._ask("GET", f"/groups/{quote(path, safe='')}"))["id"]

    async def _members(self, path: str, members: Mapping[str, str]) -> None:
        present = {
            member["username"]: member["access_level"] for member in await self._ask("GET", f"{path}?per_page=100")
        }
        for username, level in members.items():
            if username not in present:
                user_id = await self._user_id(username)
                await self._ask("POST", path, user_id=user_id, access_level=LEVELS[level])
            elif present[username] != LEVELS[level]:
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
        if not await self._ask("GET", f"{base}/repository/branches"):
            async for days_ago in self._repository(base, project):
                yield days_ago
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
        group = await self._find(f"/groups/{quote(namespace, safe='')}")
        return await self._ask(
            "POST", "/projects", namespace if group is None else None,
            path=path, name=project.name or path, description=project.description, visibility=project.visibility,
            **({"namespace_id": group["id"]} if group else {}),
        )  # fmt: skip

    async def _add_missing(self, path: str, key: str, wanted: Mapping[str, Mapping[str, Any]]) -> None:
        if not wanted:
            return
        present = {each[key] for each in await self._ask("GET", f"{path}?per_page=100")}
        for name, params in wanted.items():
            if name not in present:
                await self._ask("POST", path, **{key: name}, **params)

    async def _repository(self, base: str, project: SeededProject) -> History:
        """The commits and tags, which only an empty repository gets."""
        begin = SeededCommit(message="Initial commit", files=project.files, days_ago=project.days_ago)
        first = [begin] if project.files else []
        content: dict[str, set[str]] = {}
        for commit in [*first, *project.commits]:
            yield commit.days_ago
            branch = commit.branch or DEFAULT_BRANCH
            start = {"start_branch": DEFAULT_BRANCH} if content and branch not in content else {}
            present = content.setdefault(branch, set(content.get(DEFAULT_BRANCH, ())))
            await self._ask(
                "POST", f"{base}/repository/commits", commit.author,
                branch=branch, commit_message=commit.message, actions=_actions(commit, present), **start,
            )  # fmt: skip
            present.update(path for path, text in commit.files.items() if text is not None)
        for name, ref in project.tags.items():
            await self._ask("POST", f"{base}/repository/tags", tag_name=name, ref=ref)

    async def _issue(self, base: str, issue: SeededIssue, ids: ProjectOfWorld) -> History:
        issues = f"{base}/issues"
        for found in await self._ask("GET", f"{issues}?per_page=100&in=title&search={quote(issue.title)}"):
            if found["title"] == issue.title:
                ids.issues[issue.title] = found["iid"]
                return
        milestone = {"milestone_id": await self._milestone_id(base, issue.milestone)} if issue.milestone else {}
        made = await self._ask(
            "POST", issues, issue.author, title=issue.title, description=issue.description,
            confidential=issue.confidential, labels=",".join(issue.labels),
            assignee_ids=[await self._user_id(username) for username in issue.assignees], **milestone,
        )  # fmt: skip
        iid = ids.issues[issue.title] = made["iid"]
        for each in issue.notes:
            note = (
                SeededNote(body=each, author=issue.author, days_ago=issue.days_ago) if isinstance(each, str) else each
            )
            yield note.days_ago
            await self._ask("POST", f"{issues}/{iid}/notes", note.author, body=note.body)
        if issue.closed:
            yield issue.closed_days_ago
            await self._ask("PUT", f"{issues}/{iid}", issue.author, state_event="close")

    async def _milestone_id(self, base: str, title: str) -> int:
        found = await self._ask("GET", f"{base}/milestones?title={quote(title)}")
        if not found:
            raise SeedFailed(f"there is no milestone {title}")
        return found[0]["id"]

    async def _merge_request(self, base: str, request: SeededMergeRequest, ids: ProjectOfWorld) -> History:
        requests = f"{base}/merge_requests"
        for found in await self._ask("GET", f"{requests}?per_page=100&source_branch={quote(request.source_branch)}"):
            if found["title"] == request.title:
                ids.merge_requests[request.title] = found["iid"]
                return
        made = await self._ask(
            "POST", requests, request.author, title=request.title, description=request.description,
            source_branch=request.source_branch, target_branch=request.target_branch or DEFAULT_BRANCH,
            labels=",".join(request.labels),
            assignee_ids=[await self._user_id(username) for username in request.assignees],
        )  # fmt: skip
        iid = ids.merge_requests[request.title] = made["iid"]
        for note in request.notes:
            yield note.days_ago
            await self._ask("POST", f"{requests}/{iid}/notes", note.author, body=note.body)
        if request.merged:
            yield request.merged_days_ago
            await self._ask("PUT", f"{requests}/{iid}/merge", next(iter(request.assignees), None))


def _actions(commit: SeededCommit, present: set[str]) -> list[dict[str, str]]:
    """The changes of a commit to a branch with these files."""
    return [
        {"action": "delete", "file_path": path}
        if text is None
        else {"action": "update" if path in present else "create", "file_path": path, "content": text}
        for path, text in commit.files.items()
    ]
