"""The parameters of requests about issues."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from mujina.kernel.http.params import (
    UNSET,
    BadValue,
    Date,
    Form,
    Ids,
    Names,
    Params,
    RequiredText,
    Timestamp,
    Unset,
    Words,
    nested,
    one_of,
    read_integer,
    read_integers,
    read_text,
)
from mujina.kernel.lists.keyset import Cursor

MAX_EDITED = 100
"""Issues or merge requests that one form edits."""
Weight = Annotated[int, one_of(tuple(range(10)))]


def _read_assignee(value: Any) -> int | str:
    """The id of a user; `none` for 0 or `None`, `any` for `Any`."""
    word = read_text(value).strip().lower()
    if word in ("none", "any"):
        return word
    number = read_integer(value)
    return "none" if number == 0 else number


def scope_words(*words: str) -> Form:
    """One of these words, which clients write with dashes or underscores."""
    known = one_of(words)
    return Form(lambda value: known.read(read_text(value).replace("_", "-")), known.schema)


def _read_many(value: Any) -> list[int]:
    """The numbers of issues or merge requests that one form edits, without repeats."""
    iids = list(dict.fromkeys(read_integers(value)))
    if len(iids) > MAX_EDITED:
        raise BadValue(f"has too many numbers (maximum is {MAX_EDITED})")
    return iids


def _read_weight(value: Any) -> int | str:
    """A number; `none` for `None`, `any` for `Any`."""
    word = read_text(value).strip().lower()
    return word if word in ("none", "any") else read_integer(value)


AssigneeFilter = Annotated[int | str, Form(_read_assignee, {"type": "string"})]
Scope = Annotated[str, scope_words("created-by-me", "assigned-to-me", "all")]
WeightFilter = Annotated[int | str, Form(_read_weight, {"type": "string"})]
Order = Literal[
    "created_at", "updated_at", "id", "title", "due_date", "weight", "popularity", "priority", "label_priority",
    "milestone_due", "relative_position", "closed_at", "merged_at",
]  # fmt: skip
DueDate = Literal["0", "any", "today", "tomorrow", "overdue", "week", "month", "next_month_and_previous_two_weeks"]


class ExceptWorkItems(Params):
    """`not[…]`: issues or merge requests that match one of these are left out."""

    iids: Ids | Unset = UNSET
    author_id: int | Unset = UNSET
    author_username: str | Unset = UNSET
    assignee_id: int | Unset = UNSET
    assignee_username: Names | Unset = UNSET
    milestone: str | Unset = UNSET
    labels: Names | Unset = UNSET
    my_reaction_emoji: str | Unset = UNSET


class ExceptIssues(ExceptWorkItems):
    weight: int | Unset = UNSET


IssueExceptions = Annotated[ExceptIssues, nested(ExceptIssues)]


class ListIssues(Params):
    """The filters of every list of issues."""

    state: Literal["all", "opened", "closed"] = "all"
    labels: Names | Unset = UNSET
    milestone: str | Unset = UNSET
    scope: Scope | Unset = UNSET
    author_id: int | Unset | None = UNSET
    assignee_id: AssigneeFilter | Unset | None = UNSET
    my_reaction_emoji: str | Unset = UNSET
    iids: Ids | Unset = UNSET
    order_by: Order = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    search: Words | Unset = UNSET
    created_after: Timestamp | Unset | None = UNSET
    created_before: Timestamp | Unset | None = UNSET


IssueType = Literal["issue", "incident", "test_case", "requirement", "task"]


class QueryIssues(ListIssues):
    """The filters of the API, with those that the family added later."""

    updated_after: Timestamp | Unset | None = UNSET
    updated_before: Timestamp | Unset | None = UNSET
    author_username: str | Unset = UNSET
    assignee_username: Names | Unset = UNSET
    """Users who are all assigned."""
    confidential: bool | Unset | None = UNSET
    weight: WeightFilter | Unset | None = UNSET
    due_date: DueDate | Unset = UNSET
    issue_type: IssueType | Unset = UNSET
    """There are only issues: other types match nothing."""
    non_archived: bool | Unset | None = UNSET
    in_: str | Unset = UNSET
    """`title`, `description` or both: where the search looks for words."""
    not_: IssueExceptions | Unset = UNSET
    with_labels_details: bool | Unset = UNSET
    """Labels are objects instead of names."""


class ListProjectIssues(QueryIssues):
    pagination: str | Unset = UNSET
    """`keyset`: pages follow each other by `cursor`, and have no total, in an order by a time, a date, the title or the id."""
    cursor: Cursor | Unset = UNSET


class ListOwnIssues(QueryIssues):
    """Across all projects, the default is the issues that the caller wrote."""

    scope: Scope = "created-by-me"


class FilterIssues(ListIssues):
    """The filters of the page that lists issues, by the names that users read."""

    state: Literal["all", "opened", "closed"] = "opened"
    author_username: str | Unset = UNSET
    assignee_username: str | Unset = UNSET
    milestone_title: str | Unset = UNSET
    label_name: Names | Unset = UNSET
    confidential: Literal["", "yes", "no"] | Unset = UNSET
    weight: Annotated[int | Unset | None, one_of(tuple(range(10)))] = UNSET
    order: Literal["", "newest", "oldest", "updated", "due", "weight", "popular", "priority", "manual"] | Unset = UNSET


class IssueChange(Params):
    """The fields that creating and editing an issue share. An omitted field stays as it is."""

    description: str | Unset | None = UNSET
    confidential: bool | Unset = UNSET
    assignee_ids: Ids | Unset = UNSET
    assignee_id: int | Unset | None = UNSET
    milestone_id: int | Unset | None = UNSET
    labels: Names | Unset = UNSET
    due_date: Date | Unset | None = UNSET
    weight: Weight | Unset | None = UNSET
    created_at: Timestamp | Unset = UNSET


class CreateIssue(IssueChange):
    title: str
    merge_request_to_resolve_discussions_of: int | Unset = UNSET
    discussion_to_resolve: str | Unset = UNSET
    discussion_locked: bool | Unset = UNSET


class EditIssue(IssueChange):
    title: RequiredText | Unset = UNSET
    state_event: Literal["close", "reopen"] | Unset = UNSET
    updated_at: Timestamp | Unset = UNSET
    discussion_locked: bool | Unset = UNSET
    add_labels: Names | Unset = UNSET
    remove_labels: Names | Unset = UNSET
    issue_type: IssueType | Unset = UNSET
    """Changes nothing: there are only issues."""

    at_least_one_of: ClassVar = tuple(dict.fromkeys((
        "title", "description", "assignee_ids", "assignee_id", "milestone_id", "labels", "created_at", "due_date",
        "confidential", "state_event", "weight", "discussion_locked", "add_labels", "remove_labels", "issue_type",
        *IssueChange.__struct_fields__,
    )))  # fmt: skip
    """In the order in which the error names them; a new field of `IssueChange` is named last."""


class PlanningFields(Params):
    """The fields that the forms of issues and of merge requests share: people and the milestone by name.

    A field that the form lacks stays as it is.
    """

    title: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    assignees: Names | Unset = UNSET
    """Usernames, separated by commas."""
    milestone: Words | Unset = UNSET
    labels: Names | Unset = UNSET


class IssueFields(PlanningFields):
    """The form of an issue."""

    confidential: bool | Unset = UNSET
    due_date: Date | Unset | None = UNSET
    weight: Weight | Unset | None = UNSET


class BulkEdit(Params):
    """The form that edits many issues; an empty field changes nothing."""

    iids: Annotated[
        Sequence[int], Form(_read_many, {"type": "array", "items": {"type": "integer"}}, blank_is_null=False)
    ] = ()
    state_event: Literal["", "close", "reopen"] | Unset = UNSET
    assignees: Names | Unset = UNSET
    milestone: Words | Unset = UNSET
    add_labels: Names | Unset = UNSET
    remove_labels: Names | Unset = UNSET
    subscription: Literal["", "subscribe", "unsubscribe"] | Unset = UNSET
    """The subscription of the user who edits."""


class TimeFields(Params):
    """The form of time tracking."""

    estimate: str | Unset = UNSET
    spent: str | Unset = UNSET


class Duration(Params):
    """A duration such as `3h 30m`."""

    duration: str


class MoveIssue(Params):
    to_project_id: int


class CloneIssue(MoveIssue):
    with_notes: bool | Unset = UNSET
    """The copy has the comments of the original, too."""
