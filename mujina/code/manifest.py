"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.keys.entities import add_key_fields
from mujina.accounts.users.removing.operations import CONTRIBUTIONS, USER_TRACES
from mujina.code.commits.reference_kind import COMMIT_REFERENCES
from mujina.code.deploy_keys.entities import DeployKey, IdentifiedKey
from mujina.code.deploy_keys.operations import release as release_deploy_keys
from mujina.code.files.newer_fields import add_readme_url
from mujina.code.lfs.locks import delete_user_locks
from mujina.code.lfs.operations import sweep_after_project
from mujina.code.protected_branches.grants import delete_user_grants
from mujina.code.protected_tags.operations import delete_user_grants as delete_tag_grants
from mujina.code.push_rules.operations import copy_default
from mujina.code.pushes.records import keep_default_branch
from mujina.code.remote_mirrors.operations import HAS_MIRROR, push_after_change
from mujina.code.repositories.operations import follow_default_branch, initialize_later
from mujina.code.snippets import contributions as snippet_contributions
from mujina.code.snippets.reference_kind import SNIPPET_REFERENCES
from mujina.code.tags import contributions as release_contributions
from mujina.code.tags.releases import follow_tag
from mujina.instance.editions.rules import not_found_without
from mujina.kernel.db.clock_recovery import WAITED_FOR
from mujina.kernel.deferred_imports import function
from mujina.kernel.events import REACTIONS, EnqueueJob, Reactions, When
from mujina.kernel.http.dispatcher import OPTIONAL_ROUTES
from mujina.kernel.http.requests.newer_fields import NEWER_FIELDS
from mujina.kernel.product import Chapter
from mujina.rendering.references import REFERENCE_KINDS
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.origins.first_files import FIRST_FILES
from mujina.workspaces.projects.removing.with_owner import HIDDEN_PROJECTS, PROJECT_ROWS

_REACTIONS: Final[Reactions] = {
    "project.created": [copy_default, follow_default_branch, initialize_later],
    "project.moved_in": [copy_default],
    "project.forked": [copy_default, EnqueueJob("projects.copy")],
    "project.import_requested": [EnqueueJob("projects.import")],
    "project.updated": [keep_default_branch, follow_default_branch],
    "repository.housekeeping_wanted": [EnqueueJob("repositories.housekeeping")],
    "repository.noted": [EnqueueJob("repositories.measure")],
    "repository.pushed": [
        EnqueueJob("repositories.measure"),
        follow_tag,
        When(HAS_MIRROR, push_after_change),
    ],
    "wiki.pushed": [EnqueueJob("repositories.pack_when_quiet")],
}

CHAPTER: Final = Chapter(
    "mujina.code",
    REACTIONS.of(_REACTIONS),
    REFERENCE_KINDS.of(SNIPPET_REFERENCES, COMMIT_REFERENCES),
    OPTIONAL_ROUTES.of(("/projects/:id/push_rule", not_found_without("push_rules"))),
    NEWER_FIELDS.of((Project, add_readme_url), (DeployKey, add_key_fields), (IdentifiedKey, add_key_fields)),
    FIRST_FILES.of(function("mujina.code.new_projects.operations", "initialize")),
    WAITED_FOR.of(("housekeeping", "started_at")),
    USER_TRACES.of(delete_user_locks, delete_user_grants, delete_tag_grants),
    CONTRIBUTIONS.of(snippet_contributions, release_contributions),
    HIDDEN_PROJECTS.of(release_deploy_keys),
    PROJECT_ROWS.of(sweep_after_project),
)
