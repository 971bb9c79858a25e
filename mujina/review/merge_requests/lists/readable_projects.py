"""The projects whose merge requests a list may show."""

from typing import Any, ClassVar

from mujina.planning.project_lists.nouns import ListedNoun
from mujina.planning.project_lists.projects import ListedProjects
from mujina.review.merge_requests.filters import LISTED_REQUESTS


class ReviewedProjects(ListedProjects, frozen=True):
    """Projects with merge requests; in those that are `partial`, the caller sees requests that they wrote or are assigned to."""

    noun: ClassVar[ListedNoun[Any]] = LISTED_REQUESTS
