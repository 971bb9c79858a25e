"""The conditions of `not[…]` in lists of merge requests."""

from typing import LiteralString

from mujina.instance.editions.rules import counts_as_assignee

ASSIGNED: LiteralString = "SELECT a.merge_request_id FROM merge_request_assignees a"
COUNTS: LiteralString = counts_as_assignee("merge_request_assignees", "merge_request_id", "a")
REVIEWED: LiteralString = "SELECT a.merge_request_id FROM merge_request_reviewers a"
REACTED: LiteralString = """
    SELECT award.subject_id FROM awards award WHERE award.user_id = :actor AND award.subject_kind = 'merge_request'"""

CONDITIONS: dict[str, LiteralString] = {
    "author_id": "mr.author_id = :not_author_id",
    "author_username": "mr.author_id IN (SELECT u.id FROM users u WHERE u.username_folded = :not_author_username)",
    "assignee_id": f"mr.id IN ({ASSIGNED} WHERE a.user_id = :not_assignee_id AND {COUNTS})",
    "assignee_username": f"""mr.id IN ({ASSIGNED} JOIN users u ON u.id = a.user_id
        WHERE u.username_folded IN :not_assignee_username AND {COUNTS})""",
    "reviewer_id": f"mr.id IN ({REVIEWED} WHERE a.user_id = :not_reviewer_id)",
    "reviewer_username": f"""mr.id IN ({REVIEWED} JOIN users u ON u.id = a.user_id
        WHERE u.username_folded = :not_reviewer_username)""",
    "milestone": """(mr.milestone_id IS NOT NULL AND mr.milestone_id IN (
        SELECT ms.id FROM milestones ms WHERE ms.title = :not_milestone))""",
    "labels": """mr.id IN (SELECT ml.merge_request_id FROM merge_request_labels ml JOIN labels l ON l.id = ml.label_id
        WHERE l.title IN :not_labels AND (l.project_id IS NULL OR l.project_id IN :project_ids))""",
    "my_reaction_emoji": f"mr.id IN ({REACTED} AND award.name = :not_my_reaction_emoji)",
    "source_branch": "mr.source_branch = :not_source_branch",
    "target_branch": "mr.target_branch = :not_target_branch",
}
