"""Which of the things that happen are contributions, and how the feed calls them."""

import msgspec


class Contribution(msgspec.Struct, frozen=True):
    action: str
    """How lists are filtered by it."""
    action_name: str
    """How it is shown."""
    target_type: str | None = None


KINDS = {
    "issue.created": Contribution("created", "opened", "Issue"),
    "issue.closed": Contribution("closed", "closed", "Issue"),
    # Compat: the feed has no word of its own for reopening.
    "issue.reopened": Contribution("reopened", "opened", "Issue"),
    "note.created": Contribution("commented", "commented on", "Note"),
    "milestone.created": Contribution("created", "opened", "Milestone"),
    "milestone.closed": Contribution("closed", "closed", "Milestone"),
    "milestone.activated": Contribution("reopened", "opened", "Milestone"),
    "milestone.deleted": Contribution("destroyed", "destroyed", "Milestone"),
    "project.created": Contribution("created", "created", "Project"),
    "member.added": Contribution("joined", "joined"),
    "member.removed": Contribution("left", "left"),
    "repository.pushed": Contribution("pushed", "pushed to"),
    "wiki_page.created": Contribution("created", "created", "WikiPage"),
    "wiki_page.updated": Contribution("updated", "updated", "WikiPage"),
    "wiki_page.deleted": Contribution("destroyed", "destroyed", "WikiPage"),
}


def chosen(action: str | None, target_type: str | None) -> list[str]:
    """The kinds that a filter keeps."""
    wanted = None if target_type is None else target_type.replace("_", " ").title().replace(" ", "")
    return [kind for kind, it in KINDS.items() if action in (None, it.action) and wanted in (None, it.target_type)]
