"""The description of a world: the users, groups and projects that an instance is to have."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Level = Literal["guest", "reporter", "developer", "maintainer", "owner"]
Visibility = Literal["private", "internal", "public"]
Username = Annotated[str, Meta(description="The username of a user of the description, or of one who exists.")]
Path = Annotated[str, Meta(description="The full path, such as `team/tools/app`.", pattern=r"^[^/]+(/[^/]+)*$")]
Members = Annotated[dict[str, Level], Meta(description="The access levels of members, by username.")]
Files = Annotated[dict[str, str | None], Meta(description="The content of files by path; null deletes the file.")]

DaysAgo = Annotated[float, Meta(description="When it happened; unset: now.", ge=0)]


class Described(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of a description: a key that it does not have is an error."""


class SeededUser(Described):
    username: str
    name: str | None = None
    email: str | None = None
    password: str | None = None
    admin: bool = False


class SeededGroup(Described):
    path: Path
    name: str | None = None
    description: str = ""
    visibility: Visibility = "private"
    members: Members = {}


class SeededCommit(Described):
    message: str
    files: Files
    branch: Annotated[str | None, Meta(description="Unset: the default branch. A new one starts there.")] = None
    author: Username | None = None
    days_ago: DaysAgo = 0


class SeededNote(Described):
    body: str
    author: Username | None = None
    days_ago: DaysAgo = 0


class SeededIssue(Described):
    title: str
    description: str = ""
    author: Username | None = None
    assignees: list[Username] = []
    labels: list[str] = []
    milestone: str | None = None
    confidential: bool = False
    notes: Annotated[list[str | SeededNote], Meta(description="A text alone is by the author of the issue.")] = []
    closed: bool = False
    days_ago: DaysAgo = 0
    closed_days_ago: DaysAgo = 0


class SeededMergeRequest(Described):
    title: str
    source_branch: str
    target_branch: str | None = None
    description: str = ""
    author: Username | None = None
    assignees: list[Username] = []
    labels: list[str] = []
    notes: Annotated[list[SeededNote], Meta(description="The comments of reviewers.")] = []
    merged: Annotated[bool, Meta(description="By the first assignee.")] = False
    days_ago: DaysAgo = 0
    merged_days_ago: DaysAgo = 0


class SeededHook(Described):
    url: str
    token: str | None = None
    events: Annotated[tuple[str, ...], Meta(description="Names such as `push` or `merge_requests`.")] = ("push",)


class SeededProject(Described):
    path: Path
    name: str | None = None
    description: str = ""
    visibility: Visibility = "private"
    members: Members = {}
    files: Annotated[Files, Meta(description="The content of the first commit.")] = {}
    commits: list[SeededCommit] = []
    tags: Annotated[dict[str, str], Meta(description="Branches or commits, by the name of the tag.")] = {}
    releases: Annotated[dict[str, str], Meta(description="Texts about the version, by the name of the tag.")] = {}
    labels: Annotated[dict[str, str], Meta(description="Colors such as `#d9534f`, by the name of the label.")] = {}
    milestones: list[str] = []
    issues: list[SeededIssue] = []
    merge_requests: list[SeededMergeRequest] = []
    hooks: list[SeededHook] = []
    variables: Annotated[dict[str, str], Meta(description="CI variables.")] = {}
    days_ago: Annotated[
        float, Meta(description="When it was created, with its first files. All users and groups come first.", ge=0)
    ] = 0


class World(Described):
    """Everything that a description may have."""

    users: list[SeededUser] = []
    groups: Annotated[list[SeededGroup], Meta(description="A group comes after the group that it is in.")] = []
    projects: list[SeededProject] = []


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
