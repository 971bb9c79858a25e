"""Which events are contributions, their names in feeds, and the parts of projects to which they belong."""

import msgspec


class ContributionKind(msgspec.Struct, frozen=True):
    action: str
    """The value of the filter."""
    action_name: str
    """The name in the feed."""
    target_type: str | None = None


KINDS = {
    "issue.created": ContributionKind("created", "opened", "Issue"),
    "issue.closed": ContributionKind("closed", "closed", "Issue"),
    # Compat: the feed shows reopening as opening.
    "issue.reopened": ContributionKind("reopened", "opened", "Issue"),
    "merge_request.created": ContributionKind("created", "opened", "MergeRequest"),
    "merge_request.closed": ContributionKind("closed", "closed", "MergeRequest"),
    "merge_request.merged": ContributionKind("merged", "accepted", "MergeRequest"),
    # Compat: the feed shows reopening as opening.
    "merge_request.reopened": ContributionKind("reopened", "opened", "MergeRequest"),
    "note.created": ContributionKind("commented", "commented on", "Note"),
    "milestone.created": ContributionKind("created", "opened", "Milestone"),
    "milestone.closed": ContributionKind("closed", "closed", "Milestone"),
    "milestone.activated": ContributionKind("reopened", "opened", "Milestone"),
    "milestone.deleted": ContributionKind("destroyed", "destroyed", "Milestone"),
    "project.created": ContributionKind("created", "created", "Project"),
    "member.added": ContributionKind("joined", "joined"),
    "member.removed": ContributionKind("left", "left"),
    "repository.pushed": ContributionKind("pushed", "pushed to"),
    "wiki_page.created": ContributionKind("created", "created", "WikiPage"),
    "wiki_page.updated": ContributionKind("updated", "updated", "WikiPage"),
    "wiki_page.deleted": ContributionKind("destroyed", "destroyed", "WikiPage"),
}


def chosen(action: str | None, target_type: str | None) -> list[str]:
    """The kinds that a filter keeps."""
    type_name = None if target_type is None else target_type.replace("_", " ").title().replace(" ", "")
    type_name = "WikiPage" if type_name == "Wiki" else type_name
    return [
        kind
        for kind, contribution in KINDS.items()
        if action in (None, contribution.action) and type_name in (None, contribution.target_type)
    ]
