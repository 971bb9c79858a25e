"""The first schema."""

import sqlalchemy as sa
from alembic import op

from mujina.kernel.db.schema import BooleanType, IntegerType, TextType

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "application_settings",
        sa.Column("name", TextType, nullable=False),
        sa.Column("value", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_application_settings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "audit_events",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("author_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("entity_type", TextType, nullable=False),
        sa.Column("entity_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("entity_path", TextType, nullable=False),
        sa.Column("target_details", TextType, nullable=False),
        sa.Column("details", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_events")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("audit_events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_events_created_at_id"), ["created_at", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_audit_events_entity_type_entity_id_id"), ["entity_type", "entity_id", "id"], unique=False
        )

    op.create_table(
        "background_processes",
        sa.Column("name", TextType, nullable=False),
        sa.Column("hostname", TextType, nullable=False),
        sa.Column("pid", IntegerType, autoincrement=False, nullable=False),
        sa.Column("queues", TextType, nullable=False),
        sa.Column("concurrency", IntegerType, autoincrement=False, nullable=False),
        sa.Column("busy", IntegerType, autoincrement=False, nullable=False),
        sa.Column("processed", IntegerType, autoincrement=False, nullable=False),
        sa.Column("failed", IntegerType, autoincrement=False, nullable=False),
        sa.Column("started_at", TextType, nullable=False),
        sa.Column("seen_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_background_processes")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "broadcast_messages",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("message", TextType, nullable=False),
        sa.Column("starts_at", TextType, nullable=False),
        sa.Column("ends_at", TextType, nullable=False),
        sa.Column("color", TextType, nullable=False),
        sa.Column("font", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_broadcast_messages")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("broadcast_messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_broadcast_messages_ends_at"), ["ends_at"], unique=False)

    op.create_table(
        "custom_attributes",
        sa.Column("subject_kind", TextType, nullable=False),
        sa.Column("subject_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("key", TextType, nullable=False),
        sa.Column("value", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("subject_kind", "subject_id", "key", name=op.f("pk_custom_attributes")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("custom_attributes", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_custom_attributes_subject_kind_key_value_subject_id"),
            ["subject_kind", "key", "value", "subject_id"],
            unique=False,
        )

    op.create_table(
        "events",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("actor_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("author_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("project_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("group_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("subject_kind", TextType, nullable=False),
        sa.Column("subject_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("changes", TextType, server_default="{}", nullable=False),
        sa.Column("confidential", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(
            "ix_events_of_author",
            ["author_id", "created_at", "id", "kind", "subject_kind", "subject_id", "project_id"],
            unique=False,
        )
        batch_op.create_index(
            "ix_events_of_project",
            ["project_id", "created_at", "id", "kind", "subject_kind", "subject_id", "author_id"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_events_subject_kind_subject_id_id"), ["subject_kind", "subject_id", "id"], unique=False
        )

    op.create_table(
        "failed_logins",
        sa.Column("claimed", TextType, nullable=False),
        sa.Column("failures", IntegerType, autoincrement=False, nullable=False),
        sa.Column("failed_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("claimed", name=op.f("pk_failed_logins")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("failed_logins", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_failed_logins_failed_at"), ["failed_at"], unique=False)

    op.create_table(
        "feature_gates",
        sa.Column("name", TextType, nullable=False),
        sa.Column("gate", TextType, nullable=False),
        sa.Column("value", TextType, nullable=False),
        sa.PrimaryKeyConstraint("name", "gate", "value", name=op.f("pk_feature_gates")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "forwarded_writes",
        sa.Column("caller", TextType, nullable=False),
        sa.Column("position", TextType, nullable=False),
        sa.Column("expires_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("caller", name=op.f("pk_forwarded_writes")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("forwarded_writes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_forwarded_writes_expires_at"), ["expires_at"], unique=False)

    op.create_table(
        "hook_builders",
        sa.Column("id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("leased_by", TextType, nullable=False),
        sa.Column("leased_until", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hook_builders")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "hook_events",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("event_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("snapshot", TextType, nullable=False),
        sa.Column("visited", TextType, server_default="", nullable=False),
        sa.Column("attempts", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hook_events")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "hook_payloads",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("key", TextType, nullable=False),
        sa.Column("event", TextType, nullable=False),
        sa.Column("trigger", TextType, nullable=False),
        sa.Column("flag", TextType, nullable=True),
        sa.Column("project_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("body", TextType, nullable=False),
        sa.Column("visited", TextType, server_default="", nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hook_payloads")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("hook_payloads", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_hook_payloads_created_at"), ["created_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_hook_payloads_key"), ["key"], unique=False)

    op.create_table(
        "instance_facts",
        sa.Column("name", TextType, nullable=False),
        sa.Column("value", TextType, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_instance_facts")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "jobs",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("task", TextType, nullable=False),
        sa.Column("key", TextType, nullable=False),
        sa.Column("owner_id", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("enqueued", IntegerType, autoincrement=False, nullable=False),
        sa.Column("ready_at", TextType, nullable=False),
        sa.Column("again_at", TextType, nullable=True),
        sa.Column("leased_by", TextType, nullable=True),
        sa.Column("attempts", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("last_error", TextType, nullable=True),
        sa.Column("parked_at", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_jobs_ready_at"),
            ["ready_at"],
            unique=False,
            sqlite_where=sa.text("parked_at IS NULL"),
            postgresql_where=sa.text("parked_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_jobs_task_key"), ["task", "key"], unique=True)

    op.create_table(
        "ldap_runs",
        sa.Column("provider", TextType, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("started_at", TextType, nullable=False),
        sa.Column("ended_at", TextType, nullable=False),
        sa.Column("outcome", TextType, nullable=False),
        sa.Column("summary", TextType, nullable=False),
        sa.PrimaryKeyConstraint("provider", "kind", name=op.f("pk_ldap_runs")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "lfs_objects",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("oid", TextType, nullable=False),
        sa.Column("size", IntegerType, autoincrement=False, nullable=False),
        sa.Column("file", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lfs_objects")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("lfs_objects", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_lfs_objects_oid"), ["oid"], unique=True)

    op.create_table(
        "notification_fanouts",
        sa.Column("event_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("last_user_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_notification_fanouts")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("notification_fanouts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_notification_fanouts_created_at"), ["created_at"], unique=False)

    op.create_table(
        "queue_samples",
        sa.Column("measured_at", TextType, nullable=False),
        sa.Column("waiting", IntegerType, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("measured_at", name=op.f("pk_queue_samples")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "replicated_files",
        sa.Column("key", TextType, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("object_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("succeeded", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("retry_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("due_at", TextType, nullable=False),
        sa.Column("failure", TextType, nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_replicated_files")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("replicated_files", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_replicated_files_due_at"),
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("NOT succeeded"),
            postgresql_where=sa.text("NOT succeeded"),
        )
        batch_op.create_index(batch_op.f("ix_replicated_files_kind_object_id"), ["kind", "object_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_replicated_files_kind_succeeded"), ["kind", "succeeded"], unique=False)

    op.create_table(
        "replicated_repositories",
        sa.Column("project_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("dirty", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("changes", IntegerType, server_default=sa.text("1"), autoincrement=False, nullable=False),
        sa.Column("fresh", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("loss_confirmed", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("started_at", TextType, nullable=True),
        sa.Column("succeeded_at", TextType, nullable=True),
        sa.Column("verified_at", TextType, nullable=True),
        sa.Column("retry_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("due_at", TextType, nullable=False),
        sa.Column("failure", TextType, nullable=True),
        sa.PrimaryKeyConstraint("project_id", "kind", name=op.f("pk_replicated_repositories")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("replicated_repositories", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_replicated_repositories_due_at"),
            ["due_at"],
            unique=False,
            sqlite_where=sa.text("dirty"),
            postgresql_where=sa.text("dirty"),
        )
        batch_op.create_index(batch_op.f("ix_replicated_repositories_verified_at"), ["verified_at"], unique=False)

    op.create_table(
        "replication_cursor",
        sa.Column("id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("event_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("event_at", TextType, nullable=True),
        sa.Column("contact_at", TextType, nullable=False),
        sa.Column("followed_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replication_cursor")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "replication_gaps",
        sa.Column("event_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("seen_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_replication_gaps")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "replication_log",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("object_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replication_log")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "replication_pruned",
        sa.Column("id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("event_id", IntegerType, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replication_pruned")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "schedules",
        sa.Column("task", TextType, nullable=False),
        sa.Column("key", TextType, nullable=False),
        sa.Column("seconds", IntegerType, autoincrement=False, nullable=False),
        sa.Column("next_at", TextType, nullable=False),
        sa.PrimaryKeyConstraint("task", "key", name=op.f("pk_schedules")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("schedules", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_schedules_next_at"), ["next_at"], unique=False)

    op.create_table(
        "users",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("kind", TextType, server_default="person", nullable=False),
        sa.Column("username", TextType, nullable=False),
        sa.Column("username_folded", TextType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("name_folded", TextType, nullable=False),
        sa.Column("email", TextType, nullable=False),
        sa.Column("email_folded", TextType, nullable=False),
        sa.Column("unconfirmed_email", TextType, nullable=True),
        sa.Column("state", TextType, server_default="active", nullable=False),
        sa.Column("admin", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("external", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("can_create_group", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("projects_limit", IntegerType, server_default=sa.text("100000"), autoincrement=False, nullable=False),
        sa.Column("password_hash", TextType, nullable=True),
        sa.Column("password_expires_at", TextType, nullable=True),
        sa.Column("bio", TextType, nullable=True),
        sa.Column("location", TextType, nullable=True),
        sa.Column("organization", TextType, nullable=True),
        sa.Column("skype", TextType, server_default="", nullable=False),
        sa.Column("linkedin", TextType, server_default="", nullable=False),
        sa.Column("twitter", TextType, server_default="", nullable=False),
        sa.Column("website_url", TextType, server_default="", nullable=False),
        sa.Column("avatar", TextType, nullable=True),
        sa.Column("avatar_key", TextType, nullable=True),
        sa.Column("theme_id", IntegerType, server_default=sa.text("1"), autoincrement=False, nullable=False),
        sa.Column("color_scheme_id", IntegerType, server_default=sa.text("1"), autoincrement=False, nullable=False),
        sa.Column("keyboard_shortcuts", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("start_page", TextType, server_default="projects", nullable=False),
        sa.Column("private_contributions", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("note", TextType, nullable=True),
        sa.Column("project_view", TextType, server_default="files", nullable=False),
        sa.Column("feed_token_version", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("shared_runners_minutes_limit", IntegerType, autoincrement=False, nullable=True),
        sa.Column("two_factor_enabled", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("two_factor_due_at", TextType, nullable=True),
        sa.Column("confirmed_at", TextType, nullable=True),
        sa.Column("current_sign_in_at", TextType, nullable=True),
        sa.Column("last_sign_in_at", TextType, nullable=True),
        sa.Column("last_activity_on", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.Column("deleted_at", TextType, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("users", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_users_deleted_at"),
            ["deleted_at"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_users_email_folded"),
            ["email_folded"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_users_kind"),
            ["kind"],
            unique=True,
            sqlite_where=sa.text("kind = 'ghost'"),
            postgresql_where=sa.text("kind = 'ghost'"),
        )
        batch_op.create_index(batch_op.f("ix_users_last_activity_on"), ["last_activity_on"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_users_username_folded"),
            ["username_folded"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "access_requests",
        sa.Column("source_kind", TextType, nullable=False),
        sa.Column("source_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("requested_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_access_requests_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source_kind", "source_id", "user_id", name=op.f("pk_access_requests")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("access_requests", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_access_requests_user_id"), ["user_id"], unique=False)

    op.create_table(
        "access_tokens",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("digest", TextType, nullable=False),
        sa.Column("scopes", TextType, nullable=False),
        sa.Column("impersonation", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("sealed", TextType, nullable=True),
        sa.Column("expires_on", TextType, nullable=False),
        sa.Column("revoked", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_access_tokens_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_tokens")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("access_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_access_tokens_digest"), ["digest"], unique=True)
        batch_op.create_index(
            batch_op.f("ix_access_tokens_user_id_impersonation"), ["user_id", "impersonation"], unique=False
        )

    op.create_table(
        "awards",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("subject_kind", TextType, nullable=False),
        sa.Column("subject_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_awards_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_awards")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("awards", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_awards_subject_kind_subject_id_name_user_id"),
            ["subject_kind", "subject_id", "name", "user_id"],
            unique=True,
        )
        batch_op.create_index(
            batch_op.f("ix_awards_subject_kind_subject_id_user_id"),
            ["subject_kind", "subject_id", "user_id"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_awards_user_id_subject_kind_name_subject_id"),
            ["user_id", "subject_kind", "name", "subject_id"],
            unique=False,
        )

    op.create_table(
        "emails",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("email", TextType, nullable=False),
        sa.Column("email_folded", TextType, nullable=False),
        sa.Column("is_primary", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("is_public", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("confirmed_at", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_emails_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_emails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("emails", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_emails_email_folded"), ["email_folded"], unique=True)
        batch_op.create_index(
            "ix_emails_primary",
            ["user_id"],
            unique=True,
            sqlite_where=sa.text("is_primary"),
            postgresql_where=sa.text("is_primary"),
        )
        batch_op.create_index(
            "ix_emails_public",
            ["user_id"],
            unique=True,
            sqlite_where=sa.text("is_public"),
            postgresql_where=sa.text("is_public"),
        )
        batch_op.create_index(batch_op.f("ix_emails_user_id"), ["user_id"], unique=False)

    op.create_table(
        "gpg_keys",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("key", TextType, nullable=False),
        sa.Column("fingerprint", TextType, nullable=False),
        sa.Column("primary_keyid", TextType, nullable=False),
        sa.Column("addresses", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_gpg_keys_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gpg_keys")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("gpg_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_gpg_keys_fingerprint"), ["fingerprint"], unique=True)
        batch_op.create_index(batch_op.f("ix_gpg_keys_primary_keyid"), ["primary_keyid"], unique=True)
        batch_op.create_index(batch_op.f("ix_gpg_keys_user_id"), ["user_id"], unique=False)

    op.create_table(
        "identities",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("provider", TextType, nullable=False),
        sa.Column("extern_uid", TextType, nullable=False),
        sa.Column("extern_uid_folded", TextType, nullable=False),
        sa.Column("checked_at", TextType, nullable=True),
        sa.Column("blocked_at", TextType, nullable=True),
        sa.Column("entry_uuid", TextType, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_identities_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identities")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("identities", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_identities_provider_entry_uuid"), ["provider", "entry_uuid"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_identities_provider_extern_uid_folded"), ["provider", "extern_uid_folded"], unique=True
        )
        batch_op.create_index(batch_op.f("ix_identities_user_id_provider"), ["user_id", "provider"], unique=True)

    op.create_table(
        "invitations",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("source_kind", TextType, nullable=False),
        sa.Column("source_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("email", TextType, nullable=False),
        sa.Column("email_folded", TextType, nullable=False),
        sa.Column("level", IntegerType, autoincrement=False, nullable=False),
        sa.Column("expires_on", TextType, nullable=False),
        sa.Column("inviter_id", IntegerType, nullable=False),
        sa.Column("digest", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("sent_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["inviter_id"], ["users.id"], name=op.f("fk_invitations_inviter_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("invitations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invitations_digest"), ["digest"], unique=True)
        batch_op.create_index(batch_op.f("ix_invitations_email_folded"), ["email_folded"], unique=False)
        batch_op.create_index(batch_op.f("ix_invitations_inviter_id"), ["inviter_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_invitations_sent_at"), ["sent_at"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_invitations_source_kind_source_id_email_folded"),
            ["source_kind", "source_id", "email_folded"],
            unique=True,
        )

    op.create_table(
        "mail_links",
        sa.Column("digest", TextType, nullable=False),
        sa.Column("purpose", TextType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("address", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("expires_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_mail_links_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_mail_links")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("mail_links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_mail_links_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_mail_links_user_id_purpose"), ["user_id", "purpose"], unique=False)

    op.create_table(
        "mails",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("address", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_mails_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("mails", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_mails_user_id"), ["user_id"], unique=False)

    op.create_table(
        "members",
        sa.Column("source_kind", TextType, nullable=False),
        sa.Column("source_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("level", IntegerType, autoincrement=False, nullable=False),
        sa.Column("expires_on", TextType, nullable=False),
        sa.Column("created_by_id", IntegerType, nullable=True),
        sa.Column("notification_level", IntegerType, server_default=sa.text("3"), autoincrement=False, nullable=False),
        sa.Column("from_directory", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("override", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["users.id"], name=op.f("fk_members_created_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_members_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source_kind", "source_id", "user_id", name=op.f("pk_members")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_members_user_id_source_kind_source_id_level_expires_on"),
            ["user_id", "source_kind", "source_id", "level", "expires_on"],
            unique=False,
        )

    op.create_table(
        "mentions",
        sa.Column("source_kind", TextType, nullable=False),
        sa.Column("source_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("subject_kind", TextType, nullable=False),
        sa.Column("subject_id", IntegerType, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_mentions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("source_kind", "source_id", "user_id", name=op.f("pk_mentions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("mentions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_mentions_subject_kind_subject_id_user_id"),
            ["subject_kind", "subject_id", "user_id"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_mentions_user_id"), ["user_id"], unique=False)

    op.create_table(
        "namespaces",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("name_folded", TextType, nullable=False),
        sa.Column("path", TextType, nullable=False),
        sa.Column("path_folded", TextType, nullable=False),
        sa.Column("full_name", TextType, nullable=False),
        sa.Column("parent_id", IntegerType, nullable=True),
        sa.Column("owner_id", IntegerType, nullable=True),
        sa.Column("plan", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.Column("deleted_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["users.id"], name=op.f("fk_namespaces_owner_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["namespaces.id"], name=op.f("fk_namespaces_parent_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_namespaces")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("namespaces", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_namespaces_name"),
            ["name"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL AND parent_id IS NULL AND kind = 'group'"),
            postgresql_where=sa.text("deleted_at IS NULL AND parent_id IS NULL AND kind = 'group'"),
        )
        batch_op.create_index(
            batch_op.f("ix_namespaces_name_folded_id"),
            ["name_folded", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL AND kind = 'group'"),
            postgresql_where=sa.text("deleted_at IS NULL AND kind = 'group'"),
        )
        batch_op.create_index(
            batch_op.f("ix_namespaces_owner_id"),
            ["owner_id"],
            unique=True,
            sqlite_where=sa.text("owner_id IS NOT NULL"),
            postgresql_where=sa.text("owner_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_namespaces_parent_id_name"),
            ["parent_id", "name"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL AND parent_id IS NOT NULL"),
            postgresql_where=sa.text("deleted_at IS NULL AND parent_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_namespaces_path_folded_id"),
            ["path_folded", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL AND kind = 'group'"),
            postgresql_where=sa.text("deleted_at IS NULL AND kind = 'group'"),
        )

    op.create_table(
        "notification_settings",
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("source_kind", TextType, nullable=False),
        sa.Column("source_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("level", TextType, nullable=False),
        sa.Column("email", TextType, nullable=True),
        sa.Column("events", TextType, server_default="", nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_notification_settings_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "source_kind", "source_id", name=op.f("pk_notification_settings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("notification_settings", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_notification_settings_source_kind_source_id_level_user_id"),
            ["source_kind", "source_id", "level", "user_id"],
            unique=False,
            sqlite_where=sa.text("source_kind <> 'everything'"),
            postgresql_where=sa.text("source_kind <> 'everything'"),
        )

    op.create_table(
        "notifications",
        sa.Column("event_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("reason", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_notifications_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("event_id", "user_id", name=op.f("pk_notifications")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("notifications", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_notifications_created_at"), ["created_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_notifications_user_id"), ["user_id"], unique=False)

    op.create_table(
        "oauth_applications",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("owner_id", IntegerType, nullable=True),
        sa.Column("name", TextType, nullable=False),
        sa.Column("uid", TextType, nullable=False),
        sa.Column("secret_digest", TextType, nullable=False),
        sa.Column("redirect_uris", TextType, nullable=False),
        sa.Column("scopes", TextType, nullable=False),
        sa.Column("confidential", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("trusted", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], name=op.f("fk_oauth_applications_owner_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_applications")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("oauth_applications", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_oauth_applications_owner_id"), ["owner_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_oauth_applications_uid"), ["uid"], unique=True)

    op.create_table(
        "recovery_codes",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("digest", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_recovery_codes_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recovery_codes")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("recovery_codes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_recovery_codes_user_id_digest"), ["user_id", "digest"], unique=True)

    op.create_table(
        "revoked_gpg_keys",
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("fingerprint", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_revoked_gpg_keys_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "fingerprint", name=op.f("pk_revoked_gpg_keys")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "sessions",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("digest", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("last_used_on", TextType, nullable=False),
        sa.Column("prolong_at", TextType, nullable=False),
        sa.Column("expires_at", TextType, nullable=False),
        sa.Column("user_agent", TextType, nullable=False),
        sa.Column("address", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_sessions_digest"), ["digest"], unique=True)
        batch_op.create_index(batch_op.f("ix_sessions_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_sessions_user_id"), ["user_id"], unique=False)

    op.create_table(
        "ssh_keys",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=True),
        sa.Column("title", TextType, nullable=False),
        sa.Column("key", TextType, nullable=False),
        sa.Column("family", TextType, nullable=False),
        sa.Column("bits", IntegerType, autoincrement=False, nullable=False),
        sa.Column("md5", TextType, nullable=False),
        sa.Column("from_directory", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("sha256", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_ssh_keys_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ssh_keys")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("ssh_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_ssh_keys_sha256"), ["sha256"], unique=True)
        batch_op.create_index(batch_op.f("ix_ssh_keys_user_id"), ["user_id"], unique=False)

    op.create_table(
        "subscriptions",
        sa.Column("subject_kind", TextType, nullable=False),
        sa.Column("subject_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("subscribed", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_subscriptions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("subject_kind", "subject_id", "user_id", name=op.f("pk_subscriptions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("subscriptions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_subscriptions_user_id"), ["user_id"], unique=False)

    op.create_table(
        "two_factors",
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("sealed", TextType, nullable=False),
        sa.Column("last_step", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_two_factors_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_two_factors")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "gpg_key_handles",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("gpg_key_id", IntegerType, nullable=False),
        sa.Column("fingerprint", TextType, nullable=False),
        sa.Column("key_id", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["gpg_key_id"], ["gpg_keys.id"], name=op.f("fk_gpg_key_handles_gpg_key_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gpg_key_handles")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("gpg_key_handles", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_gpg_key_handles_gpg_key_id"), ["gpg_key_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_gpg_key_handles_key_id"), ["key_id"], unique=False)

    op.create_table(
        "groups",
        sa.Column("id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("description", TextType, server_default="", nullable=False),
        sa.Column("visibility", TextType, server_default="private", nullable=False),
        sa.Column("lfs_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("request_access_enabled", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("membership_lock", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("share_with_group_lock", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("shared_runners_minutes_limit", IntegerType, autoincrement=False, nullable=True),
        sa.Column("avatar", TextType, nullable=True),
        sa.Column("avatar_key", TextType, nullable=True),
        sa.ForeignKeyConstraint(["id"], ["namespaces.id"], name=op.f("fk_groups_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("groups", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_groups_visibility"), ["visibility"], unique=False)

    op.create_table(
        "oauth_grants",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("application_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("digest", TextType, nullable=False),
        sa.Column("redirect_uri", TextType, nullable=False),
        sa.Column("scopes", TextType, nullable=False),
        sa.Column("challenge", TextType, nullable=True),
        sa.Column("nonce", TextType, nullable=True),
        sa.Column("expires_at", TextType, nullable=False),
        sa.Column("family", TextType, nullable=True),
        sa.ForeignKeyConstraint(
            ["application_id"],
            ["oauth_applications.id"],
            name=op.f("fk_oauth_grants_application_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_grants_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_grants")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("oauth_grants", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_oauth_grants_application_id"), ["application_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_oauth_grants_digest"), ["digest"], unique=True)
        batch_op.create_index(batch_op.f("ix_oauth_grants_expires_at"), ["expires_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_oauth_grants_user_id"), ["user_id"], unique=False)

    op.create_table(
        "oauth_tokens",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("application_id", IntegerType, nullable=True),
        sa.Column("user_id", IntegerType, nullable=True),
        sa.Column("family", TextType, nullable=False),
        sa.Column("digest", TextType, nullable=False),
        sa.Column("refresh_digest", TextType, nullable=True),
        sa.Column("scopes", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("expires_at", TextType, nullable=False),
        sa.Column("revoked", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.ForeignKeyConstraint(
            ["application_id"],
            ["oauth_applications.id"],
            name=op.f("fk_oauth_tokens_application_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_oauth_tokens_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_oauth_tokens")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("oauth_tokens", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_oauth_tokens_application_id"), ["application_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_oauth_tokens_digest"), ["digest"], unique=True)
        batch_op.create_index(batch_op.f("ix_oauth_tokens_family"), ["family"], unique=False)
        batch_op.create_index(batch_op.f("ix_oauth_tokens_refresh_digest"), ["refresh_digest"], unique=True)
        batch_op.create_index(
            batch_op.f("ix_oauth_tokens_user_id_application_id"), ["user_id", "application_id"], unique=False
        )

    op.create_table(
        "projects",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("namespace_id", IntegerType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("name_folded", TextType, nullable=False),
        sa.Column("path", TextType, nullable=False),
        sa.Column("path_folded", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("description_folded", TextType, server_default="", nullable=False),
        sa.Column("visibility", TextType, nullable=False),
        sa.Column("creator_id", IntegerType, nullable=True),
        sa.Column("archived", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("default_branch", TextType, nullable=True),
        sa.Column("requested_branch", TextType, nullable=True),
        sa.Column("tag_list", TextType, server_default="", nullable=False),
        sa.Column("avatar", TextType, nullable=True),
        sa.Column("avatar_key", TextType, nullable=True),
        sa.Column("issues_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("merge_requests_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("jobs_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("wiki_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("snippets_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("container_registry_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("shared_runners_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("resolve_outdated_diff_discussions", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("public_jobs", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("merge_method", TextType, server_default="merge", nullable=False),
        sa.Column(
            "only_allow_merge_if_pipeline_succeeds", BooleanType, server_default=sa.text("FALSE"), nullable=False
        ),
        sa.Column(
            "only_allow_merge_if_all_discussions_are_resolved",
            BooleanType,
            server_default=sa.text("FALSE"),
            nullable=False,
        ),
        sa.Column("lfs_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("request_access_enabled", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("printing_merge_request_link_enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("ci_config_path", TextType, nullable=True),
        sa.Column("repository_storage", TextType, server_default="default", nullable=False),
        sa.Column(
            "approvals_before_merge", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False
        ),
        sa.Column("reset_approvals_on_push", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column(
            "disable_overriding_approvers_per_merge_request",
            BooleanType,
            server_default=sa.text("FALSE"),
            nullable=False,
        ),
        sa.Column("runners_token", TextType, server_default="", nullable=False),
        sa.Column("import_url", TextType, nullable=True),
        sa.Column("import_status", TextType, server_default="none", nullable=False),
        sa.Column("import_error", TextType, nullable=True),
        sa.Column("mirror", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("mirror_user_id", IntegerType, nullable=True),
        sa.Column("forked_from_id", IntegerType, nullable=True),
        sa.Column("network_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("star_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.Column("last_activity_at", TextType, nullable=False),
        sa.Column("deleted_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(["creator_id"], ["users.id"], name=op.f("fk_projects_creator_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["forked_from_id"], ["projects.id"], name=op.f("fk_projects_forked_from_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["mirror_user_id"], ["users.id"], name=op.f("fk_projects_mirror_user_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["namespace_id"], ["namespaces.id"], name=op.f("fk_projects_namespace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("projects", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_projects_archived_visibility_namespace_id_id_deleted_at"),
            ["archived", "visibility", "namespace_id", "id", "deleted_at"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_created_at_id_namespace_id_visibility_archived_deleted_at"),
            ["created_at", "id", "namespace_id", "visibility", "archived", "deleted_at"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_creator_id"),
            ["creator_id"],
            unique=False,
            sqlite_where=sa.text("creator_id IS NOT NULL"),
            postgresql_where=sa.text("creator_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_forked_from_id"),
            ["forked_from_id"],
            unique=False,
            sqlite_where=sa.text("forked_from_id IS NOT NULL"),
            postgresql_where=sa.text("forked_from_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_last_activity_at_id"),
            ["last_activity_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_mirror_user_id"),
            ["mirror_user_id"],
            unique=False,
            sqlite_where=sa.text("mirror_user_id IS NOT NULL"),
            postgresql_where=sa.text("mirror_user_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_projects_mirrors",
            ["id"],
            unique=False,
            sqlite_where=sa.text("mirror"),
            postgresql_where=sa.text("mirror"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_name_folded_id"),
            ["name_folded", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_namespace_id_created_at_id"),
            ["namespace_id", "created_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_namespace_id_name"),
            ["namespace_id", "name"],
            unique=True,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_network_id"),
            ["network_id"],
            unique=False,
            sqlite_where=sa.text("network_id IS NOT NULL"),
            postgresql_where=sa.text("network_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_path_folded_id"),
            ["path_folded", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_star_count_id"),
            ["star_count", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_projects_updated_at_id"),
            ["updated_at", "id"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )

    op.create_table(
        "replication_nodes",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("url", TextType, nullable=False),
        sa.Column("url_folded", TextType, nullable=False),
        sa.Column("is_primary", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("enabled", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("files_max_capacity", IntegerType, server_default=sa.text("10"), autoincrement=False, nullable=False),
        sa.Column("repos_max_capacity", IntegerType, server_default=sa.text("25"), autoincrement=False, nullable=False),
        sa.Column("access_key", TextType, nullable=False),
        sa.Column("secret", TextType, nullable=False),
        sa.Column("application_id", IntegerType, nullable=True),
        sa.Column("code_digest", TextType, nullable=True),
        sa.Column("code_expires_at", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["application_id"],
            ["oauth_applications.id"],
            name=op.f("fk_replication_nodes_application_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replication_nodes")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("replication_nodes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_replication_nodes_access_key"), ["access_key"], unique=True)
        batch_op.create_index(
            batch_op.f("ix_replication_nodes_application_id"),
            ["application_id"],
            unique=False,
            sqlite_where=sa.text("application_id IS NOT NULL"),
            postgresql_where=sa.text("application_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_replication_nodes_is_primary"),
            ["is_primary"],
            unique=True,
            sqlite_where=sa.text("is_primary"),
            postgresql_where=sa.text("is_primary"),
        )
        batch_op.create_index(batch_op.f("ix_replication_nodes_url_folded"), ["url_folded"], unique=True)

    op.create_table(
        "boards",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("group_id", IntegerType, nullable=True),
        sa.Column("name", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_boards_group_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_boards_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_boards")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("boards", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_boards_group_id_id"), ["group_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_boards_project_id_id"), ["project_id", "id"], unique=False)

    op.create_table(
        "commented_commits",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("sha", TextType, nullable=False),
        sa.Column("title", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_commented_commits_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commented_commits")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("commented_commits", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_commented_commits_project_id_sha"), ["project_id", "sha"], unique=True)

    op.create_table(
        "commit_signatures",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("sha", TextType, nullable=False),
        sa.Column("kind", TextType, nullable=False),
        sa.Column("problem", TextType, nullable=True),
        sa.Column("key_id", TextType, nullable=True),
        sa.Column("fingerprint", TextType, nullable=True),
        sa.Column("subkey", TextType, nullable=True),
        sa.Column("newest_key_id", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("user_id", IntegerType, nullable=True),
        sa.Column("valid", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("names_committer", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("signer_name", TextType, nullable=True),
        sa.Column("signer_email", TextType, nullable=True),
        sa.Column("committer_folded", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_commit_signatures_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_commit_signatures_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("project_id", "sha", name=op.f("pk_commit_signatures")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("commit_signatures", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_commit_signatures_user_id"),
            ["user_id"],
            unique=False,
            sqlite_where=sa.text("user_id IS NOT NULL"),
            postgresql_where=sa.text("user_id IS NOT NULL"),
        )

    op.create_table(
        "deploy_keys",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("key_id", IntegerType, nullable=False),
        sa.Column("can_push", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["ssh_keys.id"], name=op.f("fk_deploy_keys_key_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_deploy_keys_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "key_id", name=op.f("pk_deploy_keys")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("deploy_keys", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deploy_keys_key_id_project_id"), ["key_id", "project_id"], unique=False)

    op.create_table(
        "epics",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("group_id", IntegerType, nullable=False),
        sa.Column("iid", IntegerType, autoincrement=False, nullable=False),
        sa.Column("title", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("description_folded", TextType, server_default="", nullable=False),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("start_on", TextType, nullable=True),
        sa.Column("end_on", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_epics_author_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_epics_group_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_epics")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("epics", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_epics_author_id"), ["author_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_epics_group_id_id_updated_at"), ["group_id", "id", "updated_at"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_epics_group_id_iid"), ["group_id", "iid"], unique=True)
        batch_op.create_index(
            batch_op.f("ix_epics_updated_at_id_group_id"), ["updated_at", "id", "group_id"], unique=False
        )

    op.create_table(
        "former_paths",
        sa.Column("path_folded", TextType, nullable=False),
        sa.Column("namespace_id", IntegerType, nullable=True),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.ForeignKeyConstraint(
            ["namespace_id"], ["namespaces.id"], name=op.f("fk_former_paths_namespace_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_former_paths_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("path_folded", name=op.f("pk_former_paths")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("former_paths", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_former_paths_namespace_id"),
            ["namespace_id"],
            unique=False,
            sqlite_where=sa.text("namespace_id IS NOT NULL"),
            postgresql_where=sa.text("namespace_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_former_paths_project_id"),
            ["project_id"],
            unique=False,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )

    op.create_table(
        "group_tree",
        sa.Column("group_id", IntegerType, nullable=False),
        sa.Column("ancestor_id", IntegerType, nullable=False),
        sa.Column("depth", IntegerType, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["ancestor_id"], ["groups.id"], name=op.f("fk_group_tree_ancestor_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_group_tree_group_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("group_id", "ancestor_id", name=op.f("pk_group_tree")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("group_tree", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_group_tree_ancestor_id_group_id"), ["ancestor_id", "group_id"], unique=False
        )

    op.create_table(
        "hooks",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("group_id", IntegerType, nullable=True),
        sa.Column("url", TextType, nullable=False),
        sa.Column("token", TextType, nullable=True),
        sa.Column("enable_ssl_verification", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("push_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("tag_push_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("issues_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("confidential_issues_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("note_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("confidential_note_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("merge_requests_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("job_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("pipeline_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("wiki_page_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("repository_update_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("releases_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("deployment_events", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("name", TextType, nullable=True),
        sa.Column("description", TextType, nullable=True),
        sa.Column("push_events_branch_filter", TextType, server_default="", nullable=False),
        sa.Column("custom_webhook_template", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_hooks_group_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_hooks_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hooks")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("hooks", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_hooks_group_id_id"),
            ["group_id", "id"],
            unique=False,
            sqlite_where=sa.text("group_id IS NOT NULL"),
            postgresql_where=sa.text("group_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_hooks_of_the_instance",
            ["id"],
            unique=False,
            sqlite_where=sa.text("project_id IS NULL AND group_id IS NULL"),
            postgresql_where=sa.text("project_id IS NULL AND group_id IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_hooks_project_id_id"),
            ["project_id", "id"],
            unique=False,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )

    op.create_table(
        "housekeeping",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("started_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_housekeeping_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_housekeeping")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "labels",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("group_id", IntegerType, nullable=True),
        sa.Column("title", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("color", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_labels_group_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_labels_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_labels")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("labels", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_labels_group_id_title"),
            ["group_id", "title"],
            unique=True,
            sqlite_where=sa.text("group_id IS NOT NULL"),
            postgresql_where=sa.text("group_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_labels_project_id_title"),
            ["project_id", "title"],
            unique=True,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_labels_title"), ["title"], unique=False)

    op.create_table(
        "ldap_group_links",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("group_id", IntegerType, nullable=False),
        sa.Column("provider", TextType, nullable=False),
        sa.Column("cn", TextType, nullable=False),
        sa.Column("filter", TextType, server_default="", nullable=False),
        sa.Column("group_access", IntegerType, autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_ldap_group_links_group_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ldap_group_links")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("ldap_group_links", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_ldap_group_links_group_id_provider_cn_filter"),
            ["group_id", "provider", "cn", "filter"],
            unique=True,
        )
        batch_op.create_index(batch_op.f("ix_ldap_group_links_provider"), ["provider"], unique=False)

    op.create_table(
        "ldap_group_syncs",
        sa.Column("group_id", IntegerType, nullable=False),
        sa.Column("status", TextType, server_default="ready", nullable=False),
        sa.Column("error", TextType, nullable=True),
        sa.Column("last_sync_at", TextType, nullable=True),
        sa.Column("last_update_at", TextType, nullable=True),
        sa.Column("last_successful_update_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_ldap_group_syncs_group_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("group_id", name=op.f("pk_ldap_group_syncs")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "lfs_links",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("object_id", IntegerType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["object_id"], ["lfs_objects.id"], name=op.f("fk_lfs_links_object_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_lfs_links_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "object_id", name=op.f("pk_lfs_links")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("lfs_links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_lfs_links_object_id"), ["object_id"], unique=False)

    op.create_table(
        "lfs_locks",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("path", TextType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("locked_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_lfs_locks_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_lfs_locks_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lfs_locks")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("lfs_locks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_lfs_locks_project_id_path"), ["project_id", "path"], unique=True)
        batch_op.create_index(batch_op.f("ix_lfs_locks_user_id"), ["user_id"], unique=False)

    op.create_table(
        "milestones",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("iid", IntegerType, autoincrement=False, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("group_id", IntegerType, nullable=True),
        sa.Column("title", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("description_folded", TextType, server_default="", nullable=False),
        sa.Column("state", TextType, server_default="active", nullable=False),
        sa.Column("start_on", TextType, nullable=True),
        sa.Column("due_on", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.Column("closed_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_milestones_group_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_milestones_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_milestones")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("milestones", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_milestones_group_id_iid"),
            ["group_id", "iid"],
            unique=True,
            sqlite_where=sa.text("group_id IS NOT NULL"),
            postgresql_where=sa.text("group_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_milestones_group_id_title"),
            ["group_id", "title"],
            unique=True,
            sqlite_where=sa.text("group_id IS NOT NULL"),
            postgresql_where=sa.text("group_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_milestones_project_id_iid"),
            ["project_id", "iid"],
            unique=True,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_milestones_project_id_title"),
            ["project_id", "title"],
            unique=True,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_milestones_title"), ["title"], unique=False)

    op.create_table(
        "notes",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("noteable_kind", TextType, nullable=False),
        sa.Column("noteable_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("body", TextType, nullable=False),
        sa.Column("body_folded", TextType, nullable=False),
        sa.Column("system", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("action", TextType, nullable=True),
        sa.Column("source_kind", TextType, nullable=True),
        sa.Column("source_id", IntegerType, autoincrement=False, nullable=True),
        sa.Column("discussion_id", TextType, nullable=False),
        sa.Column("individual", BooleanType, server_default=sa.text("TRUE"), nullable=False),
        sa.Column("resolved_at", TextType, nullable=True),
        sa.Column("resolved_by_id", IntegerType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_notes_author_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_notes_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["resolved_by_id"], ["users.id"], name=op.f("fk_notes_resolved_by_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notes")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("notes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_notes_author_id"), ["author_id"], unique=False)
        batch_op.create_index(
            "ix_notes_cross_references",
            ["noteable_kind", "noteable_id", "source_kind", "source_id"],
            unique=True,
            sqlite_where=sa.text("action = 'mentioned'"),
            postgresql_where=sa.text("action = 'mentioned'"),
        )
        batch_op.create_index(batch_op.f("ix_notes_discussion_id_id"), ["discussion_id", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_notes_noteable_kind_noteable_id_author_id"),
            ["noteable_kind", "noteable_id", "author_id"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_notes_noteable_kind_noteable_id_created_at_id_source_kind"),
            ["noteable_kind", "noteable_id", "created_at", "id", "source_kind"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_notes_noteable_kind_noteable_id_id"), ["noteable_kind", "noteable_id", "id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_notes_project_id_id"), ["project_id", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_notes_resolved_by_id"),
            ["resolved_by_id"],
            unique=False,
            sqlite_where=sa.text("resolved_by_id IS NOT NULL"),
            postgresql_where=sa.text("resolved_by_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_notes_source_kind_source_id"),
            ["source_kind", "source_id"],
            unique=False,
            sqlite_where=sa.text("source_kind IS NOT NULL"),
            postgresql_where=sa.text("source_kind IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_notes_sourced",
            ["noteable_kind", "noteable_id", "source_kind"],
            unique=False,
            sqlite_where=sa.text("source_kind IS NOT NULL"),
            postgresql_where=sa.text("source_kind IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_notes_threads",
            ["noteable_kind", "noteable_id", "discussion_id", "source_kind"],
            unique=False,
            sqlite_where=sa.text("NOT individual"),
            postgresql_where=sa.text("NOT individual"),
        )
        batch_op.create_index(
            "ix_notes_unresolved",
            ["noteable_kind", "noteable_id"],
            unique=False,
            sqlite_where=sa.text("resolved_at IS NULL AND NOT individual AND NOT system"),
            postgresql_where=sa.text("resolved_at IS NULL AND NOT individual AND NOT system"),
        )

    op.create_table(
        "pipelines",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("ref", TextType, nullable=False),
        sa.Column("sha", TextType, nullable=False),
        sa.Column("source", TextType, server_default="external", nullable=False),
        sa.Column("status", TextType, server_default="created", nullable=False),
        sa.Column("user_id", IntegerType, nullable=True),
        sa.Column("duration", IntegerType, autoincrement=False, nullable=True),
        sa.Column("coverage", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.Column("started_at", TextType, nullable=True),
        sa.Column("finished_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_pipelines_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_pipelines_user_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipelines")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("pipelines", schema=None) as batch_op:
        batch_op.create_index(
            "ix_pipelines_external",
            ["project_id", "ref", "sha"],
            unique=True,
            sqlite_where=sa.text("source = 'external'"),
            postgresql_where=sa.text("source = 'external'"),
        )
        batch_op.create_index(batch_op.f("ix_pipelines_project_id_ref_id"), ["project_id", "ref", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_pipelines_project_id_sha_id"), ["project_id", "sha", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_pipelines_user_id"),
            ["user_id"],
            unique=False,
            sqlite_where=sa.text("user_id IS NOT NULL"),
            postgresql_where=sa.text("user_id IS NOT NULL"),
        )

    op.create_table(
        "project_approver_groups",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("group_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_project_approver_groups_group_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_project_approver_groups_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "group_id", name=op.f("pk_project_approver_groups")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("project_approver_groups", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_project_approver_groups_group_id"), ["group_id"], unique=False)

    op.create_table(
        "project_approvers",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_project_approvers_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_project_approvers_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "user_id", name=op.f("pk_project_approvers")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("project_approvers", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_project_approvers_user_id"), ["user_id"], unique=False)

    op.create_table(
        "project_shares",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("group_id", IntegerType, nullable=False),
        sa.Column("cap", IntegerType, autoincrement=False, nullable=False),
        sa.Column("expires_on", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_project_shares_group_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_project_shares_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project_shares")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("project_shares", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_project_shares_group_id_project_id_cap_expires_on"),
            ["group_id", "project_id", "cap", "expires_on"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_project_shares_project_id_group_id"), ["project_id", "group_id"], unique=True
        )

    op.create_table(
        "project_statistics",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("commit_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("repository_size", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("lfs_objects_size", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_project_statistics_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_project_statistics")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "project_texts",
        sa.Column("id", IntegerType, nullable=False),
        sa.Column("namespace_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("name_folded", TextType, nullable=False),
        sa.Column("path_folded", TextType, nullable=False),
        sa.Column("description_folded", TextType, nullable=False),
        sa.ForeignKeyConstraint(["id"], ["projects.id"], name=op.f("fk_project_texts_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project_texts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("project_texts", schema=None) as batch_op:
        batch_op.create_index(
            "ix_project_texts_short",
            ["id"],
            unique=False,
            sqlite_where=sa.text(
                "length(name_folded) BETWEEN 1 AND 2 OR length(path_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2"
            ),
            postgresql_where=sa.text(
                "length(name_folded) BETWEEN 1 AND 2 OR length(path_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2"
            ),
        )

    op.create_table(
        "protected_branches",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_protected_branches_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_protected_branches")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("protected_branches", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_protected_branches_project_id_name"), ["project_id", "name"], unique=True)

    op.create_table(
        "push_rules",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("is_default", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("commit_message_regex", TextType, nullable=True),
        sa.Column("branch_name_regex", TextType, nullable=True),
        sa.Column("author_email_regex", TextType, nullable=True),
        sa.Column("file_name_regex", TextType, nullable=True),
        sa.Column("deny_delete_tag", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("member_check", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("prevent_secrets", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("max_file_size", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_push_rules_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push_rules")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("push_rules", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_push_rules_is_default"),
            ["is_default"],
            unique=True,
            sqlite_where=sa.text("is_default"),
            postgresql_where=sa.text("is_default"),
        )
        batch_op.create_index(batch_op.f("ix_push_rules_project_id"), ["project_id"], unique=True)

    op.create_table(
        "pushes",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("wiki", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("actor_id", IntegerType, nullable=True),
        sa.Column("protocol", TextType, nullable=False),
        sa.Column("lock", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("recorded_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name=op.f("fk_pushes_actor_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_pushes_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pushes")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("pushes", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_pushes_actor_id"),
            ["actor_id"],
            unique=False,
            sqlite_where=sa.text("actor_id IS NOT NULL"),
            postgresql_where=sa.text("actor_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_pushes_project_id_wiki_id"), ["project_id", "wiki", "id"], unique=False)

    op.create_table(
        "releases",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("tag", TextType, nullable=False),
        sa.Column("description", TextType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_releases_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "tag", name=op.f("pk_releases")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "replication_statuses",
        sa.Column("node_id", IntegerType, nullable=False),
        sa.Column("figures", TextType, nullable=False),
        sa.Column("reported_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["node_id"], ["replication_nodes.id"], name=op.f("fk_replication_statuses_node_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("node_id", name=op.f("pk_replication_statuses")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "routes",
        sa.Column("path_folded", TextType, nullable=False),
        sa.Column("path", TextType, nullable=False),
        sa.Column("namespace_id", IntegerType, nullable=True),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.ForeignKeyConstraint(
            ["namespace_id"], ["namespaces.id"], name=op.f("fk_routes_namespace_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_routes_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("path_folded", name=op.f("pk_routes")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("routes", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_routes_namespace_id"),
            ["namespace_id"],
            unique=True,
            sqlite_where=sa.text("namespace_id IS NOT NULL"),
            postgresql_where=sa.text("namespace_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_routes_project_id"),
            ["project_id"],
            unique=True,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )

    op.create_table(
        "snippets",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("title", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("file_name", TextType, nullable=False),
        sa.Column("file_name_folded", TextType, nullable=False),
        sa.Column("content", TextType, nullable=False),
        sa.Column("content_folded", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("visibility", TextType, nullable=False),
        sa.Column("user_agent", TextType, nullable=True),
        sa.Column("ip_address", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_snippets_author_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_snippets_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_snippets")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("snippets", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_snippets_author_id_id"),
            ["author_id", "id"],
            unique=False,
            sqlite_where=sa.text("project_id IS NULL"),
            postgresql_where=sa.text("project_id IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_snippets_author_id_project_id"), ["author_id", "project_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_snippets_project_id_id"),
            ["project_id", "id"],
            unique=False,
            sqlite_where=sa.text("project_id IS NOT NULL"),
            postgresql_where=sa.text("project_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_snippets_visibility_id"),
            ["visibility", "id"],
            unique=False,
            sqlite_where=sa.text("project_id IS NULL"),
            postgresql_where=sa.text("project_id IS NULL"),
        )

    op.create_table(
        "stars",
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_stars_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_stars_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "project_id", name=op.f("pk_stars")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("stars", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_stars_project_id"), ["project_id"], unique=False)

    op.create_table(
        "uploads",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("secret", TextType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("size", IntegerType, autoincrement=False, nullable=False),
        sa.Column("author_id", IntegerType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_uploads_author_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_uploads_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_uploads")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("uploads", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_uploads_author_id"),
            ["author_id"],
            unique=False,
            sqlite_where=sa.text("author_id IS NOT NULL"),
            postgresql_where=sa.text("author_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_uploads_project_id_id"), ["project_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_uploads_secret_project_id"), ["secret", "project_id"], unique=True)

    op.create_table(
        "board_lists",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("board_id", IntegerType, nullable=False),
        sa.Column("label_id", IntegerType, nullable=False),
        sa.Column("position", IntegerType, autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["boards.id"], name=op.f("fk_board_lists_board_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["label_id"], ["labels.id"], name=op.f("fk_board_lists_label_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board_lists")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("board_lists", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_board_lists_board_id_label_id"), ["board_id", "label_id"], unique=True)
        batch_op.create_index(batch_op.f("ix_board_lists_board_id_position"), ["board_id", "position"], unique=False)
        batch_op.create_index(batch_op.f("ix_board_lists_label_id"), ["label_id"], unique=False)

    op.create_table(
        "commented_lines",
        sa.Column("note_id", IntegerType, nullable=False),
        sa.Column("path", TextType, nullable=False),
        sa.Column("line", IntegerType, autoincrement=False, nullable=False),
        sa.Column("line_type", TextType, nullable=False),
        sa.ForeignKeyConstraint(["note_id"], ["notes.id"], name=op.f("fk_commented_lines_note_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("note_id", name=op.f("pk_commented_lines")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "commit_statuses",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("pipeline_id", IntegerType, nullable=False),
        sa.Column("sha", TextType, nullable=False),
        sa.Column("ref", TextType, nullable=False),
        sa.Column("name", TextType, nullable=False),
        sa.Column("state", TextType, nullable=False),
        sa.Column("target_url", TextType, nullable=True),
        sa.Column("description", TextType, nullable=True),
        sa.Column("coverage", TextType, nullable=True),
        sa.Column("author_id", IntegerType, nullable=True),
        sa.Column("retried", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("started_at", TextType, nullable=True),
        sa.Column("finished_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(
            ["author_id"], ["users.id"], name=op.f("fk_commit_statuses_author_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["pipeline_id"], ["pipelines.id"], name=op.f("fk_commit_statuses_pipeline_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_commit_statuses_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commit_statuses")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("commit_statuses", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_commit_statuses_author_id"),
            ["author_id"],
            unique=False,
            sqlite_where=sa.text("author_id IS NOT NULL"),
            postgresql_where=sa.text("author_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_commit_statuses_pipeline_id"), ["pipeline_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_commit_statuses_project_id_sha_id"), ["project_id", "sha", "id"], unique=False
        )
        batch_op.create_index(
            "ix_commit_statuses_standing",
            ["project_id", "sha", "ref", "name"],
            unique=True,
            sqlite_where=sa.text("NOT retried"),
            postgresql_where=sa.text("NOT retried"),
        )

    op.create_table(
        "epic_labels",
        sa.Column("epic_id", IntegerType, nullable=False),
        sa.Column("label_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(["epic_id"], ["epics.id"], name=op.f("fk_epic_labels_epic_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["label_id"], ["labels.id"], name=op.f("fk_epic_labels_label_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("epic_id", "label_id", name=op.f("pk_epic_labels")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("epic_labels", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_epic_labels_label_id_epic_id"), ["label_id", "epic_id"], unique=False)

    op.create_table(
        "hook_deliveries",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("hook_id", IntegerType, nullable=False),
        sa.Column("payload_id", IntegerType, nullable=False),
        sa.Column("attempts", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("asked_for", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["hook_id"], ["hooks.id"], name=op.f("fk_hook_deliveries_hook_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["payload_id"], ["hook_payloads.id"], name=op.f("fk_hook_deliveries_payload_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hook_deliveries")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("hook_deliveries", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_hook_deliveries_hook_id_id"), ["hook_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_hook_deliveries_payload_id"), ["payload_id"], unique=False)

    op.create_table(
        "hook_logs",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("hook_id", IntegerType, nullable=False),
        sa.Column("payload_id", IntegerType, nullable=False),
        sa.Column("url", TextType, nullable=False),
        sa.Column("request_headers", TextType, nullable=False),
        sa.Column("response_headers", TextType, nullable=False),
        sa.Column("response_body", TextType, nullable=False),
        sa.Column("response_status", TextType, nullable=False),
        sa.Column("milliseconds", IntegerType, autoincrement=False, nullable=False),
        sa.Column("error", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["hook_id"], ["hooks.id"], name=op.f("fk_hook_logs_hook_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["payload_id"], ["hook_payloads.id"], name=op.f("fk_hook_logs_payload_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hook_logs")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("hook_logs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_hook_logs_created_at"), ["created_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_hook_logs_hook_id_id"), ["hook_id", "id"], unique=False)
        batch_op.create_index(batch_op.f("ix_hook_logs_payload_id"), ["payload_id"], unique=False)

    op.create_table(
        "hook_queues",
        sa.Column("hook_id", IntegerType, nullable=False),
        sa.Column("ready_at", TextType, nullable=True),
        sa.Column("leased_by", TextType, nullable=True),
        sa.Column("enqueued", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("failures", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("disabled_until", TextType, nullable=True),
        sa.ForeignKeyConstraint(["hook_id"], ["hooks.id"], name=op.f("fk_hook_queues_hook_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hook_id", name=op.f("pk_hook_queues")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("hook_queues", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_hook_queues_ready_at"),
            ["ready_at"],
            unique=False,
            sqlite_where=sa.text("ready_at IS NOT NULL"),
            postgresql_where=sa.text("ready_at IS NOT NULL"),
        )

    op.create_table(
        "issues",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("iid", IntegerType, autoincrement=False, nullable=False),
        sa.Column("title", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("description_folded", TextType, server_default="", nullable=False),
        sa.Column("state", TextType, server_default="opened", nullable=False),
        sa.Column("confidential", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("milestone_id", IntegerType, nullable=True),
        sa.Column("weight", IntegerType, autoincrement=False, nullable=True),
        sa.Column("due_on", TextType, nullable=True),
        sa.Column("discussion_locked", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("time_estimate", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("total_time_spent", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("user_notes_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("task_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column(
            "completed_task_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False
        ),
        sa.Column("moved_to_id", IntegerType, nullable=True),
        sa.Column("user_agent", TextType, nullable=True),
        sa.Column("ip_address", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.Column("closed_at", TextType, nullable=True),
        sa.Column("deleted_at", TextType, nullable=True),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_issues_author_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["milestone_id"], ["milestones.id"], name=op.f("fk_issues_milestone_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["moved_to_id"], ["issues.id"], name=op.f("fk_issues_moved_to_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_issues_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issues")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("issues", schema=None) as batch_op:
        batch_op.create_index(
            "ix_issues_by_creation",
            ["created_at", "id", "project_id", "state", "confidential"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_issues_by_update",
            ["updated_at", "id", "project_id", "state", "confidential"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_issues_confidential_of_author",
            ["author_id"],
            unique=False,
            sqlite_where=sa.text("confidential AND deleted_at IS NULL"),
            postgresql_where=sa.text("confidential AND deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_issues_in_project_by_creation",
            ["project_id", "created_at", "id", "state", "confidential", "author_id", "milestone_id", "deleted_at"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            "ix_issues_in_project_by_update",
            ["project_id", "updated_at", "id", "state", "confidential"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_issues_milestone_id_state"),
            ["milestone_id", "state"],
            unique=False,
            sqlite_where=sa.text("milestone_id IS NOT NULL AND deleted_at IS NULL"),
            postgresql_where=sa.text("milestone_id IS NOT NULL AND deleted_at IS NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_issues_moved_to_id"),
            ["moved_to_id"],
            unique=False,
            sqlite_where=sa.text("moved_to_id IS NOT NULL"),
            postgresql_where=sa.text("moved_to_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_issues_of_author",
            ["author_id", "created_at", "id", "project_id", "state", "confidential"],
            unique=False,
            sqlite_where=sa.text("deleted_at IS NULL"),
            postgresql_where=sa.text("deleted_at IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_issues_project_id_iid"), ["project_id", "iid"], unique=True)

    op.create_table(
        "label_priorities",
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("label_id", IntegerType, nullable=False),
        sa.Column("priority", IntegerType, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["label_id"], ["labels.id"], name=op.f("fk_label_priorities_label_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_label_priorities_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "label_id", name=op.f("pk_label_priorities")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "label_subscriptions",
        sa.Column("label_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("subscribed", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.ForeignKeyConstraint(
            ["label_id"], ["labels.id"], name=op.f("fk_label_subscriptions_label_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_label_subscriptions_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("label_id", "user_id", name=op.f("pk_label_subscriptions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("label_subscriptions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_label_subscriptions_user_id"), ["user_id"], unique=False)

    op.create_table(
        "merge_requests",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("iid", IntegerType, autoincrement=False, nullable=False),
        sa.Column("source_project_id", IntegerType, nullable=True),
        sa.Column("source_branch", TextType, nullable=False),
        sa.Column("target_branch", TextType, nullable=False),
        sa.Column("title", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("description", TextType, nullable=True),
        sa.Column("description_folded", TextType, server_default="", nullable=False),
        sa.Column("state", TextType, server_default="opened", nullable=False),
        sa.Column("draft", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("milestone_id", IntegerType, nullable=True),
        sa.Column("discussion_locked", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("squash", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("force_remove_source_branch", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("approvals_before_merge", IntegerType, autoincrement=False, nullable=True),
        sa.Column("merge_status", TextType, server_default="unchecked", nullable=False),
        sa.Column("checked_pair", TextType, server_default="", nullable=False),
        sa.Column("behind", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("conflicting", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("merging_push_id", IntegerType, nullable=True),
        sa.Column("merging_sha", TextType, nullable=True),
        sa.Column("merging_squash_sha", TextType, nullable=True),
        sa.Column("remover_id", IntegerType, nullable=True),
        sa.Column("merge_commit_sha", TextType, nullable=True),
        sa.Column("squash_commit_sha", TextType, nullable=True),
        sa.Column("merge_error", TextType, nullable=True),
        sa.Column("merge_when_pipeline_succeeds", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("merge_user_id", IntegerType, nullable=True),
        sa.Column("should_remove_source_branch", IntegerType, autoincrement=False, nullable=True),
        sa.Column("merge_commit_message", TextType, nullable=True),
        sa.Column("squash_commit_message", TextType, nullable=True),
        sa.Column("rebaser_id", IntegerType, nullable=True),
        sa.Column("rebase_sha", TextType, nullable=True),
        sa.Column("allow_collaboration", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("merged_by_id", IntegerType, nullable=True),
        sa.Column("merged_at", TextType, nullable=True),
        sa.Column("closed_by_id", IntegerType, nullable=True),
        sa.Column("closed_at", TextType, nullable=True),
        sa.Column("time_estimate", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("total_time_spent", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("user_notes_count", IntegerType, server_default=sa.text("0"), autoincrement=False, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"], ["users.id"], name=op.f("fk_merge_requests_author_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["closed_by_id"], ["users.id"], name=op.f("fk_merge_requests_closed_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["merge_user_id"], ["users.id"], name=op.f("fk_merge_requests_merge_user_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["merged_by_id"], ["users.id"], name=op.f("fk_merge_requests_merged_by_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["merging_push_id"], ["pushes.id"], name=op.f("fk_merge_requests_merging_push_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["milestone_id"], ["milestones.id"], name=op.f("fk_merge_requests_milestone_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_merge_requests_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["rebaser_id"], ["users.id"], name=op.f("fk_merge_requests_rebaser_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["remover_id"], ["users.id"], name=op.f("fk_merge_requests_remover_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["source_project_id"],
            ["projects.id"],
            name=op.f("fk_merge_requests_source_project_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merge_requests")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_requests", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_merge_requests_author_id_created_at_id_project_id_state"),
            ["author_id", "created_at", "id", "project_id", "state"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_closed_by_id"),
            ["closed_by_id"],
            unique=False,
            sqlite_where=sa.text("closed_by_id IS NOT NULL"),
            postgresql_where=sa.text("closed_by_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_created_at_id_project_id_state"),
            ["created_at", "id", "project_id", "state"],
            unique=False,
        )
        batch_op.create_index(
            "ix_merge_requests_from_forks",
            ["source_project_id", "project_id"],
            unique=False,
            sqlite_where=sa.text("source_project_id <> project_id"),
            postgresql_where=sa.text("source_project_id <> project_id"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_merge_commit_sha"),
            ["merge_commit_sha"],
            unique=False,
            sqlite_where=sa.text("merge_commit_sha IS NOT NULL"),
            postgresql_where=sa.text("merge_commit_sha IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_merge_user_id"),
            ["merge_user_id"],
            unique=False,
            sqlite_where=sa.text("merge_user_id IS NOT NULL"),
            postgresql_where=sa.text("merge_user_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_merged_by_id"),
            ["merged_by_id"],
            unique=False,
            sqlite_where=sa.text("merged_by_id IS NOT NULL"),
            postgresql_where=sa.text("merged_by_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_merging_push_id"),
            ["merging_push_id"],
            unique=False,
            sqlite_where=sa.text("merging_push_id IS NOT NULL"),
            postgresql_where=sa.text("merging_push_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_milestone_id"),
            ["milestone_id"],
            unique=False,
            sqlite_where=sa.text("milestone_id IS NOT NULL"),
            postgresql_where=sa.text("milestone_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_merge_requests_open_branches",
            ["source_project_id", "source_branch", "project_id", "target_branch"],
            unique=True,
            sqlite_where=sa.text("state = 'opened'"),
            postgresql_where=sa.text("state = 'opened'"),
        )
        batch_op.create_index(
            "ix_merge_requests_open_from",
            ["source_project_id"],
            unique=False,
            sqlite_where=sa.text("state = 'opened'"),
            postgresql_where=sa.text("state = 'opened'"),
        )
        batch_op.create_index(
            "ix_merge_requests_open_into",
            ["project_id", "target_branch"],
            unique=False,
            sqlite_where=sa.text("state = 'opened'"),
            postgresql_where=sa.text("state = 'opened'"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_project_id_created_at_id_state"),
            ["project_id", "created_at", "id", "state"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_merge_requests_project_id_iid"), ["project_id", "iid"], unique=True)
        batch_op.create_index(
            batch_op.f("ix_merge_requests_project_id_updated_at_id_state"),
            ["project_id", "updated_at", "id", "state"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_rebaser_id"),
            ["rebaser_id"],
            unique=False,
            sqlite_where=sa.text("rebaser_id IS NOT NULL"),
            postgresql_where=sa.text("rebaser_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_remover_id"),
            ["remover_id"],
            unique=False,
            sqlite_where=sa.text("remover_id IS NOT NULL"),
            postgresql_where=sa.text("remover_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_squash_commit_sha"),
            ["squash_commit_sha"],
            unique=False,
            sqlite_where=sa.text("squash_commit_sha IS NOT NULL"),
            postgresql_where=sa.text("squash_commit_sha IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_merge_requests_updated_at_id_project_id_state"),
            ["updated_at", "id", "project_id", "state"],
            unique=False,
        )

    op.create_table(
        "note_texts",
        sa.Column("id", IntegerType, nullable=False),
        sa.Column("noteable_kind", TextType, nullable=False),
        sa.Column("noteable_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("body_folded", TextType, nullable=False),
        sa.ForeignKeyConstraint(["id"], ["notes.id"], name=op.f("fk_note_texts_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note_texts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("note_texts", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_note_texts_noteable_kind_noteable_id"), ["noteable_kind", "noteable_id"], unique=False
        )
        batch_op.create_index(
            "ix_note_texts_short",
            ["id"],
            unique=False,
            sqlite_where=sa.text("length(body_folded) BETWEEN 1 AND 2"),
            postgresql_where=sa.text("length(body_folded) BETWEEN 1 AND 2"),
        )

    op.create_table(
        "protected_branch_grants",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("branch_id", IntegerType, nullable=False),
        sa.Column("verb", TextType, nullable=False),
        sa.Column("level", IntegerType, autoincrement=False, nullable=True),
        sa.Column("user_id", IntegerType, nullable=True),
        sa.Column("group_id", IntegerType, nullable=True),
        sa.ForeignKeyConstraint(
            ["branch_id"],
            ["protected_branches.id"],
            name=op.f("fk_protected_branch_grants_branch_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_protected_branch_grants_group_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_protected_branch_grants_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_protected_branch_grants")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("protected_branch_grants", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_protected_branch_grants_branch_id_verb"), ["branch_id", "verb"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_protected_branch_grants_group_id"),
            ["group_id"],
            unique=False,
            sqlite_where=sa.text("group_id IS NOT NULL"),
            postgresql_where=sa.text("group_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_protected_branch_grants_user_id"),
            ["user_id"],
            unique=False,
            sqlite_where=sa.text("user_id IS NOT NULL"),
            postgresql_where=sa.text("user_id IS NOT NULL"),
        )

    op.create_table(
        "push_refs",
        sa.Column("push_id", IntegerType, nullable=False),
        sa.Column("ref", TextType, nullable=False),
        sa.Column("old_id", TextType, nullable=False),
        sa.Column("new_id", TextType, nullable=False),
        sa.ForeignKeyConstraint(["push_id"], ["pushes.id"], name=op.f("fk_push_refs_push_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("push_id", "ref", name=op.f("pk_push_refs")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "todos",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("project_id", IntegerType, nullable=True),
        sa.Column("group_id", IntegerType, nullable=True),
        sa.Column("target_kind", TextType, nullable=False),
        sa.Column("target_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("note_id", IntegerType, nullable=True),
        sa.Column("action", TextType, nullable=False),
        sa.Column("state", TextType, server_default="pending", nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_todos_author_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_todos_group_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["note_id"], ["notes.id"], name=op.f("fk_todos_note_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_todos_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_todos_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_todos")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("todos", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_todos_author_id"), ["author_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_todos_group_id"),
            ["group_id"],
            unique=False,
            sqlite_where=sa.text("group_id IS NOT NULL"),
            postgresql_where=sa.text("group_id IS NOT NULL"),
        )
        batch_op.create_index(
            batch_op.f("ix_todos_note_id"),
            ["note_id"],
            unique=False,
            sqlite_where=sa.text("note_id IS NOT NULL"),
            postgresql_where=sa.text("note_id IS NOT NULL"),
        )
        batch_op.create_index(batch_op.f("ix_todos_project_id"), ["project_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_todos_user_id_state_id"), ["user_id", "state", "id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_todos_user_id_target_kind_target_id"),
            ["user_id", "target_kind", "target_id"],
            unique=True,
            sqlite_where=sa.text("state = 'pending'"),
            postgresql_where=sa.text("state = 'pending'"),
        )

    op.create_table(
        "approvals",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"], ["merge_requests.id"], name=op.f("fk_approvals_merge_request_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_approvals_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("merge_request_id", "user_id", name=op.f("pk_approvals")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("approvals", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_approvals_user_id_merge_request_id"), ["user_id", "merge_request_id"], unique=False
        )

    op.create_table(
        "diff_positions",
        sa.Column("discussion_id", TextType, nullable=False),
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("position", TextType, nullable=False),
        sa.Column("original_position", TextType, nullable=False),
        sa.Column("line_code", TextType, nullable=True),
        sa.Column("outdated", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_diff_positions_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("discussion_id", name=op.f("pk_diff_positions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("diff_positions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_diff_positions_merge_request_id"),
            ["merge_request_id"],
            unique=False,
            sqlite_where=sa.text("NOT outdated"),
            postgresql_where=sa.text("NOT outdated"),
        )

    op.create_table(
        "draft_notes",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("author_id", IntegerType, nullable=False),
        sa.Column("note", TextType, nullable=False),
        sa.Column("discussion_id", TextType, nullable=True),
        sa.Column("resolve_discussion", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("position", TextType, nullable=True),
        sa.Column("line_code", TextType, nullable=True),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("updated_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"], name=op.f("fk_draft_notes_author_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_draft_notes_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft_notes")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("draft_notes", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_draft_notes_author_id"), ["author_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_draft_notes_merge_request_id_author_id_id"),
            ["merge_request_id", "author_id", "id"],
            unique=False,
        )

    op.create_table(
        "epic_issues",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("epic_id", IntegerType, nullable=False),
        sa.Column("issue_id", IntegerType, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.Column("relative_position", IntegerType, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["epic_id"], ["epics.id"], name=op.f("fk_epic_issues_epic_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_epic_issues_issue_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_epic_issues_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_epic_issues")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("epic_issues", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_epic_issues_epic_id_project_id"), ["epic_id", "project_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_epic_issues_epic_id_relative_position_id_project_id_issue_id"),
            ["epic_id", "relative_position", "id", "project_id", "issue_id"],
            unique=False,
        )
        batch_op.create_index(batch_op.f("ix_epic_issues_issue_id"), ["issue_id"], unique=True)
        batch_op.create_index(batch_op.f("ix_epic_issues_project_id"), ["project_id"], unique=False)

    op.create_table(
        "issue_assignees",
        sa.Column("issue_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["issue_id"], ["issues.id"], name=op.f("fk_issue_assignees_issue_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_issue_assignees_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("issue_id", "user_id", name=op.f("pk_issue_assignees")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("issue_assignees", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_issue_assignees_user_id_issue_id"), ["user_id", "issue_id"], unique=False)

    op.create_table(
        "issue_labels",
        sa.Column("issue_id", IntegerType, nullable=False),
        sa.Column("label_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issues.id"], name=op.f("fk_issue_labels_issue_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["label_id"], ["labels.id"], name=op.f("fk_issue_labels_label_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("issue_id", "label_id", name=op.f("pk_issue_labels")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("issue_labels", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_issue_labels_label_id_issue_id"), ["label_id", "issue_id"], unique=False)

    op.create_table(
        "issue_links",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("source_id", IntegerType, nullable=False),
        sa.Column("target_id", IntegerType, nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["issues.id"], name=op.f("fk_issue_links_source_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_id"], ["issues.id"], name=op.f("fk_issue_links_target_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issue_links")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("issue_links", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_issue_links_source_id_target_id"), ["source_id", "target_id"], unique=True)
        batch_op.create_index(batch_op.f("ix_issue_links_target_id"), ["target_id"], unique=False)

    op.create_table(
        "issue_texts",
        sa.Column("id", IntegerType, nullable=False),
        sa.Column("project_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("author_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("state", TextType, nullable=False),
        sa.Column("confidential", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("description_folded", TextType, nullable=False),
        sa.ForeignKeyConstraint(["id"], ["issues.id"], name=op.f("fk_issue_texts_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issue_texts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("issue_texts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_issue_texts_project_id"), ["project_id"], unique=False)
        batch_op.create_index(
            "ix_issue_texts_short",
            ["id"],
            unique=False,
            sqlite_where=sa.text("length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2"),
            postgresql_where=sa.text(
                "length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2"
            ),
        )

    op.create_table(
        "merge_request_approver_groups",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("group_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_merge_request_approver_groups_group_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_approver_groups_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("merge_request_id", "group_id", name=op.f("pk_merge_request_approver_groups")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_approver_groups", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_merge_request_approver_groups_group_id"), ["group_id"], unique=False)

    op.create_table(
        "merge_request_approvers",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_approvers_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_merge_request_approvers_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("merge_request_id", "user_id", name=op.f("pk_merge_request_approvers")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_approvers", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_merge_request_approvers_user_id"), ["user_id"], unique=False)

    op.create_table(
        "merge_request_assignees",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_assignees_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_merge_request_assignees_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("merge_request_id", "user_id", name=op.f("pk_merge_request_assignees")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_assignees", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_merge_request_assignees_user_id_merge_request_id"),
            ["user_id", "merge_request_id"],
            unique=False,
        )

    op.create_table(
        "merge_request_closing_issues",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("iid", IntegerType, autoincrement=False, nullable=False),
        sa.Column("project_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_closing_issues_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_merge_request_closing_issues_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("merge_request_id", "iid", name=op.f("pk_merge_request_closing_issues")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_closing_issues", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_merge_request_closing_issues_project_id_iid"), ["project_id", "iid"], unique=False
        )

    op.create_table(
        "merge_request_labels",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("label_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["label_id"], ["labels.id"], name=op.f("fk_merge_request_labels_label_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_labels_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("merge_request_id", "label_id", name=op.f("pk_merge_request_labels")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_labels", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_merge_request_labels_label_id_merge_request_id"),
            ["label_id", "merge_request_id"],
            unique=False,
        )

    op.create_table(
        "merge_request_reviewers",
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("user_id", IntegerType, nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_reviewers_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_merge_request_reviewers_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("merge_request_id", "user_id", name=op.f("pk_merge_request_reviewers")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_reviewers", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_merge_request_reviewers_user_id_merge_request_id"),
            ["user_id", "merge_request_id"],
            unique=False,
        )

    op.create_table(
        "merge_request_texts",
        sa.Column("id", IntegerType, nullable=False),
        sa.Column("project_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("author_id", IntegerType, autoincrement=False, nullable=False),
        sa.Column("title_folded", TextType, nullable=False),
        sa.Column("description_folded", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["id"], ["merge_requests.id"], name=op.f("fk_merge_request_texts_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merge_request_texts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_texts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_merge_request_texts_project_id"), ["project_id"], unique=False)
        batch_op.create_index(
            "ix_merge_request_texts_short",
            ["id"],
            unique=False,
            sqlite_where=sa.text("length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2"),
            postgresql_where=sa.text(
                "length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2"
            ),
        )

    op.create_table(
        "merge_request_versions",
        sa.Column("id", IntegerType, autoincrement=True, nullable=False),
        sa.Column("merge_request_id", IntegerType, nullable=False),
        sa.Column("head_sha", TextType, nullable=True),
        sa.Column("base_sha", TextType, nullable=True),
        sa.Column("start_sha", TextType, nullable=True),
        sa.Column("state", TextType, nullable=False),
        sa.Column("real_size", TextType, nullable=True),
        sa.Column("closing", TextType, server_default="[]", nullable=False),
        sa.Column("pusher_id", IntegerType, nullable=True),
        sa.Column("followed", BooleanType, server_default=sa.text("FALSE"), nullable=False),
        sa.Column("created_at", TextType, nullable=False),
        sa.ForeignKeyConstraint(
            ["merge_request_id"],
            ["merge_requests.id"],
            name=op.f("fk_merge_request_versions_merge_request_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["pusher_id"], ["users.id"], name=op.f("fk_merge_request_versions_pusher_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merge_request_versions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    with op.batch_alter_table("merge_request_versions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_merge_request_versions_merge_request_id_id"), ["merge_request_id", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_merge_request_versions_pusher_id"),
            ["pusher_id"],
            unique=False,
            sqlite_where=sa.text("pusher_id IS NOT NULL"),
            postgresql_where=sa.text("pusher_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_merge_request_versions_unfollowed",
            ["merge_request_id"],
            unique=False,
            sqlite_where=sa.text("NOT followed"),
            postgresql_where=sa.text("NOT followed"),
        )

    for statement in {
        "sqlite": [
            "CREATE TRIGGER document_epochs_users_username AFTER UPDATE OF username, name, state, avatar, deleted_at ON users WHEN (OLD.username, OLD.name, OLD.state, OLD.avatar, OLD.deleted_at) IS NOT (NEW.username, NEW.name, NEW.state, NEW.avatar, NEW.deleted_at) BEGIN INSERT INTO document_epochs (id, n) VALUES (0, 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END"
        ],
        "postgresql": [
            "CREATE FUNCTION document_epochs_users_username() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (0, 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER document_epochs_users_username AFTER UPDATE OF username, name, state, avatar, deleted_at ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.username, OLD.name, OLD.state, OLD.avatar, OLD.deleted_at) IS DISTINCT FROM (NEW.username, NEW.name, NEW.state, NEW.avatar, NEW.deleted_at)) EXECUTE FUNCTION document_epochs_users_username()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE event_counts (author_id INTEGER NOT NULL, project_id INTEGER NOT NULL, day TEXT NOT NULL, kind TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_event_counts PRIMARY KEY (author_id, project_id, day, kind, part)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER event_counts_events_inserted AFTER INSERT ON events WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN 'issue' THEN CASE WHEN NEW.confidential THEN 'confidential issue' ELSE 'issue' END WHEN 'merge_request' THEN 'merge request' WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' WHEN 'note' THEN (SELECT CASE note.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = note.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = note.noteable_id) END FROM notes note WHERE note.id = NEW.subject_id) ELSE 'project' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND about.part IS NOT NULL ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_events_updated AFTER UPDATE OF created_at ON events WHEN (OLD.created_at) IS NOT (NEW.created_at) BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT OLD.author_id * whose.own, OLD.project_id, substr(OLD.created_at, 1, 10), OLD.kind, about.part, -1 FROM (SELECT CASE OLD.subject_kind WHEN 'issue' THEN CASE WHEN OLD.confidential THEN 'confidential issue' ELSE 'issue' END WHEN 'merge_request' THEN 'merge request' WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' WHEN 'note' THEN (SELECT CASE note.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = note.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = note.noteable_id) END FROM notes note WHERE note.id = OLD.subject_id) ELSE 'project' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.project_id IS NOT NULL AND OLD.author_id IS NOT NULL AND OLD.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND about.part IS NOT NULL ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN 'issue' THEN CASE WHEN NEW.confidential THEN 'confidential issue' ELSE 'issue' END WHEN 'merge_request' THEN 'merge request' WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' WHEN 'note' THEN (SELECT CASE note.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = note.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = note.noteable_id) END FROM notes note WHERE note.id = NEW.subject_id) ELSE 'project' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND about.part IS NOT NULL ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_notes_deleted BEFORE DELETE ON notes WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, about.part, -1 FROM (SELECT CASE OLD.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = OLD.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = OLD.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = OLD.noteable_id) END AS part) about CROSS JOIN events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND event.subject_kind = 'note' AND event.subject_id = OLD.id AND NOT OLD.system AND about.part IS NOT NULL AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_issues_updated AFTER UPDATE OF confidential, deleted_at ON issues WHEN (OLD.confidential, OLD.deleted_at) IS NOT (NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN 'confidential issue' ELSE 'issue' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'issue' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'issue' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN NEW.confidential THEN 'confidential issue' ELSE 'issue' END, 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'issue' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'issue' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN 'confidential issue' ELSE 'issue' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'issue' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'issue' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_merge_requests_deleted BEFORE DELETE ON merge_requests WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, 'merge request', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'merge_request' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'merge_request' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_snippets_updated AFTER UPDATE OF visibility ON snippets WHEN (OLD.visibility) IS NOT (NEW.visibility) BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || ' snippet', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'snippet' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'snippet' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, NEW.visibility || ' snippet', 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'snippet' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'snippet' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_snippets_deleted BEFORE DELETE ON snippets WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || ' snippet', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'snippet' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'snippet' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_users_deleted BEFORE DELETE ON users WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT 0, c.project_id, c.day, c.kind, c.part, -c.n FROM event_counts c WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = c.project_id) AND c.author_id = OLD.id ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END",
            "CREATE TRIGGER event_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM event_counts WHERE project_id = OLD.id AND author_id IN (SELECT 0 UNION SELECT e.author_id FROM events e WHERE e.project_id = OLD.id); END",
            "CREATE TRIGGER event_counts_of_users AFTER DELETE ON users WHEN TRUE BEGIN DELETE FROM event_counts WHERE author_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE event_counts (author_id BIGINT NOT NULL, project_id BIGINT NOT NULL, day TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, part TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_event_counts ON event_counts (author_id, project_id, day, kind, part)",
            "CREATE FUNCTION event_counts_add(BIGINT, BIGINT, TEXT, TEXT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE event_counts SET n = n + $6 WHERE ctid = (SELECT c.ctid FROM event_counts c WHERE c.author_id = $1 AND c.project_id = $2 AND c.day = $3 AND c.kind = $4 AND c.part = $5 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM event_counts c WHERE c.author_id = $1 AND c.project_id = $2 AND c.day = $3 AND c.kind = $4 AND c.part = $5 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE event_counts SET n = n + $6 WHERE ctid = shard; ELSE INSERT INTO event_counts (author_id, project_id, day, kind, part, n) VALUES ($1, $2, $3, $4, $5, $6); END IF; END IF; END'",
            "CREATE FUNCTION event_counts_events_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN ''issue'' THEN CASE WHEN NEW.confidential THEN ''confidential issue'' ELSE ''issue'' END WHEN ''merge_request'' THEN ''merge request'' WHEN ''repository'' THEN ''code'' WHEN ''wiki_page'' THEN ''wiki'' WHEN ''note'' THEN (SELECT CASE note.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = note.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = note.noteable_id FOR NO KEY UPDATE) END FROM notes note WHERE note.id = NEW.subject_id) ELSE ''project'' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND about.part IS NOT NULL) s (author_id, project_id, day, kind, part, n); RETURN NULL; END'",
            "CREATE TRIGGER event_counts_events_inserted AFTER INSERT ON events FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_events_inserted()",
            "CREATE FUNCTION event_counts_events_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT OLD.author_id * whose.own, OLD.project_id, substr(OLD.created_at, 1, 10), OLD.kind, about.part, -1 FROM (SELECT CASE OLD.subject_kind WHEN ''issue'' THEN CASE WHEN OLD.confidential THEN ''confidential issue'' ELSE ''issue'' END WHEN ''merge_request'' THEN ''merge request'' WHEN ''repository'' THEN ''code'' WHEN ''wiki_page'' THEN ''wiki'' WHEN ''note'' THEN (SELECT CASE note.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = note.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = note.noteable_id FOR NO KEY UPDATE) END FROM notes note WHERE note.id = OLD.subject_id) ELSE ''project'' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.project_id IS NOT NULL AND OLD.author_id IS NOT NULL AND OLD.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND about.part IS NOT NULL) s (author_id, project_id, day, kind, part, n); PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN ''issue'' THEN CASE WHEN NEW.confidential THEN ''confidential issue'' ELSE ''issue'' END WHEN ''merge_request'' THEN ''merge request'' WHEN ''repository'' THEN ''code'' WHEN ''wiki_page'' THEN ''wiki'' WHEN ''note'' THEN (SELECT CASE note.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = note.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = note.noteable_id FOR NO KEY UPDATE) END FROM notes note WHERE note.id = NEW.subject_id) ELSE ''project'' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND about.part IS NOT NULL) s (author_id, project_id, day, kind, part, n); RETURN NULL; END'",
            "CREATE TRIGGER event_counts_events_updated AFTER UPDATE OF created_at ON events FOR EACH ROW WHEN ((OLD.created_at) IS DISTINCT FROM (NEW.created_at)) EXECUTE FUNCTION event_counts_events_updated()",
            "CREATE FUNCTION event_counts_notes_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, about.part, -1 FROM (SELECT CASE OLD.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = OLD.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = OLD.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = OLD.noteable_id FOR NO KEY UPDATE) END AS part) about CROSS JOIN events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND event.subject_kind = ''note'' AND event.subject_id = OLD.id AND NOT OLD.system AND about.part IS NOT NULL AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END'",
            "CREATE TRIGGER event_counts_notes_deleted BEFORE DELETE ON notes FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_notes_deleted()",
            "CREATE FUNCTION event_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN ''confidential issue'' ELSE ''issue'' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''issue'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''issue'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN NEW.confidential THEN ''confidential issue'' ELSE ''issue'' END, 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''issue'' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''issue'' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN NULL; END'",
            "CREATE TRIGGER event_counts_issues_updated AFTER UPDATE OF confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION event_counts_issues_updated()",
            "CREATE FUNCTION event_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN ''confidential issue'' ELSE ''issue'' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''issue'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''issue'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END'",
            "CREATE TRIGGER event_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_issues_deleted()",
            "CREATE FUNCTION event_counts_merge_requests_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, ''merge request'', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''merge_request'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''merge_request'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END'",
            "CREATE TRIGGER event_counts_merge_requests_deleted BEFORE DELETE ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_merge_requests_deleted()",
            "CREATE FUNCTION event_counts_snippets_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || '' snippet'', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''snippet'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''snippet'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, NEW.visibility || '' snippet'', 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''snippet'' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''snippet'' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN NULL; END'",
            "CREATE TRIGGER event_counts_snippets_updated AFTER UPDATE OF visibility ON snippets FOR EACH ROW WHEN ((OLD.visibility) IS DISTINCT FROM (NEW.visibility)) EXECUTE FUNCTION event_counts_snippets_updated()",
            "CREATE FUNCTION event_counts_snippets_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || '' snippet'', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''snippet'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''snippet'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END'",
            "CREATE TRIGGER event_counts_snippets_deleted BEFORE DELETE ON snippets FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_snippets_deleted()",
            "CREATE FUNCTION event_counts_users_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT 0, c.project_id, c.day, c.kind, c.part, -c.n FROM event_counts c WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = c.project_id) AND c.author_id = OLD.id) s (author_id, project_id, day, kind, part, n); RETURN OLD; END'",
            "CREATE TRIGGER event_counts_users_deleted BEFORE DELETE ON users FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_users_deleted()",
            "CREATE FUNCTION event_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM event_counts WHERE project_id = OLD.id AND author_id IN (SELECT 0 UNION SELECT e.author_id FROM events e WHERE e.project_id = OLD.id); RETURN NULL; END'",
            "CREATE TRIGGER event_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_of_projects()",
            "CREATE FUNCTION event_counts_of_users() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM event_counts WHERE author_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER event_counts_of_users AFTER DELETE ON users FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_of_users()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE iids (\n    owner_kind TEXT NOT NULL,\n    owner_id INTEGER NOT NULL,\n    noun TEXT NOT NULL,\n    last INTEGER NOT NULL,\n    CONSTRAINT pk_iids PRIMARY KEY (owner_kind, owner_id, noun)\n) STRICT, WITHOUT ROWID"
        ],
        "postgresql": [
            'CREATE TABLE iids (\n    owner_kind TEXT COLLATE "C" NOT NULL,\n    owner_id BIGINT NOT NULL,\n    noun TEXT COLLATE "C" NOT NULL,\n    last BIGINT NOT NULL,\n    CONSTRAINT pk_iids PRIMARY KEY (owner_kind, owner_id, noun)\n)',
            "CREATE FUNCTION next_iid(owner text, whose bigint, what text) RETURNS bigint LANGUAGE plpgsql AS\n'DECLARE given bigint; BEGIN PERFORM pg_advisory_xact_lock(hashtextextended(owner || what, whose)); INSERT INTO iids (owner_kind, owner_id, noun, last) VALUES (owner, whose, what, 1) ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE SET last = iids.last + 1 RETURNING last INTO given; RETURN given; END'",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": ["CREATE TABLE document_epochs (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL) STRICT"],
        "postgresql": ["CREATE TABLE document_epochs (id BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)"],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE epic_counts (group_id INTEGER NOT NULL, visibility TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_epic_counts PRIMARY KEY (group_id, visibility)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER epic_counts_epics_inserted AFTER INSERT ON epics WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, g.visibility, 1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE TRUE AND g.id = NEW.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END",
            "CREATE TRIGGER epic_counts_epics_deleted BEFORE DELETE ON epics WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, g.visibility, -1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = t.ancestor_id) AND g.id = OLD.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END",
            "CREATE TRIGGER epic_counts_groups_updated AFTER UPDATE OF visibility ON groups WHEN (OLD.visibility) IS NOT (NEW.visibility) BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, OLD.visibility, -1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = OLD.id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, NEW.visibility, 1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = NEW.id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END",
            "CREATE TRIGGER epic_counts_group_tree_inserted AFTER INSERT ON group_tree WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT NEW.ancestor_id, g.visibility, 1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE TRUE AND g.id = NEW.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END",
            "CREATE TRIGGER epic_counts_group_tree_deleted BEFORE DELETE ON group_tree WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT OLD.ancestor_id, g.visibility, -1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = OLD.ancestor_id) AND g.id = OLD.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END",
            "CREATE TRIGGER epic_counts_of_groups AFTER DELETE ON groups WHEN TRUE BEGIN DELETE FROM epic_counts WHERE group_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE epic_counts (group_id BIGINT NOT NULL, visibility TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_epic_counts ON epic_counts (group_id, visibility)",
            "CREATE FUNCTION epic_counts_add(BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE epic_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM epic_counts c WHERE c.group_id = $1 AND c.visibility = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM epic_counts c WHERE c.group_id = $1 AND c.visibility = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE epic_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO epic_counts (group_id, visibility, n) VALUES ($1, $2, $3); END IF; END IF; END'",
            "CREATE FUNCTION epic_counts_epics_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, g.visibility, 1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE TRUE AND g.id = NEW.group_id FOR SHARE OF g) s (group_id, visibility, n); RETURN NULL; END'",
            "CREATE TRIGGER epic_counts_epics_inserted AFTER INSERT ON epics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_epics_inserted()",
            "CREATE FUNCTION epic_counts_epics_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, g.visibility, -1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = t.ancestor_id) AND g.id = OLD.group_id FOR SHARE OF g) s (group_id, visibility, n); RETURN OLD; END'",
            "CREATE TRIGGER epic_counts_epics_deleted BEFORE DELETE ON epics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_epics_deleted()",
            "CREATE FUNCTION epic_counts_groups_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, OLD.visibility, -1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = OLD.id) s (group_id, visibility, n); PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, NEW.visibility, 1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = NEW.id) s (group_id, visibility, n); RETURN NULL; END'",
            "CREATE TRIGGER epic_counts_groups_updated AFTER UPDATE OF visibility ON groups FOR EACH ROW WHEN ((OLD.visibility) IS DISTINCT FROM (NEW.visibility)) EXECUTE FUNCTION epic_counts_groups_updated()",
            "CREATE FUNCTION epic_counts_group_tree_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT NEW.ancestor_id, g.visibility, 1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE TRUE AND g.id = NEW.group_id) s (group_id, visibility, n); RETURN NULL; END'",
            "CREATE TRIGGER epic_counts_group_tree_inserted AFTER INSERT ON group_tree FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_group_tree_inserted()",
            "CREATE FUNCTION epic_counts_group_tree_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT OLD.ancestor_id, g.visibility, -1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = OLD.ancestor_id) AND g.id = OLD.group_id) s (group_id, visibility, n); RETURN OLD; END'",
            "CREATE TRIGGER epic_counts_group_tree_deleted BEFORE DELETE ON group_tree FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_group_tree_deleted()",
            "CREATE FUNCTION epic_counts_of_groups() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM epic_counts WHERE group_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER epic_counts_of_groups AFTER DELETE ON groups FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_of_groups()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE waiting_texts (name TEXT NOT NULL, id INTEGER NOT NULL, CONSTRAINT pk_waiting_texts PRIMARY KEY (name, id)) STRICT, WITHOUT ROWID"
        ],
        "postgresql": [],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE VIRTUAL TABLE issue_texts_grams USING fts5 (title_folded, description_folded, content='issue_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none)",
            "INSERT INTO issue_texts_grams (issue_texts_grams, rank) VALUES ('pgsz', 1024)",
            "CREATE TRIGGER issue_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'issue_texts' BEGIN INSERT INTO issue_texts_grams (rowid, title_folded, description_folded) SELECT id, title_folded, description_folded FROM issue_texts WHERE id = OLD.id; END",
            "CREATE TRIGGER issue_texts_grams_come AFTER INSERT ON issue_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('issue_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER issue_texts_grams_gone AFTER DELETE ON issue_texts BEGIN INSERT INTO issue_texts_grams (issue_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'issue_texts' AND waiting.id = OLD.id); END",
            "CREATE TRIGGER issue_texts_grams_changed AFTER UPDATE OF title_folded, description_folded ON issue_texts BEGIN INSERT INTO issue_texts_grams (issue_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'issue_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('issue_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER issue_texts_come AFTER INSERT ON issues BEGIN INSERT INTO issue_texts (id, project_id, author_id, state, confidential, created_at, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.state, NEW.confidential, NEW.created_at, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); END",
            "CREATE TRIGGER issue_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON issues BEGIN UPDATE issue_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; END",
            "CREATE TRIGGER issue_texts_stand AFTER UPDATE OF project_id, author_id, state, confidential, created_at, deleted_at ON issues BEGIN DELETE FROM issue_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE issue_texts SET project_id = NEW.project_id, author_id = NEW.author_id, state = NEW.state, confidential = NEW.confidential, created_at = NEW.created_at WHERE id = NEW.id; END",
        ],
        "postgresql": [
            "CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]\nLANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS\n'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(\n    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END'",
            "CREATE INDEX ix_issue_texts_grams ON issue_texts USING gin (trigrams(title_folded || chr(10) || description_folded)) WITH (gin_pending_list_limit = 256)",
            "CREATE INDEX ix_issue_texts_long ON issue_texts (id) WHERE length(title_folded || chr(10) || description_folded) > 20000",
            "CREATE FUNCTION issue_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_texts (id, project_id, author_id, state, confidential, created_at, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.state, NEW.confidential, NEW.created_at, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); RETURN NULL; END'",
            "CREATE TRIGGER issue_texts_come AFTER INSERT ON issues FOR EACH ROW EXECUTE FUNCTION issue_texts_come()",
            "CREATE FUNCTION issue_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE issue_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER issue_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON issues FOR EACH ROW EXECUTE FUNCTION issue_texts_changed_text()",
            "CREATE FUNCTION issue_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE issue_texts SET project_id = NEW.project_id, author_id = NEW.author_id, state = NEW.state, confidential = NEW.confidential, created_at = NEW.created_at WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER issue_texts_stand AFTER UPDATE OF project_id, author_id, state, confidential, created_at, deleted_at ON issues FOR EACH ROW EXECUTE FUNCTION issue_texts_stand()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE issue_counts (project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_counts PRIMARY KEY (project_id, state, confidential)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER issue_counts_issues_inserted AFTER INSERT ON issues WHEN TRUE BEGIN INSERT INTO issue_counts (project_id, state, confidential, n) SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues WHEN (OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_counts (project_id, state, confidential, n) SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; INSERT INTO issue_counts (project_id, state, confidential, n) SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_counts (project_id, state, confidential, n) SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND OLD.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM issue_counts WHERE project_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE issue_counts (project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_issue_counts ON issue_counts (project_id, state, confidential)",
            "CREATE FUNCTION issue_counts_add(BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM issue_counts c WHERE c.project_id = $1 AND c.state = $2 AND c.confidential = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_counts c WHERE c.project_id = $1 AND c.state = $2 AND c.confidential = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO issue_counts (project_id, state, confidential, n) VALUES ($1, $2, $3, $4); END IF; END IF; END'",
            "CREATE FUNCTION issue_counts_issues_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (project_id, state, confidential, n); RETURN NULL; END'",
            "CREATE TRIGGER issue_counts_issues_inserted AFTER INSERT ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_counts_issues_inserted()",
            "CREATE FUNCTION issue_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL) s (project_id, state, confidential, n); PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (project_id, state, confidential, n); RETURN NULL; END'",
            "CREATE TRIGGER issue_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_counts_issues_updated()",
            "CREATE FUNCTION issue_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND OLD.deleted_at IS NULL) s (project_id, state, confidential, n); RETURN OLD; END'",
            "CREATE TRIGGER issue_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_counts_issues_deleted()",
            "CREATE FUNCTION issue_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER issue_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_counts_of_projects()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE issue_documents (\n    id INTEGER NOT NULL PRIMARY KEY,\n    version INTEGER NOT NULL,\n    shape INTEGER,\n    shared_epoch INTEGER,\n    project_epoch INTEGER,\n    body TEXT\n) STRICT",
            "CREATE TRIGGER issue_documents_changed AFTER UPDATE ON issues WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER issue_documents_gone AFTER DELETE ON issues WHEN TRUE BEGIN DELETE FROM issue_documents WHERE id = OLD.id; END",
            "CREATE TRIGGER issue_documents_issue_labels_come AFTER INSERT ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER issue_documents_issue_labels_gone AFTER DELETE ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER issue_documents_issue_labels_changed AFTER UPDATE ON issue_labels WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER issue_documents_issue_assignees_come AFTER INSERT ON issue_assignees WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER issue_documents_issue_assignees_gone AFTER DELETE ON issue_assignees WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER issue_documents_issue_assignees_changed AFTER UPDATE ON issue_assignees WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END",
        ],
        "postgresql": [
            'CREATE TABLE issue_documents (\n    id BIGINT NOT NULL PRIMARY KEY,\n    version BIGINT NOT NULL,\n    shape BIGINT,\n    shared_epoch BIGINT,\n    project_epoch BIGINT,\n    body TEXT COLLATE "C"\n)',
            "CREATE FUNCTION issue_documents_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_changed AFTER UPDATE ON issues DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_changed()",
            "CREATE FUNCTION issue_documents_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_documents WHERE id = OLD.id; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_gone AFTER DELETE ON issues DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_gone()",
            "CREATE FUNCTION issue_documents_issue_labels_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_issue_labels_come AFTER INSERT ON issue_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_labels_come()",
            "CREATE FUNCTION issue_documents_issue_labels_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_issue_labels_gone AFTER DELETE ON issue_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_labels_gone()",
            "CREATE FUNCTION issue_documents_issue_labels_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_issue_labels_changed AFTER UPDATE ON issue_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION issue_documents_issue_labels_changed()",
            "CREATE FUNCTION issue_documents_issue_assignees_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_issue_assignees_come AFTER INSERT ON issue_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_assignees_come()",
            "CREATE FUNCTION issue_documents_issue_assignees_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_issue_assignees_gone AFTER DELETE ON issue_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_assignees_gone()",
            "CREATE FUNCTION issue_documents_issue_assignees_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER issue_documents_issue_assignees_changed AFTER UPDATE ON issue_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION issue_documents_issue_assignees_changed()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TRIGGER document_epochs_labels_title AFTER UPDATE OF title ON labels WHEN (OLD.title) IS NOT (NEW.title) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END"
        ],
        "postgresql": [
            "CREATE FUNCTION document_epochs_labels_title() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER document_epochs_labels_title AFTER UPDATE OF title ON labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.title) IS DISTINCT FROM (NEW.title)) EXECUTE FUNCTION document_epochs_labels_title()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE issue_label_counts (label_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_label_counts PRIMARY KEY (label_id, project_id, state, confidential)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER issue_label_counts_issue_labels_inserted AFTER INSERT ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT NEW.label_id, i.project_id, i.state, i.confidential, 1 FROM issues i WHERE TRUE AND i.id = NEW.issue_id AND i.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_label_counts_issue_labels_deleted BEFORE DELETE ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT OLD.label_id, i.project_id, i.state, i.confidential, -1 FROM issues i WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND i.id = OLD.issue_id AND i.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_label_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues WHEN (OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT il.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels il WHERE TRUE AND il.issue_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT il.label_id, NEW.project_id, NEW.state, NEW.confidential, 1 FROM issue_labels il WHERE TRUE AND il.issue_id = NEW.id AND NEW.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_label_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT il.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels il WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = il.label_id) AND il.issue_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END",
            "CREATE TRIGGER issue_label_counts_of_labels AFTER DELETE ON labels WHEN TRUE BEGIN DELETE FROM issue_label_counts WHERE label_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE issue_label_counts (label_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_issue_label_counts ON issue_label_counts (label_id, project_id, state, confidential)",
            "CREATE FUNCTION issue_label_counts_add(BIGINT, BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_label_counts SET n = n + $5 WHERE ctid = (SELECT c.ctid FROM issue_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_label_counts SET n = n + $5 WHERE ctid = shard; ELSE INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) VALUES ($1, $2, $3, $4, $5); END IF; END IF; END'",
            "CREATE FUNCTION issue_label_counts_issue_labels_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.label_id, i.project_id, i.state, i.confidential, 1 FROM issues i WHERE TRUE AND i.id = NEW.issue_id AND i.deleted_at IS NULL FOR SHARE) s (label_id, project_id, state, confidential, n); RETURN NULL; END'",
            "CREATE TRIGGER issue_label_counts_issue_labels_inserted AFTER INSERT ON issue_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_issue_labels_inserted()",
            "CREATE FUNCTION issue_label_counts_issue_labels_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.label_id, i.project_id, i.state, i.confidential, -1 FROM issues i WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND i.id = OLD.issue_id AND i.deleted_at IS NULL FOR SHARE) s (label_id, project_id, state, confidential, n); RETURN OLD; END'",
            "CREATE TRIGGER issue_label_counts_issue_labels_deleted BEFORE DELETE ON issue_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_issue_labels_deleted()",
            "CREATE FUNCTION issue_label_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT il.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels il WHERE TRUE AND il.issue_id = OLD.id AND OLD.deleted_at IS NULL) s (label_id, project_id, state, confidential, n); PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT il.label_id, NEW.project_id, NEW.state, NEW.confidential, 1 FROM issue_labels il WHERE TRUE AND il.issue_id = NEW.id AND NEW.deleted_at IS NULL) s (label_id, project_id, state, confidential, n); RETURN NULL; END'",
            "CREATE TRIGGER issue_label_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_label_counts_issues_updated()",
            "CREATE FUNCTION issue_label_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT il.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels il WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = il.label_id) AND il.issue_id = OLD.id AND OLD.deleted_at IS NULL) s (label_id, project_id, state, confidential, n); RETURN OLD; END'",
            "CREATE TRIGGER issue_label_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_issues_deleted()",
            "CREATE FUNCTION issue_label_counts_of_labels() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_label_counts WHERE label_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER issue_label_counts_of_labels AFTER DELETE ON labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_of_labels()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TRIGGER document_epochs_milestones_iid AFTER UPDATE OF iid, project_id, group_id, title, description, state, start_on, due_on, created_at, updated_at ON milestones WHEN (OLD.iid, OLD.project_id, OLD.group_id, OLD.title, OLD.description, OLD.state, OLD.start_on, OLD.due_on, OLD.created_at, OLD.updated_at) IS NOT (NEW.iid, NEW.project_id, NEW.group_id, NEW.title, NEW.description, NEW.state, NEW.start_on, NEW.due_on, NEW.created_at, NEW.updated_at) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END"
        ],
        "postgresql": [
            "CREATE FUNCTION document_epochs_milestones_iid() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER document_epochs_milestones_iid AFTER UPDATE OF iid, project_id, group_id, title, description, state, start_on, due_on, created_at, updated_at ON milestones DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.iid, OLD.project_id, OLD.group_id, OLD.title, OLD.description, OLD.state, OLD.start_on, OLD.due_on, OLD.created_at, OLD.updated_at) IS DISTINCT FROM (NEW.iid, NEW.project_id, NEW.group_id, NEW.title, NEW.description, NEW.state, NEW.start_on, NEW.due_on, NEW.created_at, NEW.updated_at)) EXECUTE FUNCTION document_epochs_milestones_iid()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TRIGGER document_epochs_routes_path AFTER UPDATE OF path ON routes WHEN (OLD.path) IS NOT (NEW.path) BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT p.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id\n        WHERE t.ancestor_id = OLD.namespace_id\n        AND EXISTS (SELECT 1 FROM milestones ms WHERE ms.group_id = OLD.namespace_id)) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END"
        ],
        "postgresql": [
            "CREATE FUNCTION document_epochs_routes_path() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT p.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id\n        WHERE t.ancestor_id = OLD.namespace_id\n        AND EXISTS (SELECT 1 FROM milestones ms WHERE ms.group_id = OLD.namespace_id)) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER document_epochs_routes_path AFTER UPDATE OF path ON routes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.path) IS DISTINCT FROM (NEW.path)) EXECUTE FUNCTION document_epochs_routes_path()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE note_counts (noteable_kind TEXT NOT NULL, noteable_id INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_note_counts PRIMARY KEY (noteable_kind, noteable_id)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER note_counts_notes_inserted AFTER INSERT ON notes WHEN TRUE BEGIN INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; END",
            "CREATE TRIGGER note_counts_notes_updated AFTER UPDATE OF noteable_kind, noteable_id ON notes WHEN (OLD.noteable_kind, OLD.noteable_id) IS NOT (NEW.noteable_kind, NEW.noteable_id) BEGIN INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; END",
            "CREATE TRIGGER note_counts_notes_deleted BEFORE DELETE ON notes WHEN TRUE BEGIN INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; END",
        ],
        "postgresql": [
            'CREATE TABLE note_counts (noteable_kind TEXT COLLATE "C" NOT NULL, noteable_id BIGINT NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_note_counts ON note_counts (noteable_kind, noteable_id)",
            "CREATE FUNCTION note_counts_add(TEXT, BIGINT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE note_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM note_counts c WHERE c.noteable_kind = $1 AND c.noteable_id = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM note_counts c WHERE c.noteable_kind = $1 AND c.noteable_id = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE note_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO note_counts (noteable_kind, noteable_id, n) VALUES ($1, $2, $3); END IF; END IF; END'",
            "CREATE FUNCTION note_counts_notes_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); RETURN NULL; END'",
            "CREATE TRIGGER note_counts_notes_inserted AFTER INSERT ON notes FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION note_counts_notes_inserted()",
            "CREATE FUNCTION note_counts_notes_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); RETURN NULL; END'",
            "CREATE TRIGGER note_counts_notes_updated AFTER UPDATE OF noteable_kind, noteable_id ON notes FOR EACH ROW WHEN ((OLD.noteable_kind, OLD.noteable_id) IS DISTINCT FROM (NEW.noteable_kind, NEW.noteable_id)) EXECUTE FUNCTION note_counts_notes_updated()",
            "CREATE FUNCTION note_counts_notes_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); RETURN OLD; END'",
            "CREATE TRIGGER note_counts_notes_deleted BEFORE DELETE ON notes FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION note_counts_notes_deleted()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE VIRTUAL TABLE note_texts_grams USING fts5 (body_folded, content='note_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none)",
            "INSERT INTO note_texts_grams (note_texts_grams, rank) VALUES ('pgsz', 1024)",
            "CREATE TRIGGER note_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'note_texts' BEGIN INSERT INTO note_texts_grams (rowid, body_folded) SELECT id, body_folded FROM note_texts WHERE id = OLD.id; END",
            "CREATE TRIGGER note_texts_grams_come AFTER INSERT ON note_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('note_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER note_texts_grams_gone AFTER DELETE ON note_texts BEGIN INSERT INTO note_texts_grams (note_texts_grams, rowid, body_folded) SELECT 'delete', OLD.id, OLD.body_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'note_texts' AND waiting.id = OLD.id); END",
            "CREATE TRIGGER note_texts_grams_changed AFTER UPDATE OF body_folded ON note_texts BEGIN INSERT INTO note_texts_grams (note_texts_grams, rowid, body_folded) SELECT 'delete', OLD.id, OLD.body_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'note_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('note_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER note_texts_come AFTER INSERT ON notes BEGIN INSERT INTO note_texts (id, noteable_kind, noteable_id, body_folded) SELECT NEW.id, NEW.noteable_kind, NEW.noteable_id, NEW.body_folded WHERE NOT (NEW.system); END",
            "CREATE TRIGGER note_texts_changed_text AFTER UPDATE OF body_folded ON notes BEGIN UPDATE note_texts SET body_folded = NEW.body_folded WHERE id = NEW.id; END",
            "CREATE TRIGGER note_texts_stand AFTER UPDATE OF noteable_kind, noteable_id, system ON notes BEGIN DELETE FROM note_texts WHERE id = NEW.id AND NEW.system; UPDATE note_texts SET noteable_kind = NEW.noteable_kind, noteable_id = NEW.noteable_id WHERE id = NEW.id; END",
        ],
        "postgresql": [
            "CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]\nLANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS\n'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(\n    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END'",
            "CREATE INDEX ix_note_texts_grams ON note_texts USING gin (trigrams(body_folded)) WITH (gin_pending_list_limit = 256)",
            "CREATE INDEX ix_note_texts_long ON note_texts (id) WHERE length(body_folded) > 20000",
            "CREATE FUNCTION note_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO note_texts (id, noteable_kind, noteable_id, body_folded) SELECT NEW.id, NEW.noteable_kind, NEW.noteable_id, NEW.body_folded WHERE NOT (NEW.system); RETURN NULL; END'",
            "CREATE TRIGGER note_texts_come AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION note_texts_come()",
            "CREATE FUNCTION note_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE note_texts SET body_folded = NEW.body_folded WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER note_texts_changed_text AFTER UPDATE OF body_folded ON notes FOR EACH ROW EXECUTE FUNCTION note_texts_changed_text()",
            "CREATE FUNCTION note_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM note_texts WHERE id = NEW.id AND NEW.system; UPDATE note_texts SET noteable_kind = NEW.noteable_kind, noteable_id = NEW.noteable_id WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER note_texts_stand AFTER UPDATE OF noteable_kind, noteable_id, system ON notes FOR EACH ROW EXECUTE FUNCTION note_texts_stand()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE merge_request_counts (project_id INTEGER NOT NULL, state TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_merge_request_counts PRIMARY KEY (project_id, state)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER merge_request_counts_merge_requests_inserted AFTER INSERT ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_counts (project_id, state, n) SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests WHEN (OLD.project_id, OLD.state) IS NOT (NEW.project_id, NEW.state) BEGIN INSERT INTO merge_request_counts (project_id, state, n) SELECT OLD.project_id, OLD.state, -1 WHERE TRUE AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; INSERT INTO merge_request_counts (project_id, state, n) SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_counts_merge_requests_deleted BEFORE DELETE ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_counts (project_id, state, n) SELECT OLD.project_id, OLD.state, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM merge_request_counts WHERE project_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE merge_request_counts (project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_merge_request_counts ON merge_request_counts (project_id, state)",
            "CREATE FUNCTION merge_request_counts_add(BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE merge_request_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM merge_request_counts c WHERE c.project_id = $1 AND c.state = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM merge_request_counts c WHERE c.project_id = $1 AND c.state = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE merge_request_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO merge_request_counts (project_id, state, n) VALUES ($1, $2, $3); END IF; END IF; END'",
            "CREATE FUNCTION merge_request_counts_merge_requests_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE) s (project_id, state, n); RETURN NULL; END'",
            "CREATE TRIGGER merge_request_counts_merge_requests_inserted AFTER INSERT ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_counts_merge_requests_inserted()",
            "CREATE FUNCTION merge_request_counts_merge_requests_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT OLD.project_id, OLD.state, -1 WHERE TRUE AND TRUE) s (project_id, state, n); PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE) s (project_id, state, n); RETURN NULL; END'",
            "CREATE TRIGGER merge_request_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests FOR EACH ROW WHEN ((OLD.project_id, OLD.state) IS DISTINCT FROM (NEW.project_id, NEW.state)) EXECUTE FUNCTION merge_request_counts_merge_requests_updated()",
            "CREATE FUNCTION merge_request_counts_merge_requests_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT OLD.project_id, OLD.state, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE) s (project_id, state, n); RETURN OLD; END'",
            "CREATE TRIGGER merge_request_counts_merge_requests_deleted BEFORE DELETE ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_counts_merge_requests_deleted()",
            "CREATE FUNCTION merge_request_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER merge_request_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_counts_of_projects()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE VIRTUAL TABLE merge_request_texts_grams USING fts5 (title_folded, description_folded, content='merge_request_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none)",
            "INSERT INTO merge_request_texts_grams (merge_request_texts_grams, rank) VALUES ('pgsz', 1024)",
            "CREATE TRIGGER merge_request_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'merge_request_texts' BEGIN INSERT INTO merge_request_texts_grams (rowid, title_folded, description_folded) SELECT id, title_folded, description_folded FROM merge_request_texts WHERE id = OLD.id; END",
            "CREATE TRIGGER merge_request_texts_grams_come AFTER INSERT ON merge_request_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('merge_request_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER merge_request_texts_grams_gone AFTER DELETE ON merge_request_texts BEGIN INSERT INTO merge_request_texts_grams (merge_request_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'merge_request_texts' AND waiting.id = OLD.id); END",
            "CREATE TRIGGER merge_request_texts_grams_changed AFTER UPDATE OF title_folded, description_folded ON merge_request_texts BEGIN INSERT INTO merge_request_texts_grams (merge_request_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'merge_request_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('merge_request_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER merge_request_texts_come AFTER INSERT ON merge_requests BEGIN INSERT INTO merge_request_texts (id, project_id, author_id, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.id IS NULL); END",
            "CREATE TRIGGER merge_request_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON merge_requests BEGIN UPDATE merge_request_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; END",
            "CREATE TRIGGER merge_request_texts_stand AFTER UPDATE OF project_id, author_id, id ON merge_requests BEGIN DELETE FROM merge_request_texts WHERE id = NEW.id AND NEW.id IS NULL; UPDATE merge_request_texts SET project_id = NEW.project_id, author_id = NEW.author_id WHERE id = NEW.id; END",
        ],
        "postgresql": [
            "CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]\nLANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS\n'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(\n    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END'",
            "CREATE INDEX ix_merge_request_texts_grams ON merge_request_texts USING gin (trigrams(title_folded || chr(10) || description_folded)) WITH (gin_pending_list_limit = 256)",
            "CREATE INDEX ix_merge_request_texts_long ON merge_request_texts (id) WHERE length(title_folded || chr(10) || description_folded) > 20000",
            "CREATE FUNCTION merge_request_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_texts (id, project_id, author_id, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.id IS NULL); RETURN NULL; END'",
            "CREATE TRIGGER merge_request_texts_come AFTER INSERT ON merge_requests FOR EACH ROW EXECUTE FUNCTION merge_request_texts_come()",
            "CREATE FUNCTION merge_request_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE merge_request_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER merge_request_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON merge_requests FOR EACH ROW EXECUTE FUNCTION merge_request_texts_changed_text()",
            "CREATE FUNCTION merge_request_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_texts WHERE id = NEW.id AND NEW.id IS NULL; UPDATE merge_request_texts SET project_id = NEW.project_id, author_id = NEW.author_id WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER merge_request_texts_stand AFTER UPDATE OF project_id, author_id, id ON merge_requests FOR EACH ROW EXECUTE FUNCTION merge_request_texts_stand()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE merge_request_label_counts (label_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_merge_request_label_counts PRIMARY KEY (label_id, project_id, state)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER merge_request_label_counts_merge_request_labels_inserted AFTER INSERT ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT NEW.label_id, mr.project_id, mr.state, 1 FROM merge_requests mr WHERE TRUE AND mr.id = NEW.merge_request_id ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_label_counts_merge_request_labels_deleted BEFORE DELETE ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT OLD.label_id, mr.project_id, mr.state, -1 FROM merge_requests mr WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND mr.id = OLD.merge_request_id ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_label_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests WHEN (OLD.project_id, OLD.state) IS NOT (NEW.project_id, NEW.state) BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT ml.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels ml WHERE TRUE AND ml.merge_request_id = OLD.id ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT ml.label_id, NEW.project_id, NEW.state, 1 FROM merge_request_labels ml WHERE TRUE AND ml.merge_request_id = NEW.id ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_label_counts_merge_requests_deleted BEFORE DELETE ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT ml.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels ml WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = ml.label_id) AND ml.merge_request_id = OLD.id ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END",
            "CREATE TRIGGER merge_request_label_counts_of_labels AFTER DELETE ON labels WHEN TRUE BEGIN DELETE FROM merge_request_label_counts WHERE label_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE merge_request_label_counts (label_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_merge_request_label_counts ON merge_request_label_counts (label_id, project_id, state)",
            "CREATE FUNCTION merge_request_label_counts_add(BIGINT, BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE merge_request_label_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM merge_request_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM merge_request_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE merge_request_label_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO merge_request_label_counts (label_id, project_id, state, n) VALUES ($1, $2, $3, $4); END IF; END IF; END'",
            "CREATE FUNCTION merge_request_label_counts_merge_request_labels_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT NEW.label_id, mr.project_id, mr.state, 1 FROM merge_requests mr WHERE TRUE AND mr.id = NEW.merge_request_id FOR SHARE) s (label_id, project_id, state, n); RETURN NULL; END'",
            "CREATE TRIGGER merge_request_label_counts_merge_request_labels_inserted AFTER INSERT ON merge_request_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_merge_request_labels_inserted()",
            "CREATE FUNCTION merge_request_label_counts_merge_request_labels_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT OLD.label_id, mr.project_id, mr.state, -1 FROM merge_requests mr WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND mr.id = OLD.merge_request_id FOR SHARE) s (label_id, project_id, state, n); RETURN OLD; END'",
            "CREATE TRIGGER merge_request_label_counts_merge_request_labels_deleted BEFORE DELETE ON merge_request_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_merge_request_labels_deleted()",
            "CREATE FUNCTION merge_request_label_counts_merge_requests_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT ml.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels ml WHERE TRUE AND ml.merge_request_id = OLD.id) s (label_id, project_id, state, n); PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT ml.label_id, NEW.project_id, NEW.state, 1 FROM merge_request_labels ml WHERE TRUE AND ml.merge_request_id = NEW.id) s (label_id, project_id, state, n); RETURN NULL; END'",
            "CREATE TRIGGER merge_request_label_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests FOR EACH ROW WHEN ((OLD.project_id, OLD.state) IS DISTINCT FROM (NEW.project_id, NEW.state)) EXECUTE FUNCTION merge_request_label_counts_merge_requests_updated()",
            "CREATE FUNCTION merge_request_label_counts_merge_requests_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT ml.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels ml WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = ml.label_id) AND ml.merge_request_id = OLD.id) s (label_id, project_id, state, n); RETURN OLD; END'",
            "CREATE TRIGGER merge_request_label_counts_merge_requests_deleted BEFORE DELETE ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_merge_requests_deleted()",
            "CREATE FUNCTION merge_request_label_counts_of_labels() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_label_counts WHERE label_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER merge_request_label_counts_of_labels AFTER DELETE ON labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_of_labels()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE merge_request_documents (\n    id INTEGER NOT NULL PRIMARY KEY,\n    version INTEGER NOT NULL,\n    shape INTEGER,\n    shared_epoch INTEGER,\n    project_epoch INTEGER,\n    body TEXT\n) STRICT",
            "CREATE TRIGGER merge_request_documents_changed AFTER UPDATE ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_gone AFTER DELETE ON merge_requests WHEN TRUE BEGIN DELETE FROM merge_request_documents WHERE id = OLD.id; END",
            "CREATE TRIGGER merge_request_documents_merge_request_labels_come AFTER INSERT ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_labels_gone AFTER DELETE ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_labels_changed AFTER UPDATE ON merge_request_labels WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_assignees_come AFTER INSERT ON merge_request_assignees WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_assignees_gone AFTER DELETE ON merge_request_assignees WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_assignees_changed AFTER UPDATE ON merge_request_assignees WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_reviewers_come AFTER INSERT ON merge_request_reviewers WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_reviewers_gone AFTER DELETE ON merge_request_reviewers WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_reviewers_changed AFTER UPDATE ON merge_request_reviewers WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_versions_come AFTER INSERT ON merge_request_versions WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_versions_gone AFTER DELETE ON merge_request_versions WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_merge_request_versions_changed AFTER UPDATE OF merge_request_id, head_sha, state ON merge_request_versions WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_approvals_come AFTER INSERT ON approvals WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_approvals_gone AFTER DELETE ON approvals WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_approvals_changed AFTER UPDATE ON approvals WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_awards_come AFTER INSERT ON awards WHEN NEW.subject_kind = 'merge_request' BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_awards_gone AFTER DELETE ON awards WHEN OLD.subject_kind = 'merge_request' BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_awards_changed AFTER UPDATE ON awards WHEN (OLD.subject_kind = 'merge_request') OR (NEW.subject_kind = 'merge_request') BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_notes_come AFTER INSERT ON notes WHEN NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_notes_gone AFTER DELETE ON notes WHEN OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_notes_changed AFTER UPDATE OF noteable_id, system, individual, resolved_at ON notes WHEN (OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual) OR (NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_pipelines_come AFTER INSERT ON pipelines WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = 'opened'\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_pipelines_gone AFTER DELETE ON pipelines WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = 'opened'\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
            "CREATE TRIGGER merge_request_documents_pipelines_changed AFTER UPDATE OF status ON pipelines WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = 'opened'\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = 'opened'\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END",
        ],
        "postgresql": [
            'CREATE TABLE merge_request_documents (\n    id BIGINT NOT NULL PRIMARY KEY,\n    version BIGINT NOT NULL,\n    shape BIGINT,\n    shared_epoch BIGINT,\n    project_epoch BIGINT,\n    body TEXT COLLATE "C"\n)',
            "CREATE FUNCTION merge_request_documents_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_changed AFTER UPDATE ON merge_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_changed()",
            "CREATE FUNCTION merge_request_documents_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_documents WHERE id = OLD.id; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_gone AFTER DELETE ON merge_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_gone()",
            "CREATE FUNCTION merge_request_documents_merge_request_labels_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_labels_come AFTER INSERT ON merge_request_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_labels_come()",
            "CREATE FUNCTION merge_request_documents_merge_request_labels_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_labels_gone AFTER DELETE ON merge_request_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_labels_gone()",
            "CREATE FUNCTION merge_request_documents_merge_request_labels_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_labels_changed AFTER UPDATE ON merge_request_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_labels_changed()",
            "CREATE FUNCTION merge_request_documents_merge_request_assignees_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_assignees_come AFTER INSERT ON merge_request_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_assignees_come()",
            "CREATE FUNCTION merge_request_documents_merge_request_assignees_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_assignees_gone AFTER DELETE ON merge_request_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_assignees_gone()",
            "CREATE FUNCTION merge_request_documents_merge_request_assignees_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_assignees_changed AFTER UPDATE ON merge_request_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_assignees_changed()",
            "CREATE FUNCTION merge_request_documents_merge_request_reviewers_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_reviewers_come AFTER INSERT ON merge_request_reviewers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_reviewers_come()",
            "CREATE FUNCTION merge_request_documents_merge_request_reviewers_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_reviewers_gone AFTER DELETE ON merge_request_reviewers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_reviewers_gone()",
            "CREATE FUNCTION merge_request_documents_merge_request_reviewers_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_reviewers_changed AFTER UPDATE ON merge_request_reviewers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_reviewers_changed()",
            "CREATE FUNCTION merge_request_documents_merge_request_versions_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_versions_come AFTER INSERT ON merge_request_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_versions_come()",
            "CREATE FUNCTION merge_request_documents_merge_request_versions_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_versions_gone AFTER DELETE ON merge_request_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_versions_gone()",
            "CREATE FUNCTION merge_request_documents_merge_request_versions_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_versions_changed AFTER UPDATE OF merge_request_id, head_sha, state ON merge_request_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_versions_changed()",
            "CREATE FUNCTION merge_request_documents_approvals_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_approvals_come AFTER INSERT ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_approvals_come()",
            "CREATE FUNCTION merge_request_documents_approvals_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_approvals_gone AFTER DELETE ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_approvals_gone()",
            "CREATE FUNCTION merge_request_documents_approvals_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_approvals_changed AFTER UPDATE ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_approvals_changed()",
            "CREATE FUNCTION merge_request_documents_awards_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_awards_come AFTER INSERT ON awards DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.subject_kind = 'merge_request') EXECUTE FUNCTION merge_request_documents_awards_come()",
            "CREATE FUNCTION merge_request_documents_awards_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_awards_gone AFTER DELETE ON awards DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.subject_kind = 'merge_request') EXECUTE FUNCTION merge_request_documents_awards_gone()",
            "CREATE FUNCTION merge_request_documents_awards_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_awards_changed AFTER UPDATE ON awards DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.subject_kind = 'merge_request') OR (NEW.subject_kind = 'merge_request')) EXECUTE FUNCTION merge_request_documents_awards_changed()",
            "CREATE FUNCTION merge_request_documents_notes_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_notes_come AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual) EXECUTE FUNCTION merge_request_documents_notes_come()",
            "CREATE FUNCTION merge_request_documents_notes_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_notes_gone AFTER DELETE ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual) EXECUTE FUNCTION merge_request_documents_notes_gone()",
            "CREATE FUNCTION merge_request_documents_notes_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_notes_changed AFTER UPDATE OF noteable_id, system, individual, resolved_at ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual) OR (NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual)) EXECUTE FUNCTION merge_request_documents_notes_changed()",
            "CREATE FUNCTION merge_request_documents_pipelines_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = ''opened''\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_pipelines_come AFTER INSERT ON pipelines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_pipelines_come()",
            "CREATE FUNCTION merge_request_documents_pipelines_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = ''opened''\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_pipelines_gone AFTER DELETE ON pipelines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_pipelines_gone()",
            "CREATE FUNCTION merge_request_documents_pipelines_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = ''opened''\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id\n            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = ''opened''\n            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER merge_request_documents_pipelines_changed AFTER UPDATE OF status ON pipelines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_pipelines_changed()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TRIGGER document_epochs_projects_merge_method AFTER UPDATE OF merge_method, only_allow_merge_if_pipeline_succeeds, only_allow_merge_if_all_discussions_are_resolved, approvals_before_merge ON projects WHEN (OLD.merge_method, OLD.only_allow_merge_if_pipeline_succeeds, OLD.only_allow_merge_if_all_discussions_are_resolved, OLD.approvals_before_merge) IS NOT (NEW.merge_method, NEW.only_allow_merge_if_pipeline_succeeds, NEW.only_allow_merge_if_all_discussions_are_resolved, NEW.approvals_before_merge) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END"
        ],
        "postgresql": [
            "CREATE FUNCTION document_epochs_projects_merge_method() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER document_epochs_projects_merge_method AFTER UPDATE OF merge_method, only_allow_merge_if_pipeline_succeeds, only_allow_merge_if_all_discussions_are_resolved, approvals_before_merge ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.merge_method, OLD.only_allow_merge_if_pipeline_succeeds, OLD.only_allow_merge_if_all_discussions_are_resolved, OLD.approvals_before_merge) IS DISTINCT FROM (NEW.merge_method, NEW.only_allow_merge_if_pipeline_succeeds, NEW.only_allow_merge_if_all_discussions_are_resolved, NEW.approvals_before_merge)) EXECUTE FUNCTION document_epochs_projects_merge_method()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TRIGGER document_epochs_projects_deleted_at AFTER UPDATE OF deleted_at ON projects WHEN (OLD.deleted_at) IS NOT (NEW.deleted_at) BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT DISTINCT mr.project_id AS id FROM merge_requests mr\n        WHERE mr.source_project_id = OLD.id AND mr.source_project_id <> mr.project_id) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END"
        ],
        "postgresql": [
            "CREATE FUNCTION document_epochs_projects_deleted_at() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT DISTINCT mr.project_id AS id FROM merge_requests mr\n        WHERE mr.source_project_id = OLD.id AND mr.source_project_id <> mr.project_id) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END'",
            "CREATE CONSTRAINT TRIGGER document_epochs_projects_deleted_at AFTER UPDATE OF deleted_at ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.deleted_at) IS DISTINCT FROM (NEW.deleted_at)) EXECUTE FUNCTION document_epochs_projects_deleted_at()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE member_counts (source_kind TEXT NOT NULL, source_id INTEGER NOT NULL, expires_on TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_member_counts PRIMARY KEY (source_kind, source_id, expires_on)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER member_counts_members_inserted AFTER INSERT ON members WHEN TRUE BEGIN INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; END",
            "CREATE TRIGGER member_counts_members_updated AFTER UPDATE OF source_kind, source_id, expires_on ON members WHEN (OLD.source_kind, OLD.source_id, OLD.expires_on) IS NOT (NEW.source_kind, NEW.source_id, NEW.expires_on) BEGIN INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; END",
            "CREATE TRIGGER member_counts_members_deleted BEFORE DELETE ON members WHEN TRUE BEGIN INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; END",
        ],
        "postgresql": [
            'CREATE TABLE member_counts (source_kind TEXT COLLATE "C" NOT NULL, source_id BIGINT NOT NULL, expires_on TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_member_counts ON member_counts (source_kind, source_id, expires_on)",
            "CREATE FUNCTION member_counts_add(TEXT, BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE member_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM member_counts c WHERE c.source_kind = $1 AND c.source_id = $2 AND c.expires_on = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM member_counts c WHERE c.source_kind = $1 AND c.source_id = $2 AND c.expires_on = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE member_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO member_counts (source_kind, source_id, expires_on, n) VALUES ($1, $2, $3, $4); END IF; END IF; END'",
            "CREATE FUNCTION member_counts_members_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); RETURN NULL; END'",
            "CREATE TRIGGER member_counts_members_inserted AFTER INSERT ON members FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION member_counts_members_inserted()",
            "CREATE FUNCTION member_counts_members_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); RETURN NULL; END'",
            "CREATE TRIGGER member_counts_members_updated AFTER UPDATE OF source_kind, source_id, expires_on ON members FOR EACH ROW WHEN ((OLD.source_kind, OLD.source_id, OLD.expires_on) IS DISTINCT FROM (NEW.source_kind, NEW.source_id, NEW.expires_on)) EXECUTE FUNCTION member_counts_members_updated()",
            "CREATE FUNCTION member_counts_members_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); RETURN OLD; END'",
            "CREATE TRIGGER member_counts_members_deleted BEFORE DELETE ON members FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION member_counts_members_deleted()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE VIRTUAL TABLE project_texts_grams USING fts5 (name_folded, path_folded, description_folded, content='project_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none)",
            "INSERT INTO project_texts_grams (project_texts_grams, rank) VALUES ('pgsz', 1024)",
            "CREATE TRIGGER project_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'project_texts' BEGIN INSERT INTO project_texts_grams (rowid, name_folded, path_folded, description_folded) SELECT id, name_folded, path_folded, description_folded FROM project_texts WHERE id = OLD.id; END",
            "CREATE TRIGGER project_texts_grams_come AFTER INSERT ON project_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('project_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER project_texts_grams_gone AFTER DELETE ON project_texts BEGIN INSERT INTO project_texts_grams (project_texts_grams, rowid, name_folded, path_folded, description_folded) SELECT 'delete', OLD.id, OLD.name_folded, OLD.path_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'project_texts' AND waiting.id = OLD.id); END",
            "CREATE TRIGGER project_texts_grams_changed AFTER UPDATE OF name_folded, path_folded, description_folded ON project_texts BEGIN INSERT INTO project_texts_grams (project_texts_grams, rowid, name_folded, path_folded, description_folded) SELECT 'delete', OLD.id, OLD.name_folded, OLD.path_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'project_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('project_texts', NEW.id) ON CONFLICT DO NOTHING; END",
            "CREATE TRIGGER project_texts_come AFTER INSERT ON projects BEGIN INSERT INTO project_texts (id, namespace_id, name_folded, path_folded, description_folded) SELECT NEW.id, NEW.namespace_id, NEW.name_folded, NEW.path_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); END",
            "CREATE TRIGGER project_texts_changed_text AFTER UPDATE OF name_folded, path_folded, description_folded ON projects BEGIN UPDATE project_texts SET name_folded = NEW.name_folded, path_folded = NEW.path_folded, description_folded = NEW.description_folded WHERE id = NEW.id; END",
            "CREATE TRIGGER project_texts_stand AFTER UPDATE OF namespace_id, deleted_at ON projects BEGIN DELETE FROM project_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE project_texts SET namespace_id = NEW.namespace_id WHERE id = NEW.id; END",
        ],
        "postgresql": [
            "CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]\nLANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS\n'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(\n    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END'",
            "CREATE INDEX ix_project_texts_grams ON project_texts USING gin (trigrams(name_folded || chr(10) || path_folded || chr(10) || description_folded)) WITH (gin_pending_list_limit = 256)",
            "CREATE INDEX ix_project_texts_long ON project_texts (id) WHERE length(name_folded || chr(10) || path_folded || chr(10) || description_folded) > 20000",
            "CREATE FUNCTION project_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO project_texts (id, namespace_id, name_folded, path_folded, description_folded) SELECT NEW.id, NEW.namespace_id, NEW.name_folded, NEW.path_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); RETURN NULL; END'",
            "CREATE TRIGGER project_texts_come AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION project_texts_come()",
            "CREATE FUNCTION project_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE project_texts SET name_folded = NEW.name_folded, path_folded = NEW.path_folded, description_folded = NEW.description_folded WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER project_texts_changed_text AFTER UPDATE OF name_folded, path_folded, description_folded ON projects FOR EACH ROW EXECUTE FUNCTION project_texts_changed_text()",
            "CREATE FUNCTION project_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM project_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE project_texts SET namespace_id = NEW.namespace_id WHERE id = NEW.id; RETURN NULL; END'",
            "CREATE TRIGGER project_texts_stand AFTER UPDATE OF namespace_id, deleted_at ON projects FOR EACH ROW EXECUTE FUNCTION project_texts_stand()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
    for statement in {
        "sqlite": [
            "CREATE TABLE project_counts (namespace_id INTEGER NOT NULL, visibility TEXT NOT NULL, archived INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_project_counts PRIMARY KEY (namespace_id, visibility, archived)) STRICT, WITHOUT ROWID",
            "CREATE TRIGGER project_counts_projects_inserted AFTER INSERT ON projects WHEN TRUE BEGIN INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; END",
            "CREATE TRIGGER project_counts_projects_updated AFTER UPDATE OF namespace_id, visibility, archived, deleted_at ON projects WHEN (OLD.namespace_id, OLD.visibility, OLD.archived, OLD.deleted_at) IS NOT (NEW.namespace_id, NEW.visibility, NEW.archived, NEW.deleted_at) BEGIN INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE TRUE AND OLD.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; END",
            "CREATE TRIGGER project_counts_projects_deleted BEFORE DELETE ON projects WHEN TRUE BEGIN INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE EXISTS (SELECT 1 FROM namespaces o WHERE o.id = OLD.namespace_id) AND OLD.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; END",
            "CREATE TRIGGER project_counts_of_namespaces AFTER DELETE ON namespaces WHEN TRUE BEGIN DELETE FROM project_counts WHERE namespace_id = OLD.id AND TRUE; END",
        ],
        "postgresql": [
            'CREATE TABLE project_counts (namespace_id BIGINT NOT NULL, visibility TEXT COLLATE "C" NOT NULL, archived BOOLEAN NOT NULL, n BIGINT NOT NULL)',
            "CREATE INDEX ix_project_counts ON project_counts (namespace_id, visibility, archived)",
            "CREATE FUNCTION project_counts_add(BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE project_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM project_counts c WHERE c.namespace_id = $1 AND c.visibility = $2 AND c.archived = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM project_counts c WHERE c.namespace_id = $1 AND c.visibility = $2 AND c.archived = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE project_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO project_counts (namespace_id, visibility, archived, n) VALUES ($1, $2, $3, $4); END IF; END IF; END'",
            "CREATE FUNCTION project_counts_projects_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (namespace_id, visibility, archived, n); RETURN NULL; END'",
            "CREATE TRIGGER project_counts_projects_inserted AFTER INSERT ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION project_counts_projects_inserted()",
            "CREATE FUNCTION project_counts_projects_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE TRUE AND OLD.deleted_at IS NULL) s (namespace_id, visibility, archived, n); PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (namespace_id, visibility, archived, n); RETURN NULL; END'",
            "CREATE TRIGGER project_counts_projects_updated AFTER UPDATE OF namespace_id, visibility, archived, deleted_at ON projects FOR EACH ROW WHEN ((OLD.namespace_id, OLD.visibility, OLD.archived, OLD.deleted_at) IS DISTINCT FROM (NEW.namespace_id, NEW.visibility, NEW.archived, NEW.deleted_at)) EXECUTE FUNCTION project_counts_projects_updated()",
            "CREATE FUNCTION project_counts_projects_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE EXISTS (SELECT 1 FROM namespaces o WHERE o.id = OLD.namespace_id) AND OLD.deleted_at IS NULL) s (namespace_id, visibility, archived, n); RETURN OLD; END'",
            "CREATE TRIGGER project_counts_projects_deleted BEFORE DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION project_counts_projects_deleted()",
            "CREATE FUNCTION project_counts_of_namespaces() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM project_counts WHERE namespace_id = OLD.id AND TRUE; RETURN NULL; END'",
            "CREATE TRIGGER project_counts_of_namespaces AFTER DELETE ON namespaces FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION project_counts_of_namespaces()",
        ],
    }[op.get_bind().dialect.name]:
        op.execute(statement)
