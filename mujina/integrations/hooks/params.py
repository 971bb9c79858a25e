"""Parameters of requests about hooks."""

from typing import Any

from mujina.kernel.http.params import UNSET, Params, Unset

ALIASES = {"wiki_events": "wiki_page_events", "build_events": "job_events"}
"""Other names of flags on write."""
TRIGGERS = (
    ("push_events", "Push events", "A branch is pushed to."),
    ("tag_push_events", "Tag push events", "A tag is created or deleted."),
    ("issues_events", "Issues events", "An issue is created, edited, closed or reopened."),
    ("confidential_issues_events", "Confidential issues events", "The same happens to a confidential issue."),
    ("note_events", "Comments", "Someone comments."),
    ("confidential_note_events", "Confidential comments", "Someone comments on a confidential issue."),
    ("merge_requests_events", "Merge request events", "A merge request is created, edited or merged."),
    ("job_events", "Job events", "The status of a job changes."),
    ("pipeline_events", "Pipeline events", "The status of a pipeline changes."),
    ("wiki_page_events", "Wiki page events", "A wiki page is created, edited or deleted."),
    ("releases_events", "Releases events", "A release is created, edited or deleted."),
)
"""The flags of a hook with their labels."""


class HookChange(Params):
    """A flag left out is left alone, and so is the token unless the URL leads to another server; an empty one removes it."""

    url: str
    push_events: bool | Unset = UNSET
    tag_push_events: bool | Unset = UNSET
    merge_requests_events: bool | Unset = UNSET
    repository_update_events: bool | Unset = UNSET
    enable_ssl_verification: bool | Unset = UNSET
    token: str | Unset | None = UNSET

    def columns(self) -> dict[str, Any]:
        """The columns that the request sets, without the secrets."""
        given = {ALIASES.get(name, name): value for name, value in self.sent_fields().items()}
        return {name: value for name, value in given.items() if name not in ("url", "token")}

    def texts(self) -> dict[str, str]:
        """The texts that the request sets, without the secrets."""
        return {name: value for name, value in self.columns().items() if isinstance(value, str)}


class ProjectHookChange(HookChange):
    """The flags of a hook of a project or a group."""

    issues_events: bool | Unset = UNSET
    confidential_issues_events: bool | Unset = UNSET
    note_events: bool | Unset = UNSET
    confidential_note_events: bool | Unset = UNSET
    build_events: bool | Unset = UNSET
    job_events: bool | Unset = UNSET
    pipeline_events: bool | Unset = UNSET
    # Compat: requests call the flag `wiki_events`, responses `wiki_page_events`; requests may use both names.
    wiki_events: bool | Unset = UNSET
    wiki_page_events: bool | Unset = UNSET
    releases_events: bool | Unset = UNSET
    deployment_events: bool | Unset = UNSET
    name: str | Unset = UNSET
    description: str | Unset = UNSET
    push_events_branch_filter: str | Unset = UNSET
    """Only pushes to branches with this name; `*` stands for any text."""
    custom_webhook_template: str | Unset = UNSET


class SaveHook(ProjectHookChange):
    """The form of a hook. An empty token keeps the stored one, which no page shows."""

    remove_token: bool | Unset = UNSET

    def change(self) -> ProjectHookChange:
        """The change as the API takes it."""
        given = self.sent_fields()
        removed = given.pop("remove_token", False)
        if removed:
            given["token"] = ""
        elif not given.get("token"):
            given.pop("token", None)
        return ProjectHookChange(**given)


class HookTest(Params):
    trigger: str
