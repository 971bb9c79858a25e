"""What a search may say."""

from typing import Literal

from mujina.kernel.params import Params

WITHOUT_CODE = frozenset({"wiki_blobs", "blobs", "commits"})
"""Scopes of the specification's family that need an index of code, which is not kept."""


class Search(Params):
    search: str


class SearchEverything(Search):
    scope: Literal[
        "projects", "issues", "milestones", "notes", "snippet_titles", "snippet_blobs", "wiki_blobs", "blobs", "commits"
    ]


class SearchGroup(Search):
    scope: Literal["projects", "issues", "milestones", "notes", "wiki_blobs", "blobs", "commits"]


class SearchProject(Search):
    scope: Literal["issues", "milestones", "notes", "wiki_blobs", "blobs", "commits"]
