"""Which events the audit log contains, and what an entry says about each."""

import re
from typing import Any, Final, NamedTuple

from mujina.kernel.events import Event
from mujina.kernel.permissions.levels import ROLES

REDACTED: Final = "[REDACTED]"
_SECRET: Final = re.compile(r"password|secret|token|import_url")

TARGETS: Final[dict[str, str]] = {
    "access_token": "PersonalAccessToken",
    "application": "Application",
    "broadcast_message": "BroadcastMessage",
    "deploy_key": "DeployKey",
    "edition": "Edition",
    "email": "Email",
    "feature": "Feature",
    "gpg_key": "GpgKey",
    "group": "Group",
    "hook": "Hook",
    "impersonation_token": "ImpersonationToken",
    "invitation": "Invitation",
    "job_token_scope": "Project",
    "key": "Key",
    "ldap_group_link": "LdapGroupLink",
    "member": "User",
    "node": "GeoNode",
    "namespace": "Namespace",
    "pages_domain": "PagesDomain",
    "project": "Project",
    "protected_branch": "ProtectedBranch",
    "push_rule": "PushRule",
    "registration_token": "RegistrationToken",
    "runner": "Runner",
    "service": "Service",
    "settings": "ApplicationSettings",
    "trigger": "PipelineTrigger",
    "user": "User",
    "variable": "CiVariable",
}
"""The noun of an event → `target_type`."""

ADDED: Final = frozenset({
    "access_token.created", "application.created", "broadcast_message.created", "deploy_key.enabled", "email.added",
    "gpg_key.added", "group.created", "group.shared", "hook.created", "impersonation_token.created",
    "invitation.created", "key.added", "ldap_group_link.created", "member.added", "node.created",
    "pages_domain.created", "project.created", "project.moved_in", "project.shared",
    "protected_branch.created", "push_rule.created", "runner.assigned", "runner.created", "service.created",
    "trigger.created", "user.created", "variable.created",
})  # fmt: skip
REMOVED: Final = frozenset({
    "access_token.revoked", "application.deleted", "broadcast_message.deleted", "deploy_key.disabled", "email.removed",
    "gpg_key.removed", "gpg_key.revoked", "group.deleted", "group.unshared", "hook.deleted",
    "impersonation_token.revoked", "invitation.withdrawn", "key.removed", "ldap_group_link.deleted", "member.expired",
    "member.removed", "pages_domain.deleted", "project.deleted", "project.unshared", "protected_branch.deleted",
    "push_rule.deleted", "runner.deleted", "runner.unassigned", "service.deleted", "trigger.deleted", "user.deleted",
    "variable.deleted",
})  # fmt: skip
CHANGED: Final = frozenset({
    "application.updated", "broadcast_message.updated", "deploy_key.updated", "edition.changed", "feature.set",
    "group.annotated", "group.transferred", "group.updated", "hook.updated", "invitation.updated",
    "job_token_scope.updated", "member.updated", "namespace.updated", "node.updated", "pages_domain.updated",
    "project.annotated", "project.approvers_changed", "project.transferred", "project.updated",
    "protected_branch.updated", "push_rule.updated", "runner.updated", "service.updated", "settings.updated",
    "trigger.updated", "user.annotated", "user.confirmed", "user.updated", "variable.updated",
})  # fmt: skip
"""An entry for each field that differs."""
DONE: Final = frozenset({
    "application.withdrawn", "invitation.declined", "invitation.resent", "node.joined", "node.promoted",
    "project.archived", "project.unarchived", "registration_token.reset", "runner.token_reset", "user.approved",
    "user.blocked", "user.feed_token_reset", "user.password_changed", "user.two_factor_disabled",
    "user.two_factor_enabled", "user.unblocked", "user.unlocked",
})  # fmt: skip
AUDITED: Final = ADDED | REMOVED | CHANGED | DONE

_OF_USERS: Final = frozenset({"access_token", "email", "gpg_key", "impersonation_token", "key"})
"""Subjects that belong to the user whom the event names as `user_id`."""
_PATHS: Final = ("path_with_namespace", "full_path", "username")
_NAMES: Final = ("name", "title", "cn", "email", "fingerprint", "message", "filter")
"""Fields of an event that name its subject, the first that it has."""
_WITH_PATHS: Final = frozenset({"group", "namespace", "project", "user"})
"""Subjects that are named by their path; the event of a removal may have only the name."""
_PROFILE: Final = frozenset(
    {"bio", "location", "organization", "skype", "linkedin", "twitter", "website_url", "avatar", "public_email"}
)
"""Profile fields give no access, so no entry is written for them."""
_OF_ADMINISTRATORS: Final = frozenset({"shared_runners_minutes_limit", "repository_storage"})
"""Fields that owners do not see: their entries belong to the instance."""
_ANNOTATED: Final = frozenset({"group.annotated", "project.annotated", "user.annotated"})
"""Changes of custom attributes, whose keys administrators choose; only they see them."""
_SHARES: Final = frozenset({"group.shared", "group.unshared", "project.shared", "project.unshared"})
_LEVEL_FIELDS: Final = ("access_level", "group_access")

INSTANCE: Final = ("Instance", 1)


class AuditEntry(NamedTuple):
    """One row of the log; fields that are None are read from the database."""

    entity_type: str
    entity_id: int
    entity_path: str | None
    target_type: str
    target_id: int
    target_details: str | None
    action: dict[str, Any]
    """Describes the change: `add`, `remove`, `change` with `from` and `to`, or `custom_message`."""


def entries(event: Event) -> list[AuditEntry]:
    """The entries of the event; none if it changed nothing that matters here."""
    entity = _entity(event)
    if entity is None:
        return []
    if event.kind in _ANNOTATED:
        return [
            AuditEntry(
                *INSTANCE, None, target_type=TARGETS[event.subject_kind], target_id=event.subject_id,
                target_details=None,
                action={"change": f"custom_attributes[{key}]", "from": _shown(key, old), "to": _shown(key, new)},
            )
            for key, (old, new) in event.changes.items()
            if old != new
        ]  # fmt: skip
    path = next((old for name in _PATHS if (old := _pair(event, name)[0]) is not None), None)
    target_type, target_id = TARGETS[event.subject_kind], event.subject_id
    name = _name(event)
    if event.kind in _SHARES:
        invited = _pair(event, "with_group_id") if event.subject_kind == "group" else (event.group_id, None)
        target_type, target_id, name = "Group", invited[0] or invited[1] or 0, None
    return [
        AuditEntry(
            *(INSTANCE if action.get("change") in _OF_ADMINISTRATORS else entity),
            path, target_type=target_type, target_id=target_id, target_details=name, action=action,
        )
        for action in _actions(event)
    ]  # fmt: skip


def _entity(event: Event) -> tuple[str, int] | None:
    """Returns the entity that changed. A deploy key belongs to no user: its entry is that of the project."""
    match event.subject_kind:
        case noun if noun in _OF_USERS:
            old, new = _pair(event, "user_id")
            user_id: int | None = old if new is None else new
            return None if user_id is None else ("User", user_id)
        case "user":
            return "User", event.subject_id
        case "application":
            return INSTANCE if event.actor_id is None else ("User", event.actor_id)
        case "namespace":
            return "Namespace", event.subject_id
        case _:
            if event.project_id is not None:
                return "Project", event.project_id
            return INSTANCE if event.group_id is None else ("Group", event.group_id)


def _actions(event: Event) -> list[dict[str, Any]]:
    noun = "user_access" if event.subject_kind == "member" else event.subject_kind
    if event.kind in _SHARES:
        noun = "group_access"
    if event.kind in CHANGED:
        return [
            {"change": field, "from": _shown(field, old), "to": _shown(field, new)}
            for field in event.changes
            if (old := _pair(event, field)[0]) != (new := _pair(event, field)[1])
            and not (event.subject_kind == "user" and field in _PROFILE)
        ]
    if event.kind in DONE:
        return [{"custom_message": event.kind.replace(".", " ").replace("_", " ")}]
    verb, side = ("add", 1) if event.kind in ADDED else ("remove", 0)
    action: dict[str, Any] = {verb: noun}
    if level := next((_pair(event, field)[side] for field in _LEVEL_FIELDS if field in event.changes), None):
        action["as"] = ROLES.get(level, str(level))
    if event.kind in ADDED and (settings := _settings(event)):
        action["with"] = settings
    return [action]


def _settings(event: Event) -> dict[str, Any]:
    """The attributes of an added thing besides its name."""
    values = {field: _pair(event, field)[1] for field in event.changes if field not in (*_NAMES, *_LEVEL_FIELDS)}
    return {
        field: _shown(field, value)
        for field, value in values.items()
        if value is not None and field not in ("user_id", "with_group_id")
    }


def _name(event: Event) -> str | None:
    if event.subject_kind in ("member", "hook", "settings", "push_rule"):
        return None
    fields = _NAMES
    if event.subject_kind in _WITH_PATHS:
        fields = (*_PATHS, "name") if event.kind.endswith(".deleted") else _PATHS
    pairs = (_pair(event, field) for field in fields)
    return next((str(old if new is None else new) for old, new in pairs if (old, new) != (None, None)), None)


def _pair(event: Event, field: str) -> tuple[Any, Any]:
    """The old and the new value of a field; an event may also carry facts that are no change."""
    match event.changes.get(field):
        case (old, new):
            return old, new
        case _:
            return None, None


def _shown(field: str, value: Any) -> Any:
    if isinstance(value, int) and field in _LEVEL_FIELDS:
        return ROLES.get(value, value)
    is_secret = value is not None and not isinstance(value, bool) and _SECRET.search(field)
    return REDACTED if is_secret else value
