"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.accounts.credentials.rules import DEPLOY_ACTORS
from mujina.accounts.users.removing.operations import CONTRIBUTIONS, USER_ROWS, USER_TRACES, USER_WORKSPACES
from mujina.instance.editions.rules import not_found_without
from mujina.kernel.db.clock_recovery import WAITED_FOR
from mujina.kernel.events import REACTIONS, EnqueueJob, Reactions, When
from mujina.kernel.http.dispatcher import OPTIONAL_ROUTES
from mujina.kernel.http.requests.newer_fields import NEWER_FIELDS
from mujina.kernel.product import Chapter
from mujina.rendering.references import REFERENCE_KINDS
from mujina.workspaces.deploy_tokens.rules import find_deploy_actor
from mujina.workspaces.groups.entities import Group, GroupDetail
from mujina.workspaces.groups.operations import GOES_ALONE, GROUP_ROWS
from mujina.workspaces.groups.reference_kind import GROUP_REFERENCES
from mujina.workspaces.groups.removing.contributions import remove_workspaces
from mujina.workspaces.invitations.operations import (
    delete_group_invitations,
    delete_project_invitations,
    delete_user_invitations,
)
from mujina.workspaces.ldap_groups.entities import OverriddenMember
from mujina.workspaces.members.entities import Member
from mujina.workspaces.members.views.newer_fields import add_member_fields
from mujina.workspaces.namespaces.entities import Namespace
from mujina.workspaces.namespaces.newer_fields import add_group_fields, add_namespace_fields
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.figures.stars import delete_all as delete_stars
from mujina.workspaces.projects.origins.forks import lower_forks
from mujina.workspaces.projects.removing import contributions as project_contributions
from mujina.workspaces.projects.removing.with_owner import PROJECT_ROWS, erase_personal_projects
from mujina.workspaces.projects.views.newer_fields import add_project_fields

_REACTIONS: Final[Reactions] = {
    "group.deleted": [When(GOES_ALONE, EnqueueJob("groups.remove"))],
    "invitation.created": [EnqueueJob("invitations.deliver")],
    "invitation.resent": [EnqueueJob("invitations.deliver")],
    "project.deleted": [EnqueueJob("projects.remove")],
    "project.transferred": [lower_forks],
    "project.updated": [lower_forks],
}

CHAPTER: Final = Chapter(
    "mujina.workspaces",
    REACTIONS.of(_REACTIONS),
    REFERENCE_KINDS.of(GROUP_REFERENCES),
    OPTIONAL_ROUTES.of(
        ("/groups/:id/ldap_", not_found_without("ldap_groups")),
        ("/groups/:id/members/:user_id/override", not_found_without("ldap_groups")),
    ),
    NEWER_FIELDS.of(
        (Namespace, add_namespace_fields),
        (Project, add_project_fields),
        (Group, add_group_fields),
        (GroupDetail, add_group_fields),
        (Member, add_member_fields),
        (OverriddenMember, add_member_fields),
    ),
    DEPLOY_ACTORS.of(find_deploy_actor),
    WAITED_FOR.of(("invitations", "sent_at")),
    USER_WORKSPACES.of(delete_user_invitations, remove_workspaces),
    USER_TRACES.of(delete_stars),
    USER_ROWS.of(delete_stars, erase_personal_projects),
    CONTRIBUTIONS.of(project_contributions),
    GROUP_ROWS.of(delete_group_invitations),
    PROJECT_ROWS.of(delete_project_invitations),
)
