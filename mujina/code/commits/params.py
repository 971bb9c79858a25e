"""The parameters of requests about commits."""

from typing import Annotated, Any, ClassVar, Literal

from mujina.kernel.http.params import UNSET, Form, Params, Texts, Timestamp, Trees, Unset, read_text


def _read_message(value: Any) -> str:
    """A blank message is none: a commit has one of its own then, and a tag is not annotated."""
    text = read_text(value)
    return text if text.strip() else ""


Message = Annotated[str, Form(_read_message, {"type": "string"}, blank_is_null=False)]


class ListCommits(Params):
    """`all`: of every branch and tag, whatever `ref_name` says. `ref_name` may be a range, as `v1..v2`."""

    ref_name: str | Unset = UNSET
    all: bool | Unset | None = UNSET
    since: Timestamp | Unset | None = UNSET
    until: Timestamp | Unset | None = UNSET
    path: str | Unset = UNSET
    author: str | Unset = UNSET
    first_parent: bool | Unset | None = UNSET
    order: Literal["default", "topo"] = "default"
    with_stats: bool | Unset | None = UNSET
    trailers: bool | Unset | None = UNSET
    """Ignored: commits always have them."""


class ShowCommit(Params):
    stats: bool | Unset | None = UNSET


class CountCommits(Params):
    first_parent: bool | Unset | None = UNSET


class ListContributors(Params):
    ref: str | Unset = UNSET
    order_by: Literal["name", "email", "commits", "id"] = "commits"
    sort: Literal["asc", "desc"] = "asc"


class ListRefs(Params):
    type: Literal["all", "branch", "tag"] = "all"


class CreateCommit(Params):
    branch: str
    commit_message: str
    actions: Trees
    start_branch: str | Unset = UNSET
    start_sha: str | Unset = UNSET
    start_project: str | Unset = UNSET
    """Id or path of the project of the same fork network that has `start_branch` or `start_sha`."""
    force: bool | Unset | None = UNSET
    """Whether a branch that exists is moved to the new commit, whatever it had."""
    author_email: str | Unset = UNSET
    author_name: str | Unset = UNSET
    stats: bool | Unset | None = UNSET

    at_most_one_of: ClassVar = ("start_branch", "start_sha")


class RepeatCommit(Params):
    branch: str
    dry_run: bool | Unset | None = UNSET


class CherryPick(RepeatCommit):
    message: Message | Unset = UNSET


class Compare(Params):
    from_: str
    to: str
    straight: bool | Unset | None = UNSET
    from_project_id: int | Unset | None = UNSET
    """The project of the same fork network that has `from`."""


class MergeBase(Params):
    refs: Texts
    """At least two branches, tags or commits."""


class ComparePage(Params):
    from_: str | Unset = UNSET
    to: str | Unset = UNSET
