"""The parameters of searches."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset, Words

IN_REPOSITORIES = frozenset({"wiki_blobs", "blobs", "commits"})
"""Scopes that only one project supports; for more there would have to be an index of code."""


class Search(Params):
    """The filters and the order are those of issues and merge requests; `confidential` is for issues."""

    search: Words
    state: Literal["all", "opened", "closed", "merged"] = "all"
    confidential: bool | Unset = UNSET
    order_by: Literal["created_at"] | Unset = UNSET
    sort: Literal["asc", "desc"] = "desc"


class SearchEverything(Search):
    scope: Literal[
        "projects", "issues", "merge_requests", "milestones", "notes", "epics", "users", "snippet_titles", "snippet_blobs",
        "wiki_blobs", "blobs", "commits",
    ]  # fmt: skip


class SearchGroup(Search):
    scope: Literal[
        "projects", "issues", "merge_requests", "milestones", "notes", "epics", "users", "wiki_blobs", "blobs", "commits",
    ]  # fmt: skip


class SearchProject(Search):
    scope: Literal["issues", "merge_requests", "milestones", "notes", "users", "wiki_blobs", "blobs", "commits"]
    ref: str | Unset = UNSET
    """The branch, tag or commit in which files and commits are searched for, by default the default branch."""


class SearchOnPage(Params):
    """The query of the search page; an empty or unknown scope is the first one of the location."""

    search: Words | Unset = UNSET
    scope: str | Unset = UNSET
    project_id: int | Unset | None = UNSET
    group_id: int | Unset | None = UNSET
