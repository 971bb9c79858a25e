"""The parameters of searches."""

from typing import Literal

from mujina.kernel.params import Params, Words

IN_REPOSITORIES = frozenset({"wiki_blobs", "blobs", "commits"})
"""Scopes that only one project supports; for more there would have to be an index of code."""


class Search(Params):
    search: Words


class SearchEverything(Search):
    scope: Literal[
        "projects",
        "issues",
        "merge_requests",
        "milestones",
        "notes",
        "epics",
        "snippet_titles",
        "snippet_blobs",
        "wiki_blobs",
        "blobs",
        "commits",
    ]


class SearchGroup(Search):
    scope: Literal[
        "projects", "issues", "merge_requests", "milestones", "notes", "epics", "wiki_blobs", "blobs", "commits"
    ]


class SearchProject(Search):
    scope: Literal["issues", "merge_requests", "milestones", "notes", "wiki_blobs", "blobs", "commits"]
