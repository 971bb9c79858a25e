"""Every kind of thing that texts name, described by the slice that owns its rows."""

from typing import Final

from mujina.accounts.users.reference_kind import USER_REFERENCES
from mujina.code.commits.reference_kind import COMMIT_REFERENCES
from mujina.code.snippets.reference_kind import SNIPPET_REFERENCES
from mujina.planning.epics.reference_kind import EPIC_REFERENCES
from mujina.planning.issues.reference_kind import ISSUE_REFERENCES
from mujina.planning.labels.reference_kind import LABEL_REFERENCES
from mujina.planning.milestones.reference_kind import MILESTONE_REFERENCES
from mujina.rendering.references import ReferenceKind
from mujina.review.merge_requests.reference_kind import MERGE_REQUEST_REFERENCES
from mujina.workspaces.groups.reference_kind import GROUP_REFERENCES

REFERENCE_KINDS: Final[tuple[ReferenceKind, ...]] = (
    ISSUE_REFERENCES,
    MERGE_REQUEST_REFERENCES,
    EPIC_REFERENCES,
    USER_REFERENCES,
    GROUP_REFERENCES,
    LABEL_REFERENCES,
    MILESTONE_REFERENCES,
    SNIPPET_REFERENCES,
    COMMIT_REFERENCES,
)
