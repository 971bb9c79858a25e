"""The description of a world: the users, groups and projects that an instance is to have."""

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from mujina.kernel.text.folding import fold

EVENTS: Final = (
    "push", "tag_push", "issues", "confidential_issues", "note", "confidential_note", "merge_requests", "job", "build",
    "pipeline", "wiki_page", "wiki", "releases", "deployment", "repository_update",
)  # fmt: skip
"""The events of the hooks of a project, by the names of the API."""
MAX_DAYS_AGO: Final = 18_250
"""50 years: git and the API have no times before 1970."""
_PROJECT_PATH: Final = r"^[^/]+(/[^/]+)+$"

Visibility = Literal["private", "internal", "public"]
Name = Annotated[str, Meta(min_length=1, pattern=r"\S")]
Username = Annotated[
    str,
    Meta(description="The username of a user of the description, or of one who exists.", min_length=1, pattern=r"\S"),
]
GroupPath = Annotated[str, Meta(description="The full path, such as `team/tools`.", pattern=r"^[^/]+(/[^/]+)*$")]
ProjectPath = Annotated[
    str,
    Meta(
        description="The full path, below a user or a group, such as `ann/app` or `team/tools/app`.",
        extra_json_schema={"pattern": _PROJECT_PATH},
    ),
]
Members = Annotated[
    dict[Username, Literal["guest", "reporter", "developer", "maintainer"]],
    Meta(description="The access levels of members, by username."),
]
GroupMembers = Annotated[
    dict[Username, Literal["guest", "reporter", "developer", "maintainer", "owner"]],
    Meta(description="The access levels of members, by username."),
]
Files = Annotated[dict[Name, str | None], Meta(description="The content of files by path; null deletes the file.")]
Event = Annotated[str, Meta(pattern=f"^({'|'.join(EVENTS)})$", extra_json_schema={"enum": list(EVENTS)})]

DaysAgo = Annotated[float, Meta(description="When it happened; unset: now.", ge=0, le=MAX_DAYS_AGO)]


class Described(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of a description: a key that it does not have is an error."""


class SeededUser(Described):
    username: Username
    name: str | None = None
    email: str | None = None
    password: str | None = None
    admin: bool = False


class SeededGroup(Described):
    path: GroupPath
    name: str | None = None
    description: str = ""
    visibility: Visibility = "private"
    members: GroupMembers = {}

    def __post_init__(self) -> None:
        _refuse_duplicates(f"member of {self.path}", self.members, fold)


class SeededCommit(Described):
    message: Name
    files: Files
    branch: Annotated[Name | None, Meta(description="Unset: the default branch. A new one starts there.")] = None
    author: Username | None = None
    days_ago: DaysAgo = 0


class SeededNote(Described):
    body: Name
    author: Username | None = None
    days_ago: DaysAgo = 0


class SeededIssue(Described):
    title: Name
    description: str = ""
    author: Username | None = None
    assignees: list[Username] = []
    labels: list[Name] = []
    milestone: Name | None = None
    confidential: bool = False
    notes: Annotated[list[Name | SeededNote], Meta(description="A text alone is by the author of the issue.")] = []
    closed: bool = False
    days_ago: DaysAgo = 0
    closed_days_ago: DaysAgo = 0


class SeededMergeRequest(Described):
    title: Name
    source_branch: Name
    target_branch: Name | None = None
    description: str = ""
    author: Username | None = None
    assignees: list[Username] = []
    labels: list[Name] = []
    notes: Annotated[list[SeededNote], Meta(description="The comments of reviewers.")] = []
    merged: Annotated[bool, Meta(description="By the first assignee.")] = False
    days_ago: DaysAgo = 0
    merged_days_ago: DaysAgo = 0


class SeededHook(Described):
    url: Name
    token: str | None = None
    events: Annotated[tuple[Event, ...], Meta(description="Names such as `push` or `merge_requests`.")] = ("push",)


class SeededProject(Described):
    path: ProjectPath
    name: str | None = None
    description: str = ""
    visibility: Visibility = "private"
    members: Members = {}
    files: Annotated[Files, Meta(description="The content of the first commit.")] = {}
    commits: list[SeededCommit] = []
    tags: Annotated[dict[Name, str], Meta(description="Branches or commits, by the name of the tag.")] = {}
    releases: Annotated[dict[Name, str], Meta(description="Texts about the version, by the name of the tag.")] = {}
    labels: Annotated[dict[Name, str], Meta(description="Colors such as `#d9534f`, by the name of the label.")] = {}
    milestones: list[Name] = []
    issues: list[SeededIssue] = []
    merge_requests: list[SeededMergeRequest] = []
    hooks: list[SeededHook] = []
    variables: Annotated[dict[Name, str], Meta(description="CI variables.")] = {}
    days_ago: Annotated[
        DaysAgo, Meta(description="When it was created, with its first files. All users and groups come first.")
    ] = 0

    def __post_init__(self) -> None:
        if not re.fullmatch(_PROJECT_PATH, self.path):
            raise ValueError(f"`{self.path}` is no path of a project: write `user/app` or `group/app`")
        _refuse_duplicates(f"member of {self.path}", self.members, fold)
        for kind, names in {
            "label": self.labels,
            "milestone": self.milestones,
            "issue": [issue.title for issue in self.issues],
            "merge request": [request.title for request in self.merge_requests],
            "hook": [hook.url for hook in self.hooks],
        }.items():
            _refuse_duplicates(f"{kind} of {self.path}", names, str)


class World(Described):
    """Everything that a description may have."""

    users: list[SeededUser] = []
    groups: Annotated[list[SeededGroup], Meta(description="A group comes after the group that it is in.")] = []
    projects: list[SeededProject] = []

    def __post_init__(self) -> None:
        _refuse_duplicates("user", (user.username for user in self.users), fold)
        _refuse_duplicates("group", (group.path for group in self.groups), fold)
        _refuse_duplicates("project", (project.path for project in self.projects), fold)


def _refuse_duplicates(kind: str, names: Iterable[str], key: Callable[[str], str]) -> None:
    """A `ValueError` that names the first of the names whose key, without outer blanks, an earlier one has."""
    seen = set[str]()
    for name in names:
        if key(name.strip()) in seen:
            raise ValueError(f"the {kind} `{name.strip()}` is described twice")
        seen.add(key(name.strip()))


class UserOfWorld(msgspec.Struct):
    id: int
    token: str | None
    """A token with the scope `api`, in the testing mode."""


class GroupOfWorld(msgspec.Struct):
    id: int


class ProjectOfWorld(msgspec.Struct):
    id: int
    issues: dict[str, int] = {}
    """The iids by title."""
    merge_requests: dict[str, int] = {}


class WorldIds(msgspec.Struct):
    """What was described, as the instance has it: users by username, groups and projects by path."""

    users: dict[str, UserOfWorld] = {}
    groups: dict[str, GroupOfWorld] = {}
    projects: dict[str, ProjectOfWorld] = {}


def json_schema() -> dict[str, Any]:
    """The JSON schema of a description, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(World)}
