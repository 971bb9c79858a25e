"""The parameters of requests about merge requests."""

from typing import Annotated, Any, ClassVar, Literal

from mujina.kernel.http.params import (
    UNSET,
    Form,
    Ids,
    Names,
    Params,
    RequiredText,
    Timestamp,
    Unset,
    Words,
    nested,
    read_integers,
    read_names,
)
from mujina.planning.issues.params import AssigneeFilter, ExceptWorkItems, PlanningFields, scope_words

Scope = Annotated[str, scope_words("created-by-me", "assigned-to-me", "reviews-for-me", "all")]
Order = Literal[
    "created_at", "updated_at", "id", "title", "merged_at", "closed_at", "priority", "due_date", "label_priority",
    "milestone_due", "popularity", "relative_position", "weight",
]  # fmt: skip


def _read_approvers(value: Any) -> list[int] | str:
    """Ids of users, or the words `None` and `Any`."""
    words = read_names(value)
    if len(words) == 1 and words[0].lower() in ("none", "any"):
        return words[0].lower()
    return read_integers(words)


Approvers = Annotated[list[int] | str, Form(_read_approvers, {"type": "array", "items": {"type": "string"}})]


class ExceptMergeRequests(ExceptWorkItems):
    reviewer_id: int | Unset = UNSET
    reviewer_username: str | Unset = UNSET
    source_branch: str | Unset = UNSET
    target_branch: str | Unset = UNSET


Exceptions = Annotated[ExceptMergeRequests, nested(ExceptMergeRequests)]


class ListMergeRequests(Params):
    """The filters of every list of merge requests."""

    state: Literal["all", "opened", "closed", "merged", "locked"] = "all"
    order_by: Order = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    scope: Scope | Unset = UNSET
    author_id: int | Unset | None = UNSET
    author_username: str | Unset = UNSET
    assignee_id: AssigneeFilter | Unset | None = UNSET
    assignee_username: Names | Unset = UNSET
    reviewer_id: AssigneeFilter | Unset | None = UNSET
    reviewer_username: str | Unset = UNSET
    approved_by_ids: Approvers | Unset = UNSET
    approver_ids: Approvers | Unset = UNSET
    milestone: str | Unset = UNSET
    labels: Names | Unset = UNSET
    my_reaction_emoji: str | Unset = UNSET
    search: Words | Unset = UNSET
    in_: str | Unset = UNSET
    created_after: Timestamp | Unset | None = UNSET
    created_before: Timestamp | Unset | None = UNSET
    updated_after: Timestamp | Unset | None = UNSET
    updated_before: Timestamp | Unset | None = UNSET
    source_branch: str | Unset = UNSET
    target_branch: str | Unset = UNSET
    wip: Literal["yes", "no"] | Unset = UNSET
    draft: bool | Unset = UNSET
    non_archived: bool | Unset = UNSET
    not_: Exceptions | Unset = UNSET
    with_labels_details: bool | Unset = UNSET
    view: Literal["simple"] | Unset = UNSET


class ListCommitMergeRequests(Params):
    state: Literal["all", "opened", "closed", "merged", "locked"] = "all"


class ListOwnMergeRequests(ListMergeRequests):
    """Across all projects, the default is the requests that the caller wrote."""

    scope: Scope = "created-by-me"


class ListProjectMergeRequests(ListMergeRequests):
    iids: Ids | Unset = UNSET


class FilterMergeRequests(ListMergeRequests):
    """The filters of the pages that list merge requests, by the names that users read; an empty field is no filter."""

    state: Literal["all", "opened", "closed", "merged"] = "opened"
    milestone_title: str | Unset = UNSET
    label_name: Names | Unset = UNSET
    drafts: Literal["", "yes", "no"] | Unset = UNSET
    order: Literal["", "newest", "oldest", "updated", "priority", "popular"] | Unset = UNSET

    def as_query(self) -> ListMergeRequests:
        """The query as the API has it."""
        given = {name: value for name, value in self.sent_fields().items() if value not in ("", [])}
        labels, milestone = given.pop("label_name", UNSET), given.pop("milestone_title", UNSET)
        drafts, order = given.pop("drafts", ""), given.pop("order", "")
        names = ListMergeRequests.__struct_fields__
        query: dict[str, Any] = {"state": self.state, **{name: value for name, value in given.items() if name in names}}
        if labels:
            query["labels"] = labels
        if milestone:
            query["milestone"] = milestone
        if drafts:
            query["draft"] = drafts == "yes"
        query |= {"oldest": {"sort": "asc"}, "updated": {"order_by": "updated_at"}}.get(order, {})
        return ListMergeRequests(**query)


class MergeRequestFields(PlanningFields):
    """The form of a merge request."""

    reviewers: Names | Unset = UNSET
    draft: bool | Unset = UNSET
    source_branch: str | Unset = UNSET
    target_branch: Words | Unset = UNSET
    target_project_id: int | Unset | None = UNSET
    remove_source_branch: bool | Unset = UNSET
    squash: bool | Unset = UNSET


class MergeRequestChange(Params):
    """The fields that creating and editing a merge request share. An omitted field stays as it is."""

    assignee_id: int | Unset | None = UNSET
    assignee_ids: Ids | Unset = UNSET
    reviewer_ids: Ids | Unset = UNSET
    description: str | Unset | None = UNSET
    labels: Names | Unset = UNSET
    milestone_id: int | Unset | None = UNSET
    remove_source_branch: bool | Unset = UNSET
    squash: bool | Unset = UNSET
    approvals_before_merge: int | Unset | None = UNSET
    allow_collaboration: bool | Unset = UNSET
    allow_maintainer_to_push: bool | Unset = UNSET
    """The older name of `allow_collaboration`."""


class ShowMergeRequest(Params):
    include_diverged_commits_count: bool | Unset = UNSET
    include_rebase_in_progress: bool | Unset = UNSET


class CreateMergeRequest(MergeRequestChange):
    title: str
    source_branch: str
    target_branch: str
    target_project_id: int | Unset | None = UNSET


class EditMergeRequest(MergeRequestChange):
    title: RequiredText | Unset = UNSET
    target_branch: RequiredText | Unset = UNSET
    state_event: Literal["close", "reopen"] | Unset = UNSET
    discussion_locked: bool | Unset = UNSET
    add_labels: Names | Unset = UNSET
    remove_labels: Names | Unset = UNSET
    merge_after: str | Unset = UNSET
    """Changes nothing."""

    at_least_one_of: ClassVar = tuple(dict.fromkeys((
        "assignee_id", "description", "labels", "milestone_id", "remove_source_branch", "state_event", "target_branch",
        "title", "discussion_locked", "squash", "approvals_before_merge", "assignee_ids", "reviewer_ids", "add_labels",
        "remove_labels", "merge_after", *MergeRequestChange.__struct_fields__,
    )))  # fmt: skip
    """In the order in which the error names them; a new field of `MergeRequestChange` is named last."""

    @property
    def interferes(self) -> bool:
        """Whether it must wait while the server merges the request."""
        return self.state_event is not UNSET or self.target_branch is not UNSET
