"""What a search may say."""

from typing import Literal

from mujina.kernel.params import Params, Words

IN_REPOSITORIES = frozenset({"wiki_blobs", "blobs", "commits"})
"""Scopes that are looked for in one project; in many they would need an index of code, which is not kept."""


class Search(Params):
    search: Words


class SearchEverything(Search):
    scope: Literal[
        "projects", "issues", "milestones", "notes", "snippet_titles", "snippet_blobs", "wiki_blobs", "blobs", "commits"
    ]


class SearchGroup(Search):
    scope: Literal["projects", "issues", "milestones", "notes", "wiki_blobs", "blobs", "commits"]


class SearchProject(Search):
    scope: Literal["issues", "milestones", "notes", "wiki_blobs", "blobs", "commits"]
