"""The objects that several payloads share, in the exact shape that receivers know."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Annotated, Any, LiteralString, NamedTuple

from mujina.accounts.emails.rules import PUBLIC_EMAIL
from mujina.accounts.users.entities import RefRow
from mujina.accounts.users.entities import avatar_url as user_avatar_url
from mujina.code.commits.operations import CommitInfo
from mujina.kernel.clock import spelled as time
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database
from mujina.kernel.permissions.levels import VISIBILITIES, Visibility
from mujina.kernel.urls import ssh, web
from mujina.planning.labels.rules import LabelRow
from mujina.workspaces.projects.views.basics import avatar_url

Object = dict[str, Any]

MAX_MESSAGE_LENGTH, MAX_NAME_LENGTH = 65_536, 1_000
"""Characters of a commit that payloads show: git accepts any number of them, in a pack of a few bytes."""

LEVEL_STEP = 10
"""The step between two degrees of visibility as numbers: private is 0, internal 10, public 20."""


class ProjectFacts(Row, alias="p"):
    """A project (with its route `r`, its namespace `n` and the owner `o` of that) as payloads show it."""

    id: int
    name: str
    path: str
    description: str | None
    full_path: Annotated[str, "coalesce(r.path, '')"]
    avatar: str | None
    namespace_name: Annotated[str, "n.name"]
    namespace_full_name: Annotated[str, "n.full_name"]
    visibility: Visibility
    default_branch: str | None
    ci_config_path: str | None
    storage: Annotated[str, "p.repository_storage"]
    owner_name: Annotated[str | None, "o.name"]
    owner_email: Annotated[str | None, "o.email"]
    created_at: str
    updated_at: str

    @property
    def web_url(self) -> str:
        return web(f"/{self.full_path}")


PROJECTS: LiteralString = """projects p LEFT JOIN routes r ON r.project_id = p.id
    JOIN namespaces n ON n.id = p.namespace_id LEFT JOIN users o ON o.id = n.owner_id"""


class UserFacts(RefRow):
    email: str
    public_email: Annotated[str, f"coalesce({PUBLIC_EMAIL}, '')"]
    created_at: str
    updated_at: str


GHOST = UserFacts(
    id=0, username="ghost", name="Ghost User", state="active", avatar=None, email="", public_email="", created_at="",
    updated_at="",
)  # fmt: skip
"""The stand-in for a user who no longer exists."""


class LabelFacts(LabelRow):
    created_at: str


ReadCommit = Callable[[ProjectFacts, str], Awaitable[CommitInfo | None]]
"""Reads a commit of a project; None if there is none."""


class CommentedLine(NamedTuple):
    """A line that a commit added (`new`) or removed (`old`)."""

    path: str
    line: int
    side: str


ReadLine = Callable[[ProjectFacts, str, CommentedLine], Awaitable[Object]]
"""Reads where in the diff of a commit a line is, as payloads show it; empty if the commit is gone."""


class Facts:
    """Reads what payloads mention, each once for a batch of events."""

    def __init__(self, database: Database, read_commit: ReadCommit, read_line: ReadLine) -> None:
        self.database = database
        self._read_commit = read_commit
        self.read_line = read_line
        self._projects: dict[int, ProjectFacts | None] = {}
        self._users: dict[int, UserFacts] = {}
        self._labels: dict[int, LabelFacts] = {}

    async def prefetch(self, project_ids: Iterable[int], user_ids: Iterable[int]) -> None:
        """Read these projects and users together."""
        await self.users(user_ids)
        ids = sorted(set(project_ids))
        async with self.database.reading() as tx:
            rows = await tx.rows(
                ProjectFacts, f"SELECT {ProjectFacts.columns} FROM {PROJECTS} WHERE p.id IN :ids", ids=ids
            )
        self._projects |= {**dict.fromkeys(ids), **{row.id: row for row in rows}}

    async def project(self, project_id: int) -> ProjectFacts | None:
        """None if the project no longer exists."""
        if project_id not in self._projects:
            await self.prefetch([project_id], [])
        return self._projects[project_id]

    async def commit(self, project_facts: ProjectFacts, sha: str | None) -> Object | None:
        """A commit as payloads show it; None if it cannot be read."""
        info = await self._read_commit(project_facts, sha) if sha else None
        return None if info is None else commit(info, project_facts)

    async def user(self, user_id: int | None) -> UserFacts:
        return (await self.users([user_id or 0]))[0]

    async def users(self, ids: Iterable[int]) -> list[UserFacts]:
        wanted = list(ids)
        if missing := sorted({id_ for id_ in wanted if id_ not in self._users}):
            async with self.database.reading() as tx:
                rows = await tx.rows(
                    UserFacts, f"SELECT {UserFacts.columns} FROM users u WHERE u.id IN :ids", ids=missing
                )
            self._users |= {row.id: row for row in rows}
        return [self._users.get(id_, GHOST) for id_ in wanted]

    async def labels(self, ids: Iterable[int]) -> list[LabelFacts]:
        """The labels of these ids that still exist, by title."""
        wanted = list(ids)
        if missing := [id_ for id_ in wanted if id_ not in self._labels]:
            async with self.database.reading() as tx:
                rows = await tx.rows(
                    LabelFacts, f"SELECT {LabelFacts.columns} FROM labels l WHERE l.id IN :ids", ids=missing
                )
            self._labels |= {row.id: row for row in rows}
        return sorted((self._labels[id_] for id_ in wanted if id_ in self._labels), key=lambda label: label.title)

    async def labels_titled(self, project_id: int, titles: list[str]) -> list[LabelFacts]:
        """The labels that a project has under these titles, its own and those of the groups above it."""
        if not titles:
            return []
        async with self.database.reading() as tx:
            rows = await tx.rows(
                LabelFacts,
                f"""SELECT {LabelFacts.columns} FROM labels l WHERE l.title IN :titles AND (l.project_id = :project_id
                    OR l.group_id IN (SELECT t.ancestor_id FROM projects p JOIN group_tree t
                        ON t.group_id = p.namespace_id WHERE p.id = :project_id))
                    ORDER BY l.title, l.group_id NULLS LAST""",
                titles=titles,
                project_id=project_id,
            )
        return list({row.title: row for row in reversed(rows)}.values())[::-1]  # of two with one title, the first


def time_or_none(moment: str | None) -> str | None:
    return None if moment is None else time(moment)


def iso_time(moment: str) -> str:
    """A stored instant as system hooks have it: `2018-02-14T12:00:00Z`."""
    return f"{moment[:19]}Z"


def user(row: UserFacts) -> Object:
    return {"name": row.name, "username": row.username, "avatar_url": user_avatar_url(row)}


def visibility_level(visibility: Visibility) -> int:
    return VISIBILITIES.index(visibility) * LEVEL_STEP


def project(row: ProjectFacts, *, twins: bool = True) -> Object:
    """`twins`: with the older names of the addresses."""
    page, git_ssh = row.web_url, ssh(row.full_path)
    shown: Object = {
        "id": row.id,
        "name": row.name,
        "description": row.description,
        "web_url": page,
        "avatar_url": avatar_url(row.id, row.avatar),
        "git_ssh_url": git_ssh,
        "git_http_url": f"{page}.git",
        "namespace": row.namespace_name,
        "visibility_level": visibility_level(row.visibility),
        "path_with_namespace": row.full_path,
        "default_branch": row.default_branch,
        "ci_config_path": row.ci_config_path,
    }
    # Compat: the same addresses once more, under the names of older receivers.
    return (
        {**shown, "homepage": page, "url": git_ssh, "ssh_url": git_ssh, "http_url": f"{page}.git"} if twins else shown
    )


def repository(row: ProjectFacts, *, full: bool = False) -> Object:
    page, git_ssh = row.web_url, ssh(row.full_path)
    shown: Object = {"name": row.name, "url": git_ssh, "description": row.description, "homepage": page}
    if full:
        shown |= {"git_http_url": f"{page}.git", "git_ssh_url": git_ssh}
        shown["visibility_level"] = visibility_level(row.visibility)
    return shown


def commit(info: CommitInfo, row: ProjectFacts) -> Object:
    return {
        "id": info.id,
        "message": info.message[:MAX_MESSAGE_LENGTH],
        "timestamp": _without_fraction(info.committed_at),
        "url": f"{row.web_url}/commit/{info.id}",
        "author": {"name": info.author_name[:MAX_NAME_LENGTH], "email": info.author_email[:MAX_NAME_LENGTH]},
    }


def _without_fraction(moment: str) -> str:
    """`2018-02-14T12:00:00.000+01:00` → `2018-02-14T12:00:00+01:00`."""
    return moment[:19] + moment[23:] if moment[19:20] == "." else moment


def label(row: LabelFacts) -> Object:
    return {
        "id": row.id,
        "title": row.title,
        "color": row.color,
        "project_id": row.project_id,
        "created_at": time(row.created_at),
        "updated_at": time(row.updated_at),
        "template": False,
        "description": row.description,
        "type": "GroupLabel" if row.project_id is None else "ProjectLabel",
        "group_id": row.group_id,
    }


def difference(previous: Any, current: Any) -> Object:
    """A change of one field."""
    return {"previous": previous, "current": current}
