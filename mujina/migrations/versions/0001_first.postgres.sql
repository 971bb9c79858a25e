-- Written by `make schema` from the tables.py of every slice.

CREATE TABLE ldap_runs (
	provider TEXT COLLATE "C" NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	started_at TEXT COLLATE "C" NOT NULL,
	ended_at TEXT COLLATE "C" NOT NULL,
	outcome TEXT COLLATE "C" NOT NULL,
	summary TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_ldap_runs PRIMARY KEY (provider, kind)
);

CREATE TABLE failed_logins (
	claimed TEXT COLLATE "C" NOT NULL,
	failures BIGINT NOT NULL,
	failed_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_failed_logins PRIMARY KEY (claimed)
);

CREATE INDEX ix_failed_logins_failed_at ON failed_logins (failed_at);

CREATE TABLE users (
	id BIGSERIAL NOT NULL,
	kind TEXT COLLATE "C" DEFAULT 'person' NOT NULL,
	username TEXT COLLATE "C" NOT NULL,
	username_folded TEXT COLLATE "C" NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	name_folded TEXT COLLATE "C" NOT NULL,
	email TEXT COLLATE "C" NOT NULL,
	email_folded TEXT COLLATE "C" NOT NULL,
	unconfirmed_email TEXT COLLATE "C",
	state TEXT COLLATE "C" DEFAULT 'active' NOT NULL,
	admin BOOLEAN DEFAULT FALSE NOT NULL,
	external BOOLEAN DEFAULT FALSE NOT NULL,
	can_create_group BOOLEAN DEFAULT TRUE NOT NULL,
	projects_limit BIGINT DEFAULT 100000 NOT NULL,
	password_hash TEXT COLLATE "C",
	password_expires_at TEXT COLLATE "C",
	bio TEXT COLLATE "C",
	location TEXT COLLATE "C",
	organization TEXT COLLATE "C",
	skype TEXT COLLATE "C" DEFAULT '' NOT NULL,
	linkedin TEXT COLLATE "C" DEFAULT '' NOT NULL,
	twitter TEXT COLLATE "C" DEFAULT '' NOT NULL,
	website_url TEXT COLLATE "C" DEFAULT '' NOT NULL,
	avatar TEXT COLLATE "C",
	avatar_key TEXT COLLATE "C",
	theme_id BIGINT DEFAULT 1 NOT NULL,
	color_scheme_id BIGINT DEFAULT 1 NOT NULL,
	keyboard_shortcuts BOOLEAN DEFAULT TRUE NOT NULL,
	start_page TEXT COLLATE "C" DEFAULT 'projects' NOT NULL,
	private_contributions BOOLEAN DEFAULT FALSE NOT NULL,
	note TEXT COLLATE "C",
	project_view TEXT COLLATE "C" DEFAULT 'files' NOT NULL,
	feed_token_version BIGINT DEFAULT 0 NOT NULL,
	shared_runners_minutes_limit BIGINT,
	two_factor_enabled BOOLEAN DEFAULT FALSE NOT NULL,
	two_factor_due_at TEXT COLLATE "C",
	confirmed_at TEXT COLLATE "C",
	current_sign_in_at TEXT COLLATE "C",
	last_sign_in_at TEXT COLLATE "C",
	last_activity_on TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	deleted_at TEXT COLLATE "C",
	CONSTRAINT pk_users PRIMARY KEY (id)
);

CREATE INDEX ix_users_deleted_at ON users (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE UNIQUE INDEX ix_users_email_folded ON users (email_folded) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX ix_users_kind ON users (kind) WHERE kind = 'ghost';

CREATE INDEX ix_users_last_activity_on ON users (last_activity_on);

CREATE UNIQUE INDEX ix_users_username_folded ON users (username_folded) WHERE deleted_at IS NULL;

CREATE TABLE audit_events (
	id BIGSERIAL NOT NULL,
	author_id BIGINT,
	entity_type TEXT COLLATE "C" NOT NULL,
	entity_id BIGINT NOT NULL,
	entity_path TEXT COLLATE "C" NOT NULL,
	target_details TEXT COLLATE "C" NOT NULL,
	details TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_audit_events PRIMARY KEY (id)
);

CREATE INDEX ix_audit_events_created_at_id ON audit_events (created_at, id);

CREATE INDEX ix_audit_events_entity_type_entity_id_id ON audit_events (entity_type, entity_id, id);

CREATE TABLE lfs_objects (
	id BIGSERIAL NOT NULL,
	oid TEXT COLLATE "C" NOT NULL,
	size BIGINT NOT NULL,
	file TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_lfs_objects PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_lfs_objects_oid ON lfs_objects (oid);

CREATE TABLE application_settings (
	name TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_application_settings PRIMARY KEY (name)
);

CREATE TABLE broadcast_messages (
	id BIGSERIAL NOT NULL,
	message TEXT COLLATE "C" NOT NULL,
	starts_at TEXT COLLATE "C" NOT NULL,
	ends_at TEXT COLLATE "C" NOT NULL,
	color TEXT COLLATE "C" NOT NULL,
	font TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_broadcast_messages PRIMARY KEY (id)
);

CREATE INDEX ix_broadcast_messages_ends_at ON broadcast_messages (ends_at);

CREATE TABLE custom_attributes (
	subject_kind TEXT COLLATE "C" NOT NULL,
	subject_id BIGINT NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_custom_attributes PRIMARY KEY (subject_kind, subject_id, key)
);

CREATE INDEX ix_custom_attributes_subject_kind_key_value_subject_id ON custom_attributes (subject_kind, key, value, subject_id);

CREATE TABLE feature_gates (
	name TEXT COLLATE "C" NOT NULL,
	gate TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_feature_gates PRIMARY KEY (name, gate, value)
);

CREATE TABLE instance_facts (
	name TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_instance_facts PRIMARY KEY (name)
);

CREATE TABLE hook_events (
	id BIGSERIAL NOT NULL,
	event_id BIGINT NOT NULL,
	snapshot TEXT COLLATE "C" NOT NULL,
	visited TEXT COLLATE "C" DEFAULT '' NOT NULL,
	attempts BIGINT DEFAULT 0 NOT NULL,
	CONSTRAINT pk_hook_events PRIMARY KEY (id)
);

CREATE TABLE hook_payloads (
	id BIGSERIAL NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	event TEXT COLLATE "C" NOT NULL,
	trigger TEXT COLLATE "C" NOT NULL,
	flag TEXT COLLATE "C",
	project_id BIGINT,
	body TEXT COLLATE "C" NOT NULL,
	visited TEXT COLLATE "C" DEFAULT '' NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_hook_payloads PRIMARY KEY (id)
);

CREATE INDEX ix_hook_payloads_created_at ON hook_payloads (created_at);

CREATE INDEX ix_hook_payloads_key ON hook_payloads (key);

CREATE TABLE hook_builders (
	id BIGINT NOT NULL,
	leased_by TEXT COLLATE "C" NOT NULL,
	leased_until TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_hook_builders PRIMARY KEY (id)
);

CREATE TABLE notification_fanouts (
	event_id BIGINT NOT NULL,
	last_user_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_notification_fanouts PRIMARY KEY (event_id)
);

CREATE INDEX ix_notification_fanouts_created_at ON notification_fanouts (created_at);

CREATE TABLE queue_samples (
	measured_at TEXT COLLATE "C" NOT NULL,
	waiting BIGINT NOT NULL,
	CONSTRAINT pk_queue_samples PRIMARY KEY (measured_at)
);

CREATE TABLE events (
	id BIGSERIAL NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	actor_id BIGINT,
	author_id BIGINT,
	project_id BIGINT,
	group_id BIGINT,
	subject_kind TEXT COLLATE "C" NOT NULL,
	subject_id BIGINT NOT NULL,
	changes TEXT COLLATE "C" DEFAULT '{}' NOT NULL,
	confidential BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_events PRIMARY KEY (id)
);

CREATE INDEX ix_events_of_author ON events (author_id, created_at, id, kind, subject_kind, subject_id, project_id);

CREATE INDEX ix_events_of_project ON events (project_id, created_at, id, kind, subject_kind, subject_id, author_id);

CREATE INDEX ix_events_subject_kind_subject_id_id ON events (subject_kind, subject_id, id);

CREATE TABLE jobs (
	id BIGSERIAL NOT NULL,
	task TEXT COLLATE "C" NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	owner_id BIGINT DEFAULT 0 NOT NULL,
	enqueued BIGINT NOT NULL,
	ready_at TEXT COLLATE "C" NOT NULL,
	again_at TEXT COLLATE "C",
	leased_by TEXT COLLATE "C",
	attempts BIGINT DEFAULT 0 NOT NULL,
	last_error TEXT COLLATE "C",
	parked_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_jobs PRIMARY KEY (id)
);

CREATE INDEX ix_jobs_ready_at ON jobs (ready_at) WHERE parked_at IS NULL;

CREATE UNIQUE INDEX ix_jobs_task_key ON jobs (task, key);

CREATE TABLE background_processes (
	name TEXT COLLATE "C" NOT NULL,
	hostname TEXT COLLATE "C" NOT NULL,
	pid BIGINT NOT NULL,
	queues TEXT COLLATE "C" NOT NULL,
	concurrency BIGINT NOT NULL,
	busy BIGINT NOT NULL,
	processed BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	started_at TEXT COLLATE "C" NOT NULL,
	seen_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_background_processes PRIMARY KEY (name)
);

CREATE TABLE schedules (
	task TEXT COLLATE "C" NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	seconds BIGINT NOT NULL,
	next_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_schedules PRIMARY KEY (task, key)
);

CREATE INDEX ix_schedules_next_at ON schedules (next_at);

CREATE TABLE forwarded_writes (
	caller TEXT COLLATE "C" NOT NULL,
	position TEXT COLLATE "C" NOT NULL,
	expires_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_forwarded_writes PRIMARY KEY (caller)
);

CREATE INDEX ix_forwarded_writes_expires_at ON forwarded_writes (expires_at);

CREATE TABLE replication_log (
	id BIGSERIAL NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	object_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_replication_log PRIMARY KEY (id)
);

CREATE TABLE replication_pruned (
	id BIGINT NOT NULL,
	event_id BIGINT NOT NULL,
	CONSTRAINT pk_replication_pruned PRIMARY KEY (id)
);

CREATE TABLE replicated_repositories (
	project_id BIGINT NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	dirty BOOLEAN DEFAULT TRUE NOT NULL,
	changes BIGINT DEFAULT 1 NOT NULL,
	fresh BOOLEAN DEFAULT FALSE NOT NULL,
	loss_confirmed BOOLEAN DEFAULT FALSE NOT NULL,
	started_at TEXT COLLATE "C",
	succeeded_at TEXT COLLATE "C",
	verified_at TEXT COLLATE "C",
	retry_count BIGINT DEFAULT 0 NOT NULL,
	due_at TEXT COLLATE "C" NOT NULL,
	failure TEXT COLLATE "C",
	CONSTRAINT pk_replicated_repositories PRIMARY KEY (project_id, kind)
);

CREATE INDEX ix_replicated_repositories_due_at ON replicated_repositories (due_at) WHERE dirty;

CREATE INDEX ix_replicated_repositories_verified_at ON replicated_repositories (verified_at);

CREATE TABLE replicated_files (
	key TEXT COLLATE "C" NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	object_id BIGINT NOT NULL,
	succeeded BOOLEAN DEFAULT FALSE NOT NULL,
	retry_count BIGINT DEFAULT 0 NOT NULL,
	due_at TEXT COLLATE "C" NOT NULL,
	failure TEXT COLLATE "C",
	CONSTRAINT pk_replicated_files PRIMARY KEY (key)
);

CREATE INDEX ix_replicated_files_due_at ON replicated_files (due_at) WHERE NOT succeeded;

CREATE INDEX ix_replicated_files_kind_object_id ON replicated_files (kind, object_id);

CREATE INDEX ix_replicated_files_kind_succeeded ON replicated_files (kind, succeeded);

CREATE TABLE replication_cursor (
	id BIGINT NOT NULL,
	event_id BIGINT NOT NULL,
	event_at TEXT COLLATE "C",
	contact_at TEXT COLLATE "C" NOT NULL,
	followed_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_replication_cursor PRIMARY KEY (id)
);

CREATE TABLE replication_gaps (
	event_id BIGINT NOT NULL,
	seen_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_replication_gaps PRIMARY KEY (event_id)
);

CREATE TABLE access_tokens (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	digest TEXT COLLATE "C" NOT NULL,
	scopes TEXT COLLATE "C" NOT NULL,
	impersonation BOOLEAN DEFAULT FALSE NOT NULL,
	sealed TEXT COLLATE "C",
	expires_on TEXT COLLATE "C" NOT NULL,
	revoked BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_access_tokens PRIMARY KEY (id),
	CONSTRAINT fk_access_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_access_tokens_digest ON access_tokens (digest);

CREATE INDEX ix_access_tokens_user_id_impersonation ON access_tokens (user_id, impersonation);

CREATE TABLE emails (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	email TEXT COLLATE "C" NOT NULL,
	email_folded TEXT COLLATE "C" NOT NULL,
	is_primary BOOLEAN DEFAULT FALSE NOT NULL,
	is_public BOOLEAN DEFAULT FALSE NOT NULL,
	confirmed_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_emails PRIMARY KEY (id),
	CONSTRAINT fk_emails_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_emails_email_folded ON emails (email_folded);

CREATE UNIQUE INDEX ix_emails_primary ON emails (user_id) WHERE is_primary;

CREATE UNIQUE INDEX ix_emails_public ON emails (user_id) WHERE is_public;

CREATE INDEX ix_emails_user_id ON emails (user_id);

CREATE TABLE gpg_keys (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	fingerprint TEXT COLLATE "C" NOT NULL,
	primary_keyid TEXT COLLATE "C" NOT NULL,
	addresses TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_gpg_keys PRIMARY KEY (id),
	CONSTRAINT fk_gpg_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_gpg_keys_fingerprint ON gpg_keys (fingerprint);

CREATE UNIQUE INDEX ix_gpg_keys_primary_keyid ON gpg_keys (primary_keyid);

CREATE INDEX ix_gpg_keys_user_id ON gpg_keys (user_id);

CREATE TABLE revoked_gpg_keys (
	user_id BIGINT NOT NULL,
	fingerprint TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_revoked_gpg_keys PRIMARY KEY (user_id, fingerprint),
	CONSTRAINT fk_revoked_gpg_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE ssh_keys (
	id BIGSERIAL NOT NULL,
	user_id BIGINT,
	title TEXT COLLATE "C" NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	family TEXT COLLATE "C" NOT NULL,
	bits BIGINT NOT NULL,
	md5 TEXT COLLATE "C" NOT NULL,
	from_directory BOOLEAN DEFAULT FALSE NOT NULL,
	sha256 TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_ssh_keys PRIMARY KEY (id),
	CONSTRAINT fk_ssh_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_ssh_keys_sha256 ON ssh_keys (sha256);

CREATE INDEX ix_ssh_keys_user_id ON ssh_keys (user_id);

CREATE TABLE mail_links (
	digest TEXT COLLATE "C" NOT NULL,
	purpose TEXT COLLATE "C" NOT NULL,
	user_id BIGINT NOT NULL,
	address TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	expires_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_mail_links PRIMARY KEY (digest),
	CONSTRAINT fk_mail_links_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_mail_links_expires_at ON mail_links (expires_at);

CREATE INDEX ix_mail_links_user_id_purpose ON mail_links (user_id, purpose);

CREATE TABLE mails (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	address TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_mails PRIMARY KEY (id),
	CONSTRAINT fk_mails_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_mails_user_id ON mails (user_id);

CREATE TABLE oauth_applications (
	id BIGSERIAL NOT NULL,
	owner_id BIGINT,
	name TEXT COLLATE "C" NOT NULL,
	uid TEXT COLLATE "C" NOT NULL,
	secret_digest TEXT COLLATE "C" NOT NULL,
	redirect_uris TEXT COLLATE "C" NOT NULL,
	scopes TEXT COLLATE "C" NOT NULL,
	confidential BOOLEAN DEFAULT TRUE NOT NULL,
	trusted BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_oauth_applications PRIMARY KEY (id),
	CONSTRAINT fk_oauth_applications_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_oauth_applications_owner_id ON oauth_applications (owner_id);

CREATE UNIQUE INDEX ix_oauth_applications_uid ON oauth_applications (uid);

CREATE TABLE namespaces (
	id BIGSERIAL NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	name_folded TEXT COLLATE "C" NOT NULL,
	path TEXT COLLATE "C" NOT NULL,
	path_folded TEXT COLLATE "C" NOT NULL,
	full_name TEXT COLLATE "C" NOT NULL,
	parent_id BIGINT,
	owner_id BIGINT,
	plan TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	deleted_at TEXT COLLATE "C",
	CONSTRAINT pk_namespaces PRIMARY KEY (id),
	CONSTRAINT fk_namespaces_parent_id FOREIGN KEY(parent_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_namespaces_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_namespaces_name ON namespaces (name) WHERE deleted_at IS NULL AND parent_id IS NULL AND kind = 'group';

CREATE INDEX ix_namespaces_name_folded_id ON namespaces (name_folded, id) WHERE deleted_at IS NULL AND kind = 'group';

CREATE UNIQUE INDEX ix_namespaces_owner_id ON namespaces (owner_id) WHERE owner_id IS NOT NULL;

CREATE UNIQUE INDEX ix_namespaces_parent_id_name ON namespaces (parent_id, name) WHERE deleted_at IS NULL AND parent_id IS NOT NULL;

CREATE INDEX ix_namespaces_path_folded_id ON namespaces (path_folded, id) WHERE deleted_at IS NULL AND kind = 'group';

CREATE TABLE sessions (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	digest TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	last_used_on TEXT COLLATE "C" NOT NULL,
	prolong_at TEXT COLLATE "C" NOT NULL,
	expires_at TEXT COLLATE "C" NOT NULL,
	user_agent TEXT COLLATE "C" NOT NULL,
	address TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_sessions PRIMARY KEY (id),
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_sessions_digest ON sessions (digest);

CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);

CREATE INDEX ix_sessions_user_id ON sessions (user_id);

CREATE TABLE two_factors (
	user_id BIGINT NOT NULL,
	sealed TEXT COLLATE "C" NOT NULL,
	last_step BIGINT DEFAULT 0 NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_two_factors PRIMARY KEY (user_id),
	CONSTRAINT fk_two_factors_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE recovery_codes (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	digest TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_recovery_codes PRIMARY KEY (id),
	CONSTRAINT fk_recovery_codes_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_recovery_codes_user_id_digest ON recovery_codes (user_id, digest);

CREATE TABLE identities (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	provider TEXT COLLATE "C" NOT NULL,
	extern_uid TEXT COLLATE "C" NOT NULL,
	extern_uid_folded TEXT COLLATE "C" NOT NULL,
	checked_at TEXT COLLATE "C",
	blocked_at TEXT COLLATE "C",
	entry_uuid TEXT COLLATE "C",
	CONSTRAINT pk_identities PRIMARY KEY (id),
	CONSTRAINT fk_identities_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_identities_provider_entry_uuid ON identities (provider, entry_uuid);

CREATE UNIQUE INDEX ix_identities_provider_extern_uid_folded ON identities (provider, extern_uid_folded);

CREATE UNIQUE INDEX ix_identities_user_id_provider ON identities (user_id, provider);

CREATE TABLE notifications (
	event_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	reason TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_notifications PRIMARY KEY (event_id, user_id),
	CONSTRAINT fk_notifications_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_notifications_created_at ON notifications (created_at);

CREATE INDEX ix_notifications_user_id ON notifications (user_id);

CREATE TABLE awards (
	id BIGSERIAL NOT NULL,
	subject_kind TEXT COLLATE "C" NOT NULL,
	subject_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	user_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_awards PRIMARY KEY (id),
	CONSTRAINT fk_awards_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_awards_subject_kind_subject_id_name_user_id ON awards (subject_kind, subject_id, name, user_id);

CREATE INDEX ix_awards_subject_kind_subject_id_user_id ON awards (subject_kind, subject_id, user_id);

CREATE INDEX ix_awards_user_id_subject_kind_name_subject_id ON awards (user_id, subject_kind, name, subject_id);

CREATE TABLE mentions (
	source_kind TEXT COLLATE "C" NOT NULL,
	source_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	subject_kind TEXT COLLATE "C" NOT NULL,
	subject_id BIGINT NOT NULL,
	CONSTRAINT pk_mentions PRIMARY KEY (source_kind, source_id, user_id),
	CONSTRAINT fk_mentions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_mentions_subject_kind_subject_id_user_id ON mentions (subject_kind, subject_id, user_id);

CREATE INDEX ix_mentions_user_id ON mentions (user_id);

CREATE TABLE subscriptions (
	subject_kind TEXT COLLATE "C" NOT NULL,
	subject_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	subscribed BOOLEAN DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_subscriptions PRIMARY KEY (subject_kind, subject_id, user_id),
	CONSTRAINT fk_subscriptions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_subscriptions_user_id ON subscriptions (user_id);

CREATE TABLE invitations (
	id BIGSERIAL NOT NULL,
	source_kind TEXT COLLATE "C" NOT NULL,
	source_id BIGINT NOT NULL,
	email TEXT COLLATE "C" NOT NULL,
	email_folded TEXT COLLATE "C" NOT NULL,
	level BIGINT NOT NULL,
	expires_on TEXT COLLATE "C" NOT NULL,
	inviter_id BIGINT NOT NULL,
	digest TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	sent_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_invitations PRIMARY KEY (id),
	CONSTRAINT fk_invitations_inviter_id FOREIGN KEY(inviter_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_invitations_digest ON invitations (digest);

CREATE INDEX ix_invitations_email_folded ON invitations (email_folded);

CREATE INDEX ix_invitations_inviter_id ON invitations (inviter_id);

CREATE INDEX ix_invitations_sent_at ON invitations (sent_at);

CREATE UNIQUE INDEX ix_invitations_source_kind_source_id_email_folded ON invitations (source_kind, source_id, email_folded);

CREATE TABLE members (
	source_kind TEXT COLLATE "C" NOT NULL,
	source_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	level BIGINT NOT NULL,
	expires_on TEXT COLLATE "C" NOT NULL,
	created_by_id BIGINT,
	notification_level BIGINT DEFAULT 3 NOT NULL,
	from_directory BOOLEAN DEFAULT FALSE NOT NULL,
	override BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_members PRIMARY KEY (source_kind, source_id, user_id),
	CONSTRAINT fk_members_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_members_created_by_id FOREIGN KEY(created_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_members_user_id_source_kind_source_id_level_expires_on ON members (user_id, source_kind, source_id, level, expires_on);

CREATE TABLE access_requests (
	source_kind TEXT COLLATE "C" NOT NULL,
	source_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	requested_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_access_requests PRIMARY KEY (source_kind, source_id, user_id),
	CONSTRAINT fk_access_requests_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_access_requests_user_id ON access_requests (user_id);

CREATE TABLE notification_settings (
	user_id BIGINT NOT NULL,
	source_kind TEXT COLLATE "C" NOT NULL,
	source_id BIGINT NOT NULL,
	level TEXT COLLATE "C" NOT NULL,
	email TEXT COLLATE "C",
	events TEXT COLLATE "C" DEFAULT '' NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_notification_settings PRIMARY KEY (user_id, source_kind, source_id),
	CONSTRAINT fk_notification_settings_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_notification_settings_source_kind_source_id_level_user_id ON notification_settings (source_kind, source_id, level, user_id) WHERE source_kind <> 'everything';

CREATE TABLE gpg_key_handles (
	id BIGSERIAL NOT NULL,
	gpg_key_id BIGINT NOT NULL,
	fingerprint TEXT COLLATE "C" NOT NULL,
	key_id TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_gpg_key_handles PRIMARY KEY (id),
	CONSTRAINT fk_gpg_key_handles_gpg_key_id FOREIGN KEY(gpg_key_id) REFERENCES gpg_keys (id) ON DELETE CASCADE
);

CREATE INDEX ix_gpg_key_handles_gpg_key_id ON gpg_key_handles (gpg_key_id);

CREATE INDEX ix_gpg_key_handles_key_id ON gpg_key_handles (key_id);

CREATE TABLE oauth_grants (
	id BIGSERIAL NOT NULL,
	application_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	digest TEXT COLLATE "C" NOT NULL,
	redirect_uri TEXT COLLATE "C" NOT NULL,
	scopes TEXT COLLATE "C" NOT NULL,
	challenge TEXT COLLATE "C",
	nonce TEXT COLLATE "C",
	expires_at TEXT COLLATE "C" NOT NULL,
	family TEXT COLLATE "C",
	CONSTRAINT pk_oauth_grants PRIMARY KEY (id),
	CONSTRAINT fk_oauth_grants_application_id FOREIGN KEY(application_id) REFERENCES oauth_applications (id) ON DELETE CASCADE,
	CONSTRAINT fk_oauth_grants_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_oauth_grants_application_id ON oauth_grants (application_id);

CREATE UNIQUE INDEX ix_oauth_grants_digest ON oauth_grants (digest);

CREATE INDEX ix_oauth_grants_expires_at ON oauth_grants (expires_at);

CREATE INDEX ix_oauth_grants_user_id ON oauth_grants (user_id);

CREATE TABLE oauth_tokens (
	id BIGSERIAL NOT NULL,
	application_id BIGINT,
	user_id BIGINT,
	family TEXT COLLATE "C" NOT NULL,
	digest TEXT COLLATE "C" NOT NULL,
	refresh_digest TEXT COLLATE "C",
	scopes TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	expires_at TEXT COLLATE "C" NOT NULL,
	revoked BOOLEAN DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_oauth_tokens PRIMARY KEY (id),
	CONSTRAINT fk_oauth_tokens_application_id FOREIGN KEY(application_id) REFERENCES oauth_applications (id) ON DELETE CASCADE,
	CONSTRAINT fk_oauth_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_oauth_tokens_application_id ON oauth_tokens (application_id);

CREATE UNIQUE INDEX ix_oauth_tokens_digest ON oauth_tokens (digest);

CREATE INDEX ix_oauth_tokens_family ON oauth_tokens (family);

CREATE UNIQUE INDEX ix_oauth_tokens_refresh_digest ON oauth_tokens (refresh_digest);

CREATE INDEX ix_oauth_tokens_user_id_application_id ON oauth_tokens (user_id, application_id);

CREATE TABLE replication_nodes (
	id BIGSERIAL NOT NULL,
	url TEXT COLLATE "C" NOT NULL,
	url_folded TEXT COLLATE "C" NOT NULL,
	is_primary BOOLEAN DEFAULT FALSE NOT NULL,
	enabled BOOLEAN DEFAULT TRUE NOT NULL,
	files_max_capacity BIGINT DEFAULT 10 NOT NULL,
	repos_max_capacity BIGINT DEFAULT 25 NOT NULL,
	access_key TEXT COLLATE "C" NOT NULL,
	secret TEXT COLLATE "C" NOT NULL,
	application_id BIGINT,
	code_digest TEXT COLLATE "C",
	code_expires_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_replication_nodes PRIMARY KEY (id),
	CONSTRAINT fk_replication_nodes_application_id FOREIGN KEY(application_id) REFERENCES oauth_applications (id) ON DELETE SET NULL
);

CREATE UNIQUE INDEX ix_replication_nodes_access_key ON replication_nodes (access_key);

CREATE INDEX ix_replication_nodes_application_id ON replication_nodes (application_id) WHERE application_id IS NOT NULL;

CREATE UNIQUE INDEX ix_replication_nodes_is_primary ON replication_nodes (is_primary) WHERE is_primary;

CREATE UNIQUE INDEX ix_replication_nodes_url_folded ON replication_nodes (url_folded);

CREATE TABLE groups (
	id BIGINT NOT NULL,
	description TEXT COLLATE "C" DEFAULT '' NOT NULL,
	visibility TEXT COLLATE "C" DEFAULT 'private' NOT NULL,
	lfs_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	request_access_enabled BOOLEAN DEFAULT FALSE NOT NULL,
	membership_lock BOOLEAN DEFAULT FALSE NOT NULL,
	share_with_group_lock BOOLEAN DEFAULT FALSE NOT NULL,
	shared_runners_minutes_limit BIGINT,
	avatar TEXT COLLATE "C",
	avatar_key TEXT COLLATE "C",
	runners_token TEXT COLLATE "C",
	runners_token_digest TEXT COLLATE "C",
	CONSTRAINT pk_groups PRIMARY KEY (id),
	CONSTRAINT fk_groups_id FOREIGN KEY(id) REFERENCES namespaces (id) ON DELETE CASCADE
);

CREATE INDEX ix_groups_runners_token_digest ON groups (runners_token_digest) WHERE runners_token_digest IS NOT NULL;

CREATE INDEX ix_groups_visibility ON groups (visibility);

CREATE TABLE projects (
	id BIGSERIAL NOT NULL,
	namespace_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	name_folded TEXT COLLATE "C" NOT NULL,
	path TEXT COLLATE "C" NOT NULL,
	path_folded TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	description_folded TEXT COLLATE "C" DEFAULT '' NOT NULL,
	visibility TEXT COLLATE "C" NOT NULL,
	creator_id BIGINT,
	archived BOOLEAN DEFAULT FALSE NOT NULL,
	default_branch TEXT COLLATE "C",
	requested_branch TEXT COLLATE "C",
	tag_list TEXT COLLATE "C" DEFAULT '' NOT NULL,
	avatar TEXT COLLATE "C",
	avatar_key TEXT COLLATE "C",
	issues_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	merge_requests_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	jobs_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	wiki_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	snippets_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	container_registry_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	shared_runners_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	resolve_outdated_diff_discussions BOOLEAN DEFAULT FALSE NOT NULL,
	public_jobs BOOLEAN DEFAULT TRUE NOT NULL,
	merge_method TEXT COLLATE "C" DEFAULT 'merge' NOT NULL,
	only_allow_merge_if_pipeline_succeeds BOOLEAN DEFAULT FALSE NOT NULL,
	only_allow_merge_if_all_discussions_are_resolved BOOLEAN DEFAULT FALSE NOT NULL,
	lfs_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	request_access_enabled BOOLEAN DEFAULT FALSE NOT NULL,
	printing_merge_request_link_enabled BOOLEAN DEFAULT TRUE NOT NULL,
	ci_config_path TEXT COLLATE "C",
	auto_cancel_pending_pipelines TEXT COLLATE "C" DEFAULT 'enabled' NOT NULL,
	build_timeout BIGINT DEFAULT 3600 NOT NULL,
	build_git_strategy TEXT COLLATE "C" DEFAULT 'fetch' NOT NULL,
	build_coverage_regex TEXT COLLATE "C",
	ci_default_git_depth BIGINT,
	keep_latest_artifact BOOLEAN DEFAULT FALSE NOT NULL,
	repository_storage TEXT COLLATE "C" DEFAULT 'default' NOT NULL,
	approvals_before_merge BIGINT DEFAULT 0 NOT NULL,
	reset_approvals_on_push BOOLEAN DEFAULT TRUE NOT NULL,
	disable_overriding_approvers_per_merge_request BOOLEAN DEFAULT FALSE NOT NULL,
	runners_token TEXT COLLATE "C" DEFAULT '' NOT NULL,
	runners_token_digest TEXT COLLATE "C",
	import_url TEXT COLLATE "C",
	import_status TEXT COLLATE "C" DEFAULT 'none' NOT NULL,
	import_error TEXT COLLATE "C",
	mirror BOOLEAN DEFAULT FALSE NOT NULL,
	mirror_user_id BIGINT,
	forked_from_id BIGINT,
	network_id BIGINT,
	star_count BIGINT DEFAULT 0 NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	last_activity_at TEXT COLLATE "C" NOT NULL,
	deleted_at TEXT COLLATE "C",
	CONSTRAINT pk_projects PRIMARY KEY (id),
	CONSTRAINT fk_projects_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_projects_creator_id FOREIGN KEY(creator_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_projects_mirror_user_id FOREIGN KEY(mirror_user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_projects_forked_from_id FOREIGN KEY(forked_from_id) REFERENCES projects (id) ON DELETE SET NULL
);

CREATE INDEX ix_projects_archived_visibility_namespace_id_id_deleted_at ON projects (archived, visibility, namespace_id, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_created_at_id_namespace_id_visibility_archi_95d7 ON projects (created_at, id, namespace_id, visibility, archived, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_creator_id ON projects (creator_id) WHERE creator_id IS NOT NULL;

CREATE INDEX ix_projects_forked_from_id ON projects (forked_from_id) WHERE forked_from_id IS NOT NULL;

CREATE INDEX ix_projects_last_activity_at_id ON projects (last_activity_at, id) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_mirror_user_id ON projects (mirror_user_id) WHERE mirror_user_id IS NOT NULL;

CREATE INDEX ix_projects_mirrors ON projects (id) WHERE mirror;

CREATE INDEX ix_projects_name_folded_id ON projects (name_folded, id) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_namespace_id_created_at_id ON projects (namespace_id, created_at, id) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX ix_projects_namespace_id_name ON projects (namespace_id, name) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_network_id ON projects (network_id) WHERE network_id IS NOT NULL;

CREATE INDEX ix_projects_path_folded_id ON projects (path_folded, id) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_runners_token_digest ON projects (runners_token_digest) WHERE runners_token_digest IS NOT NULL;

CREATE INDEX ix_projects_star_count_id ON projects (star_count, id) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_updated_at_id ON projects (updated_at, id) WHERE deleted_at IS NULL;

CREATE TABLE routes (
	path_folded TEXT COLLATE "C" NOT NULL,
	path TEXT COLLATE "C" NOT NULL,
	namespace_id BIGINT,
	project_id BIGINT,
	CONSTRAINT pk_routes PRIMARY KEY (path_folded),
	CONSTRAINT fk_routes_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_routes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_routes_namespace_id ON routes (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE UNIQUE INDEX ix_routes_project_id ON routes (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE former_paths (
	path_folded TEXT COLLATE "C" NOT NULL,
	namespace_id BIGINT,
	project_id BIGINT,
	CONSTRAINT pk_former_paths PRIMARY KEY (path_folded),
	CONSTRAINT fk_former_paths_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_former_paths_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_former_paths_namespace_id ON former_paths (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE INDEX ix_former_paths_project_id ON former_paths (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE environments (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	slug TEXT COLLATE "C" NOT NULL,
	external_url TEXT COLLATE "C",
	state TEXT COLLATE "C" DEFAULT 'available' NOT NULL,
	tier TEXT COLLATE "C",
	auto_stop_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_environments PRIMARY KEY (id),
	CONSTRAINT fk_environments_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_environments_auto_stop_at_id ON environments (auto_stop_at, id) WHERE auto_stop_at IS NOT NULL AND state = 'available';

CREATE INDEX ix_environments_project_id_id ON environments (project_id, id);

CREATE UNIQUE INDEX ix_environments_project_id_name ON environments (project_id, name);

CREATE UNIQUE INDEX ix_environments_project_id_slug ON environments (project_id, slug);

CREATE TABLE runners (
	id BIGSERIAL NOT NULL,
	runner_type TEXT COLLATE "C" NOT NULL,
	group_id BIGINT,
	creator_id BIGINT,
	token_digest TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	active BOOLEAN DEFAULT TRUE NOT NULL,
	tag_list TEXT COLLATE "C" DEFAULT '' NOT NULL,
	run_untagged BOOLEAN DEFAULT TRUE NOT NULL,
	locked BOOLEAN DEFAULT FALSE NOT NULL,
	access_level TEXT COLLATE "C" DEFAULT 'not_protected' NOT NULL,
	maximum_timeout BIGINT,
	maintenance_note TEXT COLLATE "C",
	name TEXT COLLATE "C",
	version TEXT COLLATE "C",
	revision TEXT COLLATE "C",
	platform TEXT COLLATE "C",
	architecture TEXT COLLATE "C",
	executor TEXT COLLATE "C",
	ip_address TEXT COLLATE "C",
	contacted_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_runners PRIMARY KEY (id),
	CONSTRAINT fk_runners_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_runners_creator_id FOREIGN KEY(creator_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_runners_creator_id ON runners (creator_id) WHERE creator_id IS NOT NULL;

CREATE INDEX ix_runners_group_id ON runners (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_runners_runner_type_id ON runners (runner_type, id);

CREATE UNIQUE INDEX ix_runners_token_digest ON runners (token_digest);

CREATE TABLE pipeline_schedules (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	owner_id BIGINT,
	description TEXT COLLATE "C" NOT NULL,
	ref TEXT COLLATE "C" NOT NULL,
	cron TEXT COLLATE "C" NOT NULL,
	cron_timezone TEXT COLLATE "C" DEFAULT 'UTC' NOT NULL,
	active BOOLEAN DEFAULT TRUE NOT NULL,
	next_run_at TEXT COLLATE "C" NOT NULL,
	due_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_pipeline_schedules PRIMARY KEY (id),
	CONSTRAINT fk_pipeline_schedules_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_schedules_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_pipeline_schedules_next_run_at ON pipeline_schedules (next_run_at) WHERE active;

CREATE INDEX ix_pipeline_schedules_owner_id ON pipeline_schedules (owner_id) WHERE owner_id IS NOT NULL;

CREATE INDEX ix_pipeline_schedules_project_id_id ON pipeline_schedules (project_id, id);

CREATE TABLE pipeline_triggers (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	owner_id BIGINT,
	description TEXT COLLATE "C" NOT NULL,
	token TEXT COLLATE "C" NOT NULL,
	token_digest TEXT COLLATE "C" NOT NULL,
	last_used TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_pipeline_triggers PRIMARY KEY (id),
	CONSTRAINT fk_pipeline_triggers_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_triggers_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_pipeline_triggers_owner_id ON pipeline_triggers (owner_id) WHERE owner_id IS NOT NULL;

CREATE INDEX ix_pipeline_triggers_project_id_id ON pipeline_triggers (project_id, id);

CREATE UNIQUE INDEX ix_pipeline_triggers_token_digest ON pipeline_triggers (token_digest);

CREATE TABLE ci_variables (
	id BIGSERIAL NOT NULL,
	project_id BIGINT,
	group_id BIGINT,
	key TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	variable_type TEXT COLLATE "C" DEFAULT 'env_var' NOT NULL,
	environment_scope TEXT COLLATE "C" DEFAULT '*' NOT NULL,
	protected BOOLEAN DEFAULT FALSE NOT NULL,
	masked BOOLEAN DEFAULT FALSE NOT NULL,
	raw BOOLEAN DEFAULT FALSE NOT NULL,
	description TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_ci_variables PRIMARY KEY (id),
	CONSTRAINT fk_ci_variables_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_ci_variables_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_ci_variables_group_id_key_environment_scope ON ci_variables (group_id, key, environment_scope) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_ci_variables_of_the_instance ON ci_variables (key) WHERE project_id IS NULL AND group_id IS NULL;

CREATE UNIQUE INDEX ix_ci_variables_project_id_key_environment_scope ON ci_variables (project_id, key, environment_scope) WHERE project_id IS NOT NULL;

CREATE TABLE deploy_keys (
	project_id BIGINT NOT NULL,
	key_id BIGINT NOT NULL,
	can_push BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_deploy_keys PRIMARY KEY (project_id, key_id),
	CONSTRAINT fk_deploy_keys_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_deploy_keys_key_id FOREIGN KEY(key_id) REFERENCES ssh_keys (id) ON DELETE CASCADE
);

CREATE INDEX ix_deploy_keys_key_id_project_id ON deploy_keys (key_id, project_id);

CREATE TABLE lfs_links (
	project_id BIGINT NOT NULL,
	object_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_lfs_links PRIMARY KEY (project_id, object_id),
	CONSTRAINT fk_lfs_links_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_lfs_links_object_id FOREIGN KEY(object_id) REFERENCES lfs_objects (id) ON DELETE CASCADE
);

CREATE INDEX ix_lfs_links_object_id ON lfs_links (object_id);

CREATE TABLE lfs_locks (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	path TEXT COLLATE "C" NOT NULL,
	user_id BIGINT NOT NULL,
	locked_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_lfs_locks PRIMARY KEY (id),
	CONSTRAINT fk_lfs_locks_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_lfs_locks_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_lfs_locks_project_id_path ON lfs_locks (project_id, path);

CREATE INDEX ix_lfs_locks_user_id ON lfs_locks (user_id);

CREATE TABLE protected_branches (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_protected_branches PRIMARY KEY (id),
	CONSTRAINT fk_protected_branches_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_protected_branches_project_id_name ON protected_branches (project_id, name);

CREATE TABLE push_rules (
	id BIGSERIAL NOT NULL,
	project_id BIGINT,
	is_default BOOLEAN DEFAULT FALSE NOT NULL,
	commit_message_regex TEXT COLLATE "C",
	branch_name_regex TEXT COLLATE "C",
	author_email_regex TEXT COLLATE "C",
	file_name_regex TEXT COLLATE "C",
	deny_delete_tag BOOLEAN DEFAULT FALSE NOT NULL,
	member_check BOOLEAN DEFAULT FALSE NOT NULL,
	prevent_secrets BOOLEAN DEFAULT FALSE NOT NULL,
	max_file_size BIGINT DEFAULT 0 NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_push_rules PRIMARY KEY (id),
	CONSTRAINT fk_push_rules_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_push_rules_is_default ON push_rules (is_default) WHERE is_default;

CREATE UNIQUE INDEX ix_push_rules_project_id ON push_rules (project_id);

CREATE TABLE pushes (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	wiki BOOLEAN DEFAULT FALSE NOT NULL,
	actor_id BIGINT,
	protocol TEXT COLLATE "C" NOT NULL,
	lock TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	recorded_at TEXT COLLATE "C",
	CONSTRAINT pk_pushes PRIMARY KEY (id),
	CONSTRAINT fk_pushes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pushes_actor_id FOREIGN KEY(actor_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_pushes_actor_id ON pushes (actor_id) WHERE actor_id IS NOT NULL;

CREATE INDEX ix_pushes_project_id_wiki_id ON pushes (project_id, wiki, id);

CREATE TABLE housekeeping (
	project_id BIGINT NOT NULL,
	started_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_housekeeping PRIMARY KEY (project_id),
	CONSTRAINT fk_housekeeping_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE project_statistics (
	project_id BIGINT NOT NULL,
	commit_count BIGINT DEFAULT 0 NOT NULL,
	repository_size BIGINT DEFAULT 0 NOT NULL,
	lfs_objects_size BIGINT DEFAULT 0 NOT NULL,
	job_artifacts_size BIGINT DEFAULT 0 NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_project_statistics PRIMARY KEY (project_id),
	CONSTRAINT fk_project_statistics_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE commit_signatures (
	project_id BIGINT NOT NULL,
	sha TEXT COLLATE "C" NOT NULL,
	kind TEXT COLLATE "C" NOT NULL,
	problem TEXT COLLATE "C",
	key_id TEXT COLLATE "C",
	fingerprint TEXT COLLATE "C",
	subkey TEXT COLLATE "C",
	newest_key_id BIGINT DEFAULT 0 NOT NULL,
	user_id BIGINT,
	valid BOOLEAN DEFAULT FALSE NOT NULL,
	names_committer BOOLEAN DEFAULT FALSE NOT NULL,
	signer_name TEXT COLLATE "C",
	signer_email TEXT COLLATE "C",
	committer_folded TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_commit_signatures PRIMARY KEY (project_id, sha),
	CONSTRAINT fk_commit_signatures_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_commit_signatures_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_commit_signatures_user_id ON commit_signatures (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE snippets (
	id BIGSERIAL NOT NULL,
	project_id BIGINT,
	author_id BIGINT NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	file_name TEXT COLLATE "C" NOT NULL,
	file_name_folded TEXT COLLATE "C" NOT NULL,
	content TEXT COLLATE "C" NOT NULL,
	content_folded TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	visibility TEXT COLLATE "C" NOT NULL,
	user_agent TEXT COLLATE "C",
	ip_address TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_snippets PRIMARY KEY (id),
	CONSTRAINT fk_snippets_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_snippets_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_snippets_author_id_id ON snippets (author_id, id) WHERE project_id IS NULL;

CREATE INDEX ix_snippets_author_id_project_id ON snippets (author_id, project_id);

CREATE INDEX ix_snippets_project_id_id ON snippets (project_id, id) WHERE project_id IS NOT NULL;

CREATE INDEX ix_snippets_visibility_id ON snippets (visibility, id) WHERE project_id IS NULL;

CREATE TABLE releases (
	project_id BIGINT NOT NULL,
	tag TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_releases PRIMARY KEY (project_id, tag),
	CONSTRAINT fk_releases_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE hooks (
	id BIGSERIAL NOT NULL,
	project_id BIGINT,
	group_id BIGINT,
	url TEXT COLLATE "C" NOT NULL,
	token TEXT COLLATE "C",
	enable_ssl_verification BOOLEAN DEFAULT TRUE NOT NULL,
	push_events BOOLEAN DEFAULT FALSE NOT NULL,
	tag_push_events BOOLEAN DEFAULT FALSE NOT NULL,
	issues_events BOOLEAN DEFAULT FALSE NOT NULL,
	confidential_issues_events BOOLEAN DEFAULT FALSE NOT NULL,
	note_events BOOLEAN DEFAULT FALSE NOT NULL,
	confidential_note_events BOOLEAN DEFAULT FALSE NOT NULL,
	merge_requests_events BOOLEAN DEFAULT FALSE NOT NULL,
	job_events BOOLEAN DEFAULT FALSE NOT NULL,
	pipeline_events BOOLEAN DEFAULT FALSE NOT NULL,
	wiki_page_events BOOLEAN DEFAULT FALSE NOT NULL,
	repository_update_events BOOLEAN DEFAULT FALSE NOT NULL,
	releases_events BOOLEAN DEFAULT FALSE NOT NULL,
	deployment_events BOOLEAN DEFAULT FALSE NOT NULL,
	name TEXT COLLATE "C",
	description TEXT COLLATE "C",
	push_events_branch_filter TEXT COLLATE "C" DEFAULT '' NOT NULL,
	custom_webhook_template TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_hooks PRIMARY KEY (id),
	CONSTRAINT fk_hooks_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_hooks_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_hooks_group_id_id ON hooks (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_hooks_of_the_instance ON hooks (id) WHERE project_id IS NULL AND group_id IS NULL;

CREATE INDEX ix_hooks_project_id_id ON hooks (project_id, id) WHERE project_id IS NOT NULL;

CREATE TABLE boards (
	id BIGSERIAL NOT NULL,
	project_id BIGINT,
	group_id BIGINT,
	name TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_boards PRIMARY KEY (id),
	CONSTRAINT fk_boards_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_boards_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_boards_group_id_id ON boards (group_id, id);

CREATE INDEX ix_boards_project_id_id ON boards (project_id, id);

CREATE TABLE commented_commits (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	sha TEXT COLLATE "C" NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_commented_commits PRIMARY KEY (id),
	CONSTRAINT fk_commented_commits_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_commented_commits_project_id_sha ON commented_commits (project_id, sha);

CREATE TABLE epics (
	id BIGSERIAL NOT NULL,
	group_id BIGINT NOT NULL,
	iid BIGINT NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	description_folded TEXT COLLATE "C" DEFAULT '' NOT NULL,
	author_id BIGINT NOT NULL,
	start_on TEXT COLLATE "C",
	end_on TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_epics PRIMARY KEY (id),
	CONSTRAINT fk_epics_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_epics_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_epics_author_id ON epics (author_id);

CREATE INDEX ix_epics_group_id_id_updated_at ON epics (group_id, id, updated_at);

CREATE UNIQUE INDEX ix_epics_group_id_iid ON epics (group_id, iid);

CREATE INDEX ix_epics_updated_at_id_group_id ON epics (updated_at, id, group_id);

CREATE TABLE labels (
	id BIGSERIAL NOT NULL,
	project_id BIGINT,
	group_id BIGINT,
	title TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	color TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_labels PRIMARY KEY (id),
	CONSTRAINT fk_labels_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_labels_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_labels_group_id_title ON labels (group_id, title) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_labels_project_id_title ON labels (project_id, title) WHERE project_id IS NOT NULL;

CREATE INDEX ix_labels_title ON labels (title);

CREATE TABLE milestones (
	id BIGSERIAL NOT NULL,
	iid BIGINT NOT NULL,
	project_id BIGINT,
	group_id BIGINT,
	title TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	description_folded TEXT COLLATE "C" DEFAULT '' NOT NULL,
	state TEXT COLLATE "C" DEFAULT 'active' NOT NULL,
	start_on TEXT COLLATE "C",
	due_on TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	closed_at TEXT COLLATE "C",
	CONSTRAINT pk_milestones PRIMARY KEY (id),
	CONSTRAINT fk_milestones_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_milestones_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_milestones_group_id_iid ON milestones (group_id, iid) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_milestones_group_id_title ON milestones (group_id, title) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_milestones_project_id_iid ON milestones (project_id, iid) WHERE project_id IS NOT NULL;

CREATE UNIQUE INDEX ix_milestones_project_id_title ON milestones (project_id, title) WHERE project_id IS NOT NULL;

CREATE INDEX ix_milestones_title ON milestones (title);

CREATE TABLE notes (
	id BIGSERIAL NOT NULL,
	noteable_kind TEXT COLLATE "C" NOT NULL,
	noteable_id BIGINT NOT NULL,
	project_id BIGINT,
	author_id BIGINT NOT NULL,
	body TEXT COLLATE "C" NOT NULL,
	body_folded TEXT COLLATE "C" NOT NULL,
	system BOOLEAN DEFAULT FALSE NOT NULL,
	action TEXT COLLATE "C",
	source_kind TEXT COLLATE "C",
	source_id BIGINT,
	discussion_id TEXT COLLATE "C" NOT NULL,
	individual BOOLEAN DEFAULT TRUE NOT NULL,
	resolved_at TEXT COLLATE "C",
	resolved_by_id BIGINT,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_notes PRIMARY KEY (id),
	CONSTRAINT fk_notes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_notes_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_notes_resolved_by_id FOREIGN KEY(resolved_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_notes_author_id ON notes (author_id);

CREATE UNIQUE INDEX ix_notes_cross_references ON notes (noteable_kind, noteable_id, source_kind, source_id) WHERE action = 'mentioned';

CREATE INDEX ix_notes_discussion_id_id ON notes (discussion_id, id);

CREATE INDEX ix_notes_noteable_kind_noteable_id_author_id ON notes (noteable_kind, noteable_id, author_id);

CREATE INDEX ix_notes_noteable_kind_noteable_id_created_at_id_source_kind ON notes (noteable_kind, noteable_id, created_at, id, source_kind);

CREATE INDEX ix_notes_noteable_kind_noteable_id_id ON notes (noteable_kind, noteable_id, id);

CREATE INDEX ix_notes_project_id_id ON notes (project_id, id);

CREATE INDEX ix_notes_resolved_by_id ON notes (resolved_by_id) WHERE resolved_by_id IS NOT NULL;

CREATE INDEX ix_notes_source_kind_source_id ON notes (source_kind, source_id) WHERE source_kind IS NOT NULL;

CREATE INDEX ix_notes_sourced ON notes (noteable_kind, noteable_id, source_kind) WHERE source_kind IS NOT NULL;

CREATE INDEX ix_notes_threads ON notes (noteable_kind, noteable_id, discussion_id, source_kind) WHERE NOT individual;

CREATE INDEX ix_notes_unresolved ON notes (noteable_kind, noteable_id) WHERE resolved_at IS NULL AND NOT individual AND NOT system;

CREATE TABLE uploads (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	secret TEXT COLLATE "C" NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	size BIGINT NOT NULL,
	author_id BIGINT,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_uploads PRIMARY KEY (id),
	CONSTRAINT fk_uploads_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_uploads_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_uploads_author_id ON uploads (author_id) WHERE author_id IS NOT NULL;

CREATE INDEX ix_uploads_project_id_id ON uploads (project_id, id);

CREATE UNIQUE INDEX ix_uploads_secret_project_id ON uploads (secret, project_id);

CREATE TABLE replication_statuses (
	node_id BIGINT NOT NULL,
	figures TEXT COLLATE "C" NOT NULL,
	reported_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_replication_statuses PRIMARY KEY (node_id),
	CONSTRAINT fk_replication_statuses_node_id FOREIGN KEY(node_id) REFERENCES replication_nodes (id) ON DELETE CASCADE
);

CREATE TABLE project_approvers (
	project_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	CONSTRAINT pk_project_approvers PRIMARY KEY (project_id, user_id),
	CONSTRAINT fk_project_approvers_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_project_approvers_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_project_approvers_user_id ON project_approvers (user_id);

CREATE TABLE project_approver_groups (
	project_id BIGINT NOT NULL,
	group_id BIGINT NOT NULL,
	CONSTRAINT pk_project_approver_groups PRIMARY KEY (project_id, group_id),
	CONSTRAINT fk_project_approver_groups_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_project_approver_groups_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_project_approver_groups_group_id ON project_approver_groups (group_id);

CREATE TABLE group_tree (
	group_id BIGINT NOT NULL,
	ancestor_id BIGINT NOT NULL,
	depth BIGINT NOT NULL,
	CONSTRAINT pk_group_tree PRIMARY KEY (group_id, ancestor_id),
	CONSTRAINT fk_group_tree_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_group_tree_ancestor_id FOREIGN KEY(ancestor_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_group_tree_ancestor_id_group_id ON group_tree (ancestor_id, group_id);

CREATE TABLE ldap_group_links (
	id BIGSERIAL NOT NULL,
	group_id BIGINT NOT NULL,
	provider TEXT COLLATE "C" NOT NULL,
	cn TEXT COLLATE "C" NOT NULL,
	filter TEXT COLLATE "C" DEFAULT '' NOT NULL,
	group_access BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_ldap_group_links PRIMARY KEY (id),
	CONSTRAINT fk_ldap_group_links_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_ldap_group_links_group_id_provider_cn_filter ON ldap_group_links (group_id, provider, cn, filter);

CREATE INDEX ix_ldap_group_links_provider ON ldap_group_links (provider);

CREATE TABLE ldap_group_syncs (
	group_id BIGINT NOT NULL,
	status TEXT COLLATE "C" DEFAULT 'ready' NOT NULL,
	error TEXT COLLATE "C",
	last_sync_at TEXT COLLATE "C",
	last_update_at TEXT COLLATE "C",
	last_successful_update_at TEXT COLLATE "C",
	CONSTRAINT pk_ldap_group_syncs PRIMARY KEY (group_id),
	CONSTRAINT fk_ldap_group_syncs_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE TABLE project_shares (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	group_id BIGINT NOT NULL,
	cap BIGINT NOT NULL,
	expires_on TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_project_shares PRIMARY KEY (id),
	CONSTRAINT fk_project_shares_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_project_shares_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_project_shares_group_id_project_id_cap_expires_on ON project_shares (group_id, project_id, cap, expires_on);

CREATE UNIQUE INDEX ix_project_shares_project_id_group_id ON project_shares (project_id, group_id);

CREATE TABLE project_texts (
	id BIGINT NOT NULL,
	namespace_id BIGINT NOT NULL,
	name_folded TEXT COLLATE "C" NOT NULL,
	path_folded TEXT COLLATE "C" NOT NULL,
	description_folded TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_project_texts PRIMARY KEY (id),
	CONSTRAINT fk_project_texts_id FOREIGN KEY(id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_project_texts_short ON project_texts (id) WHERE length(name_folded) BETWEEN 1 AND 2 OR length(path_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2;

CREATE TABLE stars (
	user_id BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_stars PRIMARY KEY (user_id, project_id),
	CONSTRAINT fk_stars_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_stars_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_stars_project_id ON stars (project_id);

CREATE TABLE runner_projects (
	runner_id BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_runner_projects PRIMARY KEY (runner_id, project_id),
	CONSTRAINT fk_runner_projects_runner_id FOREIGN KEY(runner_id) REFERENCES runners (id) ON DELETE CASCADE,
	CONSTRAINT fk_runner_projects_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_runner_projects_project_id_runner_id ON runner_projects (project_id, runner_id);

CREATE TABLE pipeline_schedule_variables (
	id BIGSERIAL NOT NULL,
	schedule_id BIGINT NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	variable_type TEXT COLLATE "C" DEFAULT 'env_var' NOT NULL,
	CONSTRAINT pk_pipeline_schedule_variables PRIMARY KEY (id),
	CONSTRAINT fk_pipeline_schedule_variables_schedule_id FOREIGN KEY(schedule_id) REFERENCES pipeline_schedules (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_pipeline_schedule_variables_schedule_id_key ON pipeline_schedule_variables (schedule_id, key);

CREATE TABLE protected_branch_grants (
	id BIGSERIAL NOT NULL,
	branch_id BIGINT NOT NULL,
	verb TEXT COLLATE "C" NOT NULL,
	level BIGINT,
	user_id BIGINT,
	group_id BIGINT,
	CONSTRAINT pk_protected_branch_grants PRIMARY KEY (id),
	CONSTRAINT fk_protected_branch_grants_branch_id FOREIGN KEY(branch_id) REFERENCES protected_branches (id) ON DELETE CASCADE,
	CONSTRAINT fk_protected_branch_grants_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_protected_branch_grants_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_protected_branch_grants_branch_id_verb ON protected_branch_grants (branch_id, verb);

CREATE INDEX ix_protected_branch_grants_group_id ON protected_branch_grants (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_protected_branch_grants_user_id ON protected_branch_grants (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE push_refs (
	push_id BIGINT NOT NULL,
	ref TEXT COLLATE "C" NOT NULL,
	old_id TEXT COLLATE "C" NOT NULL,
	new_id TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_push_refs PRIMARY KEY (push_id, ref),
	CONSTRAINT fk_push_refs_push_id FOREIGN KEY(push_id) REFERENCES pushes (id) ON DELETE CASCADE
);

CREATE TABLE hook_deliveries (
	id BIGSERIAL NOT NULL,
	hook_id BIGINT NOT NULL,
	payload_id BIGINT NOT NULL,
	attempts BIGINT DEFAULT 0 NOT NULL,
	asked_for BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_hook_deliveries PRIMARY KEY (id),
	CONSTRAINT fk_hook_deliveries_hook_id FOREIGN KEY(hook_id) REFERENCES hooks (id) ON DELETE CASCADE,
	CONSTRAINT fk_hook_deliveries_payload_id FOREIGN KEY(payload_id) REFERENCES hook_payloads (id) ON DELETE CASCADE
);

CREATE INDEX ix_hook_deliveries_hook_id_id ON hook_deliveries (hook_id, id);

CREATE INDEX ix_hook_deliveries_payload_id ON hook_deliveries (payload_id);

CREATE TABLE hook_queues (
	hook_id BIGINT NOT NULL,
	ready_at TEXT COLLATE "C",
	leased_by TEXT COLLATE "C",
	enqueued BIGINT DEFAULT 0 NOT NULL,
	failures BIGINT DEFAULT 0 NOT NULL,
	disabled_until TEXT COLLATE "C",
	CONSTRAINT pk_hook_queues PRIMARY KEY (hook_id),
	CONSTRAINT fk_hook_queues_hook_id FOREIGN KEY(hook_id) REFERENCES hooks (id) ON DELETE CASCADE
);

CREATE INDEX ix_hook_queues_ready_at ON hook_queues (ready_at) WHERE ready_at IS NOT NULL;

CREATE TABLE hook_logs (
	id BIGSERIAL NOT NULL,
	hook_id BIGINT NOT NULL,
	payload_id BIGINT NOT NULL,
	url TEXT COLLATE "C" NOT NULL,
	request_headers TEXT COLLATE "C" NOT NULL,
	response_headers TEXT COLLATE "C" NOT NULL,
	response_body TEXT COLLATE "C" NOT NULL,
	response_status TEXT COLLATE "C" NOT NULL,
	milliseconds BIGINT NOT NULL,
	error TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_hook_logs PRIMARY KEY (id),
	CONSTRAINT fk_hook_logs_hook_id FOREIGN KEY(hook_id) REFERENCES hooks (id) ON DELETE CASCADE,
	CONSTRAINT fk_hook_logs_payload_id FOREIGN KEY(payload_id) REFERENCES hook_payloads (id) ON DELETE CASCADE
);

CREATE INDEX ix_hook_logs_created_at ON hook_logs (created_at);

CREATE INDEX ix_hook_logs_hook_id_id ON hook_logs (hook_id, id);

CREATE INDEX ix_hook_logs_payload_id ON hook_logs (payload_id);

CREATE TABLE board_lists (
	id BIGSERIAL NOT NULL,
	board_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	position BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_board_lists PRIMARY KEY (id),
	CONSTRAINT fk_board_lists_board_id FOREIGN KEY(board_id) REFERENCES boards (id) ON DELETE CASCADE,
	CONSTRAINT fk_board_lists_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_board_lists_board_id_label_id ON board_lists (board_id, label_id);

CREATE INDEX ix_board_lists_board_id_position ON board_lists (board_id, position);

CREATE INDEX ix_board_lists_label_id ON board_lists (label_id);

CREATE TABLE commented_lines (
	note_id BIGINT NOT NULL,
	path TEXT COLLATE "C" NOT NULL,
	line BIGINT NOT NULL,
	line_type TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_commented_lines PRIMARY KEY (note_id),
	CONSTRAINT fk_commented_lines_note_id FOREIGN KEY(note_id) REFERENCES notes (id) ON DELETE CASCADE
);

CREATE TABLE epic_labels (
	epic_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	CONSTRAINT pk_epic_labels PRIMARY KEY (epic_id, label_id),
	CONSTRAINT fk_epic_labels_epic_id FOREIGN KEY(epic_id) REFERENCES epics (id) ON DELETE CASCADE,
	CONSTRAINT fk_epic_labels_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
);

CREATE INDEX ix_epic_labels_label_id_epic_id ON epic_labels (label_id, epic_id);

CREATE TABLE issues (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	iid BIGINT NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	description_folded TEXT COLLATE "C" DEFAULT '' NOT NULL,
	state TEXT COLLATE "C" DEFAULT 'opened' NOT NULL,
	confidential BOOLEAN DEFAULT FALSE NOT NULL,
	author_id BIGINT NOT NULL,
	milestone_id BIGINT,
	weight BIGINT,
	due_on TEXT COLLATE "C",
	discussion_locked BOOLEAN DEFAULT FALSE NOT NULL,
	time_estimate BIGINT DEFAULT 0 NOT NULL,
	total_time_spent BIGINT DEFAULT 0 NOT NULL,
	user_notes_count BIGINT DEFAULT 0 NOT NULL,
	task_count BIGINT DEFAULT 0 NOT NULL,
	completed_task_count BIGINT DEFAULT 0 NOT NULL,
	moved_to_id BIGINT,
	user_agent TEXT COLLATE "C",
	ip_address TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	closed_at TEXT COLLATE "C",
	deleted_at TEXT COLLATE "C",
	CONSTRAINT pk_issues PRIMARY KEY (id),
	CONSTRAINT fk_issues_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_issues_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_issues_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE SET NULL,
	CONSTRAINT fk_issues_moved_to_id FOREIGN KEY(moved_to_id) REFERENCES issues (id) ON DELETE SET NULL
);

CREATE INDEX ix_issues_by_creation ON issues (created_at, id, project_id, state, confidential) WHERE deleted_at IS NULL;

CREATE INDEX ix_issues_by_update ON issues (updated_at, id, project_id, state, confidential) WHERE deleted_at IS NULL;

CREATE INDEX ix_issues_confidential_of_author ON issues (author_id) WHERE confidential AND deleted_at IS NULL;

CREATE INDEX ix_issues_in_project_by_creation ON issues (project_id, created_at, id, state, confidential, author_id, milestone_id, weight, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX ix_issues_in_project_by_update ON issues (project_id, updated_at, id, state, confidential) WHERE deleted_at IS NULL;

CREATE INDEX ix_issues_moved_to_id ON issues (moved_to_id) WHERE moved_to_id IS NOT NULL;

CREATE INDEX ix_issues_of_author ON issues (author_id, created_at, id, project_id, state, confidential) WHERE deleted_at IS NULL;

CREATE INDEX ix_issues_of_milestone ON issues (milestone_id, created_at, id, project_id, state, confidential) WHERE milestone_id IS NOT NULL AND deleted_at IS NULL;

CREATE UNIQUE INDEX ix_issues_project_id_iid ON issues (project_id, iid);

CREATE TABLE label_priorities (
	project_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	priority BIGINT NOT NULL,
	CONSTRAINT pk_label_priorities PRIMARY KEY (project_id, label_id),
	CONSTRAINT fk_label_priorities_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_label_priorities_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
);

CREATE TABLE label_subscriptions (
	label_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	subscribed BOOLEAN DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_label_subscriptions PRIMARY KEY (label_id, user_id),
	CONSTRAINT fk_label_subscriptions_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE,
	CONSTRAINT fk_label_subscriptions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_label_subscriptions_user_id ON label_subscriptions (user_id);

CREATE TABLE note_texts (
	id BIGINT NOT NULL,
	noteable_kind TEXT COLLATE "C" NOT NULL,
	noteable_id BIGINT NOT NULL,
	body_folded TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_note_texts PRIMARY KEY (id),
	CONSTRAINT fk_note_texts_id FOREIGN KEY(id) REFERENCES notes (id) ON DELETE CASCADE
);

CREATE INDEX ix_note_texts_noteable_kind_noteable_id ON note_texts (noteable_kind, noteable_id);

CREATE INDEX ix_note_texts_short ON note_texts (id) WHERE length(body_folded) BETWEEN 1 AND 2;

CREATE TABLE todos (
	id BIGSERIAL NOT NULL,
	user_id BIGINT NOT NULL,
	author_id BIGINT NOT NULL,
	project_id BIGINT,
	group_id BIGINT,
	target_kind TEXT COLLATE "C" NOT NULL,
	target_id BIGINT NOT NULL,
	note_id BIGINT,
	action TEXT COLLATE "C" NOT NULL,
	state TEXT COLLATE "C" DEFAULT 'pending' NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_todos PRIMARY KEY (id),
	CONSTRAINT fk_todos_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_note_id FOREIGN KEY(note_id) REFERENCES notes (id) ON DELETE SET NULL
);

CREATE INDEX ix_todos_author_id ON todos (author_id);

CREATE INDEX ix_todos_group_id ON todos (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_todos_note_id ON todos (note_id) WHERE note_id IS NOT NULL;

CREATE INDEX ix_todos_project_id ON todos (project_id);

CREATE INDEX ix_todos_user_id_state_id ON todos (user_id, state, id);

CREATE UNIQUE INDEX ix_todos_user_id_target_kind_target_id ON todos (user_id, target_kind, target_id) WHERE state = 'pending';

CREATE TABLE merge_requests (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	iid BIGINT NOT NULL,
	source_project_id BIGINT,
	source_branch TEXT COLLATE "C" NOT NULL,
	target_branch TEXT COLLATE "C" NOT NULL,
	title TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	description TEXT COLLATE "C",
	description_folded TEXT COLLATE "C" DEFAULT '' NOT NULL,
	state TEXT COLLATE "C" DEFAULT 'opened' NOT NULL,
	draft BOOLEAN DEFAULT FALSE NOT NULL,
	author_id BIGINT NOT NULL,
	milestone_id BIGINT,
	discussion_locked BOOLEAN DEFAULT FALSE NOT NULL,
	squash BOOLEAN DEFAULT FALSE NOT NULL,
	force_remove_source_branch BOOLEAN DEFAULT FALSE NOT NULL,
	approvals_before_merge BIGINT,
	merge_status TEXT COLLATE "C" DEFAULT 'unchecked' NOT NULL,
	checked_pair TEXT COLLATE "C" DEFAULT '' NOT NULL,
	behind BOOLEAN DEFAULT FALSE NOT NULL,
	conflicting BOOLEAN DEFAULT FALSE NOT NULL,
	merging_push_id BIGINT,
	merging_sha TEXT COLLATE "C",
	merging_squash_sha TEXT COLLATE "C",
	remover_id BIGINT,
	merge_commit_sha TEXT COLLATE "C",
	squash_commit_sha TEXT COLLATE "C",
	merge_error TEXT COLLATE "C",
	merge_when_pipeline_succeeds BOOLEAN DEFAULT FALSE NOT NULL,
	merge_user_id BIGINT,
	should_remove_source_branch BIGINT,
	merge_commit_message TEXT COLLATE "C",
	squash_commit_message TEXT COLLATE "C",
	rebaser_id BIGINT,
	rebase_sha TEXT COLLATE "C",
	allow_collaboration BOOLEAN DEFAULT FALSE NOT NULL,
	merged_by_id BIGINT,
	merged_at TEXT COLLATE "C",
	closed_by_id BIGINT,
	closed_at TEXT COLLATE "C",
	time_estimate BIGINT DEFAULT 0 NOT NULL,
	total_time_spent BIGINT DEFAULT 0 NOT NULL,
	user_notes_count BIGINT DEFAULT 0 NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_merge_requests PRIMARY KEY (id),
	CONSTRAINT fk_merge_requests_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_requests_source_project_id FOREIGN KEY(source_project_id) REFERENCES projects (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_requests_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_merging_push_id FOREIGN KEY(merging_push_id) REFERENCES pushes (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_remover_id FOREIGN KEY(remover_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_merge_user_id FOREIGN KEY(merge_user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_rebaser_id FOREIGN KEY(rebaser_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_merged_by_id FOREIGN KEY(merged_by_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_merge_requests_closed_by_id FOREIGN KEY(closed_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_merge_requests_author_id_created_at_id_project_id_state ON merge_requests (author_id, created_at, id, project_id, state);

CREATE INDEX ix_merge_requests_closed_by_id ON merge_requests (closed_by_id) WHERE closed_by_id IS NOT NULL;

CREATE INDEX ix_merge_requests_created_at_id_project_id_state ON merge_requests (created_at, id, project_id, state);

CREATE INDEX ix_merge_requests_from_forks ON merge_requests (source_project_id, project_id) WHERE source_project_id <> project_id;

CREATE INDEX ix_merge_requests_merge_commit_sha ON merge_requests (merge_commit_sha) WHERE merge_commit_sha IS NOT NULL;

CREATE INDEX ix_merge_requests_merge_user_id ON merge_requests (merge_user_id) WHERE merge_user_id IS NOT NULL;

CREATE INDEX ix_merge_requests_merged_by_id ON merge_requests (merged_by_id) WHERE merged_by_id IS NOT NULL;

CREATE INDEX ix_merge_requests_merging_push_id ON merge_requests (merging_push_id) WHERE merging_push_id IS NOT NULL;

CREATE INDEX ix_merge_requests_milestone_id ON merge_requests (milestone_id) WHERE milestone_id IS NOT NULL;

CREATE UNIQUE INDEX ix_merge_requests_open_branches ON merge_requests (source_project_id, source_branch, project_id, target_branch) WHERE state = 'opened';

CREATE INDEX ix_merge_requests_open_from ON merge_requests (source_project_id) WHERE state = 'opened';

CREATE INDEX ix_merge_requests_open_into ON merge_requests (project_id, target_branch) WHERE state = 'opened';

CREATE INDEX ix_merge_requests_project_id_created_at_id_state ON merge_requests (project_id, created_at, id, state);

CREATE UNIQUE INDEX ix_merge_requests_project_id_iid ON merge_requests (project_id, iid);

CREATE INDEX ix_merge_requests_project_id_updated_at_id_state ON merge_requests (project_id, updated_at, id, state);

CREATE INDEX ix_merge_requests_rebaser_id ON merge_requests (rebaser_id) WHERE rebaser_id IS NOT NULL;

CREATE INDEX ix_merge_requests_remover_id ON merge_requests (remover_id) WHERE remover_id IS NOT NULL;

CREATE INDEX ix_merge_requests_squash_commit_sha ON merge_requests (squash_commit_sha) WHERE squash_commit_sha IS NOT NULL;

CREATE INDEX ix_merge_requests_updated_at_id_project_id_state ON merge_requests (updated_at, id, project_id, state);

CREATE TABLE pipelines (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	iid BIGINT NOT NULL,
	ref TEXT COLLATE "C" NOT NULL,
	tag BOOLEAN DEFAULT FALSE NOT NULL,
	sha TEXT COLLATE "C" NOT NULL,
	before_sha TEXT COLLATE "C",
	source TEXT COLLATE "C" DEFAULT 'external' NOT NULL,
	status TEXT COLLATE "C" DEFAULT 'created' NOT NULL,
	protected BOOLEAN DEFAULT FALSE NOT NULL,
	user_id BIGINT,
	merge_request_id BIGINT,
	push_id BIGINT,
	schedule_id BIGINT,
	scheduled_for TEXT COLLATE "C",
	name TEXT COLLATE "C",
	auto_cancel TEXT COLLATE "C",
	yaml_errors TEXT COLLATE "C",
	duration BIGINT,
	coverage TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	started_at TEXT COLLATE "C",
	finished_at TEXT COLLATE "C",
	CONSTRAINT pk_pipelines PRIMARY KEY (id),
	CONSTRAINT fk_pipelines_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipelines_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_pipelines_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE SET NULL,
	CONSTRAINT fk_pipelines_schedule_id FOREIGN KEY(schedule_id) REFERENCES pipeline_schedules (id) ON DELETE SET NULL
);

CREATE UNIQUE INDEX ix_pipelines_external ON pipelines (project_id, ref, tag, sha) WHERE source = 'external';

CREATE INDEX ix_pipelines_merge_request_id_id ON pipelines (merge_request_id, id) WHERE merge_request_id IS NOT NULL;

CREATE UNIQUE INDEX ix_pipelines_of_push ON pipelines (push_id, ref, tag) WHERE push_id IS NOT NULL;

CREATE UNIQUE INDEX ix_pipelines_of_schedule ON pipelines (schedule_id, scheduled_for) WHERE scheduled_for IS NOT NULL;

CREATE INDEX ix_pipelines_project_id_id ON pipelines (project_id, id);

CREATE UNIQUE INDEX ix_pipelines_project_id_iid ON pipelines (project_id, iid);

CREATE INDEX ix_pipelines_project_id_ref_id ON pipelines (project_id, ref, id);

CREATE INDEX ix_pipelines_project_id_sha_id ON pipelines (project_id, sha, id);

CREATE INDEX ix_pipelines_project_id_status_id ON pipelines (project_id, status, id);

CREATE INDEX ix_pipelines_schedule_id_id ON pipelines (schedule_id, id) WHERE schedule_id IS NOT NULL;

CREATE INDEX ix_pipelines_user_id ON pipelines (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE epic_issues (
	id BIGSERIAL NOT NULL,
	epic_id BIGINT NOT NULL,
	issue_id BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	relative_position BIGINT NOT NULL,
	CONSTRAINT pk_epic_issues PRIMARY KEY (id),
	CONSTRAINT fk_epic_issues_epic_id FOREIGN KEY(epic_id) REFERENCES epics (id) ON DELETE CASCADE,
	CONSTRAINT fk_epic_issues_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_epic_issues_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_epic_issues_epic_id_project_id ON epic_issues (epic_id, project_id);

CREATE INDEX ix_epic_issues_epic_id_relative_position_id_project_id_issue_id ON epic_issues (epic_id, relative_position, id, project_id, issue_id);

CREATE UNIQUE INDEX ix_epic_issues_issue_id ON epic_issues (issue_id);

CREATE INDEX ix_epic_issues_project_id ON epic_issues (project_id);

CREATE TABLE issue_links (
	id BIGSERIAL NOT NULL,
	source_id BIGINT NOT NULL,
	target_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_issue_links PRIMARY KEY (id),
	CONSTRAINT fk_issue_links_source_id FOREIGN KEY(source_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_issue_links_target_id FOREIGN KEY(target_id) REFERENCES issues (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_issue_links_source_id_target_id ON issue_links (source_id, target_id);

CREATE INDEX ix_issue_links_target_id ON issue_links (target_id);

CREATE TABLE issue_texts (
	id BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	author_id BIGINT NOT NULL,
	state TEXT COLLATE "C" NOT NULL,
	confidential BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	description_folded TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_issue_texts PRIMARY KEY (id),
	CONSTRAINT fk_issue_texts_id FOREIGN KEY(id) REFERENCES issues (id) ON DELETE CASCADE
);

CREATE INDEX ix_issue_texts_project_id ON issue_texts (project_id);

CREATE INDEX ix_issue_texts_short ON issue_texts (id) WHERE length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2;

CREATE TABLE issue_assignees (
	issue_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	project_id BIGINT,
	created_at TEXT COLLATE "C",
	CONSTRAINT pk_issue_assignees PRIMARY KEY (issue_id, user_id),
	CONSTRAINT fk_issue_assignees_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_issue_assignees_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_issue_assignees_user_id_project_id_created_at_issue_id ON issue_assignees (user_id, project_id, created_at, issue_id);

CREATE TABLE issue_labels (
	issue_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	project_id BIGINT,
	created_at TEXT COLLATE "C",
	CONSTRAINT pk_issue_labels PRIMARY KEY (issue_id, label_id),
	CONSTRAINT fk_issue_labels_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_issue_labels_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
);

CREATE INDEX ix_issue_labels_label_id_project_id_created_at_issue_id ON issue_labels (label_id, project_id, created_at, issue_id);

CREATE TABLE approvals (
	merge_request_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_approvals PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_approvals_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_approvals_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_approvals_user_id_merge_request_id ON approvals (user_id, merge_request_id);

CREATE TABLE merge_request_approvers (
	merge_request_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	CONSTRAINT pk_merge_request_approvers PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_merge_request_approvers_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_approvers_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_approvers_user_id ON merge_request_approvers (user_id);

CREATE TABLE merge_request_approver_groups (
	merge_request_id BIGINT NOT NULL,
	group_id BIGINT NOT NULL,
	CONSTRAINT pk_merge_request_approver_groups PRIMARY KEY (merge_request_id, group_id),
	CONSTRAINT fk_merge_request_approver_groups_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_approver_groups_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_approver_groups_group_id ON merge_request_approver_groups (group_id);

CREATE TABLE merge_request_closing_issues (
	merge_request_id BIGINT NOT NULL,
	iid BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	CONSTRAINT pk_merge_request_closing_issues PRIMARY KEY (merge_request_id, iid),
	CONSTRAINT fk_merge_request_closing_issues_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_closing_issues_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_closing_issues_project_id_iid ON merge_request_closing_issues (project_id, iid);

CREATE TABLE diff_positions (
	discussion_id TEXT COLLATE "C" NOT NULL,
	merge_request_id BIGINT NOT NULL,
	position TEXT COLLATE "C" NOT NULL,
	original_position TEXT COLLATE "C" NOT NULL,
	line_code TEXT COLLATE "C",
	outdated BOOLEAN DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_diff_positions PRIMARY KEY (discussion_id),
	CONSTRAINT fk_diff_positions_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE
);

CREATE INDEX ix_diff_positions_merge_request_id ON diff_positions (merge_request_id) WHERE NOT outdated;

CREATE TABLE draft_notes (
	id BIGSERIAL NOT NULL,
	merge_request_id BIGINT NOT NULL,
	author_id BIGINT NOT NULL,
	note TEXT COLLATE "C" NOT NULL,
	discussion_id TEXT COLLATE "C",
	resolve_discussion BOOLEAN DEFAULT FALSE NOT NULL,
	position TEXT COLLATE "C",
	line_code TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_draft_notes PRIMARY KEY (id),
	CONSTRAINT fk_draft_notes_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_draft_notes_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_draft_notes_author_id ON draft_notes (author_id);

CREATE INDEX ix_draft_notes_merge_request_id_author_id_id ON draft_notes (merge_request_id, author_id, id);

CREATE TABLE merge_request_texts (
	id BIGINT NOT NULL,
	project_id BIGINT NOT NULL,
	author_id BIGINT NOT NULL,
	title_folded TEXT COLLATE "C" NOT NULL,
	description_folded TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_merge_request_texts PRIMARY KEY (id),
	CONSTRAINT fk_merge_request_texts_id FOREIGN KEY(id) REFERENCES merge_requests (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_texts_project_id ON merge_request_texts (project_id);

CREATE INDEX ix_merge_request_texts_short ON merge_request_texts (id) WHERE length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2;

CREATE TABLE merge_request_labels (
	merge_request_id BIGINT NOT NULL,
	label_id BIGINT NOT NULL,
	CONSTRAINT pk_merge_request_labels PRIMARY KEY (merge_request_id, label_id),
	CONSTRAINT fk_merge_request_labels_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_labels_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_labels_label_id_merge_request_id ON merge_request_labels (label_id, merge_request_id);

CREATE TABLE merge_request_assignees (
	merge_request_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	CONSTRAINT pk_merge_request_assignees PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_merge_request_assignees_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_assignees_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_assignees_user_id_merge_request_id ON merge_request_assignees (user_id, merge_request_id);

CREATE TABLE merge_request_reviewers (
	merge_request_id BIGINT NOT NULL,
	user_id BIGINT NOT NULL,
	CONSTRAINT pk_merge_request_reviewers PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_merge_request_reviewers_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_reviewers_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_merge_request_reviewers_user_id_merge_request_id ON merge_request_reviewers (user_id, merge_request_id);

CREATE TABLE merge_request_versions (
	id BIGSERIAL NOT NULL,
	merge_request_id BIGINT NOT NULL,
	head_sha TEXT COLLATE "C",
	base_sha TEXT COLLATE "C",
	start_sha TEXT COLLATE "C",
	state TEXT COLLATE "C" NOT NULL,
	real_size TEXT COLLATE "C",
	closing TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
	pusher_id BIGINT,
	followed BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_merge_request_versions PRIMARY KEY (id),
	CONSTRAINT fk_merge_request_versions_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_versions_pusher_id FOREIGN KEY(pusher_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_merge_request_versions_merge_request_id_id ON merge_request_versions (merge_request_id, id);

CREATE INDEX ix_merge_request_versions_pusher_id ON merge_request_versions (pusher_id) WHERE pusher_id IS NOT NULL;

CREATE INDEX ix_merge_request_versions_unfollowed ON merge_request_versions (merge_request_id) WHERE NOT followed;

CREATE TABLE pipeline_jobs (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	pipeline_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	stage TEXT COLLATE "C" NOT NULL,
	stage_index BIGINT NOT NULL,
	status TEXT COLLATE "C" DEFAULT 'created' NOT NULL,
	run_when TEXT COLLATE "C" DEFAULT 'on_success' NOT NULL,
	allow_failure BOOLEAN DEFAULT FALSE NOT NULL,
	retried BOOLEAN DEFAULT FALSE NOT NULL,
	protected BOOLEAN DEFAULT FALSE NOT NULL,
	interruptible BOOLEAN DEFAULT FALSE NOT NULL,
	needs TEXT COLLATE "C",
	tags TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
	environment TEXT COLLATE "C",
	resource_group TEXT COLLATE "C",
	start_in BIGINT,
	user_id BIGINT,
	runner_id BIGINT,
	token_digest TEXT COLLATE "C",
	token TEXT COLLATE "C",
	failure_reason TEXT COLLATE "C",
	exit_code BIGINT,
	coverage TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	scheduled_at TEXT COLLATE "C",
	queued_at TEXT COLLATE "C",
	started_at TEXT COLLATE "C",
	finished_at TEXT COLLATE "C",
	erased_at TEXT COLLATE "C",
	erased_by_id BIGINT,
	options TEXT COLLATE "C" DEFAULT '{}' NOT NULL,
	CONSTRAINT pk_pipeline_jobs PRIMARY KEY (id),
	CONSTRAINT fk_pipeline_jobs_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_jobs_pipeline_id FOREIGN KEY(pipeline_id) REFERENCES pipelines (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_jobs_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_pipeline_jobs_erased_by_id FOREIGN KEY(erased_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_pipeline_jobs_erased_by_id ON pipeline_jobs (erased_by_id) WHERE erased_by_id IS NOT NULL;

CREATE INDEX ix_pipeline_jobs_needing ON pipeline_jobs (pipeline_id) WHERE status = 'created' AND needs IS NOT NULL;

CREATE INDEX ix_pipeline_jobs_open ON pipeline_jobs (status, id) WHERE status IN ('pending', 'running');

CREATE INDEX ix_pipeline_jobs_parts ON pipeline_jobs (pipeline_id, retried, stage_index, status, allow_failure);

CREATE INDEX ix_pipeline_jobs_pipeline_id_name_id ON pipeline_jobs (pipeline_id, name, id);

CREATE INDEX ix_pipeline_jobs_project_id_id ON pipeline_jobs (project_id, id);

CREATE INDEX ix_pipeline_jobs_project_id_status_id ON pipeline_jobs (project_id, status, id);

CREATE INDEX ix_pipeline_jobs_queues ON pipeline_jobs (tags, protected, project_id, id, resource_group) WHERE status = 'pending';

CREATE UNIQUE INDEX ix_pipeline_jobs_resources ON pipeline_jobs (project_id, resource_group) WHERE status = 'running' AND resource_group IS NOT NULL;

CREATE INDEX ix_pipeline_jobs_runner_id_id ON pipeline_jobs (runner_id, id) WHERE runner_id IS NOT NULL;

CREATE INDEX ix_pipeline_jobs_running ON pipeline_jobs (runner_id, project_id) WHERE status = 'running';

CREATE UNIQUE INDEX ix_pipeline_jobs_token_digest ON pipeline_jobs (token_digest) WHERE token_digest IS NOT NULL;

CREATE INDEX ix_pipeline_jobs_user_id ON pipeline_jobs (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE pipeline_variables (
	id BIGSERIAL NOT NULL,
	pipeline_id BIGINT NOT NULL,
	key TEXT COLLATE "C" NOT NULL,
	value TEXT COLLATE "C" NOT NULL,
	variable_type TEXT COLLATE "C" DEFAULT 'env_var' NOT NULL,
	raw BOOLEAN DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_pipeline_variables PRIMARY KEY (id),
	CONSTRAINT fk_pipeline_variables_pipeline_id FOREIGN KEY(pipeline_id) REFERENCES pipelines (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_pipeline_variables_pipeline_id_key ON pipeline_variables (pipeline_id, key);

CREATE TABLE commit_statuses (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	pipeline_id BIGINT NOT NULL,
	sha TEXT COLLATE "C" NOT NULL,
	ref TEXT COLLATE "C" NOT NULL,
	tag BOOLEAN DEFAULT FALSE NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	state TEXT COLLATE "C" NOT NULL,
	target_url TEXT COLLATE "C",
	description TEXT COLLATE "C",
	coverage TEXT COLLATE "C",
	author_id BIGINT,
	retried BOOLEAN DEFAULT FALSE NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	started_at TEXT COLLATE "C",
	finished_at TEXT COLLATE "C",
	CONSTRAINT pk_commit_statuses PRIMARY KEY (id),
	CONSTRAINT fk_commit_statuses_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_commit_statuses_pipeline_id FOREIGN KEY(pipeline_id) REFERENCES pipelines (id) ON DELETE CASCADE,
	CONSTRAINT fk_commit_statuses_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_commit_statuses_author_id ON commit_statuses (author_id) WHERE author_id IS NOT NULL;

CREATE INDEX ix_commit_statuses_pipeline_id ON commit_statuses (pipeline_id);

CREATE INDEX ix_commit_statuses_project_id_sha_id ON commit_statuses (project_id, sha, id);

CREATE UNIQUE INDEX ix_commit_statuses_standing ON commit_statuses (project_id, sha, ref, tag, name) WHERE NOT retried;

CREATE TABLE job_artifacts (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	job_id BIGINT NOT NULL,
	file_type TEXT COLLATE "C" NOT NULL,
	file_format TEXT COLLATE "C" NOT NULL,
	filename TEXT COLLATE "C" NOT NULL,
	size BIGINT NOT NULL,
	sha256 TEXT COLLATE "C" NOT NULL,
	file TEXT COLLATE "C",
	expire_at TEXT COLLATE "C",
	created_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_job_artifacts PRIMARY KEY (id),
	CONSTRAINT fk_job_artifacts_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_job_artifacts_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE CASCADE
);

CREATE INDEX ix_job_artifacts_expire_at ON job_artifacts (expire_at) WHERE expire_at IS NOT NULL;

CREATE UNIQUE INDEX ix_job_artifacts_file ON job_artifacts (file);

CREATE UNIQUE INDEX ix_job_artifacts_job_id_file_type ON job_artifacts (job_id, file_type);

CREATE INDEX ix_job_artifacts_project_id_id ON job_artifacts (project_id, id);

CREATE TABLE deployments (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	iid BIGINT NOT NULL,
	environment_id BIGINT NOT NULL,
	job_id BIGINT,
	user_id BIGINT,
	ref TEXT COLLATE "C" NOT NULL,
	tag BOOLEAN DEFAULT FALSE NOT NULL,
	sha TEXT COLLATE "C" NOT NULL,
	on_stop TEXT COLLATE "C",
	status TEXT COLLATE "C" DEFAULT 'success' NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_deployments PRIMARY KEY (id),
	CONSTRAINT fk_deployments_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_deployments_environment_id FOREIGN KEY(environment_id) REFERENCES environments (id) ON DELETE CASCADE,
	CONSTRAINT fk_deployments_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE SET NULL,
	CONSTRAINT fk_deployments_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_deployments_environment_id_id ON deployments (environment_id, id);

CREATE UNIQUE INDEX ix_deployments_job_id ON deployments (job_id) WHERE job_id IS NOT NULL;

CREATE INDEX ix_deployments_project_id_id ON deployments (project_id, id);

CREATE UNIQUE INDEX ix_deployments_project_id_iid ON deployments (project_id, iid);

CREATE INDEX ix_deployments_user_id ON deployments (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE job_traces (
	job_id BIGINT NOT NULL,
	size BIGINT DEFAULT 0 NOT NULL,
	secrets TEXT COLLATE "C" NOT NULL,
	held TEXT COLLATE "C",
	CONSTRAINT pk_job_traces PRIMARY KEY (job_id),
	CONSTRAINT fk_job_traces_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE CASCADE
);

CREATE TABLE job_trace_chunks (
	job_id BIGINT NOT NULL,
	start BIGINT NOT NULL,
	data BYTEA NOT NULL,
	CONSTRAINT pk_job_trace_chunks PRIMARY KEY (job_id, start),
	CONSTRAINT fk_job_trace_chunks_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE CASCADE
);

CREATE FUNCTION document_epochs_users_username() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (0, 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_users_username AFTER UPDATE OF username, name, state, avatar, deleted_at ON users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.username, OLD.name, OLD.state, OLD.avatar, OLD.deleted_at) IS DISTINCT FROM (NEW.username, NEW.name, NEW.state, NEW.avatar, NEW.deleted_at)) EXECUTE FUNCTION document_epochs_users_username();

CREATE TABLE event_counts (author_id BIGINT NOT NULL, project_id BIGINT NOT NULL, day TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, part TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_event_counts ON event_counts (author_id, project_id, day, kind, part);

CREATE FUNCTION event_counts_add(BIGINT, BIGINT, TEXT, TEXT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE event_counts SET n = n + $6 WHERE ctid = (SELECT c.ctid FROM event_counts c WHERE c.author_id = $1 AND c.project_id = $2 AND c.day = $3 AND c.kind = $4 AND c.part = $5 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM event_counts c WHERE c.author_id = $1 AND c.project_id = $2 AND c.day = $3 AND c.kind = $4 AND c.part = $5 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE event_counts SET n = n + $6 WHERE ctid = shard; ELSE INSERT INTO event_counts (author_id, project_id, day, kind, part, n) VALUES ($1, $2, $3, $4, $5, $6); END IF; END IF; END';

CREATE FUNCTION event_counts_events_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN ''issue'' THEN CASE WHEN NEW.confidential THEN ''confidential issue'' ELSE ''issue'' END WHEN ''merge_request'' THEN ''merge request'' WHEN ''repository'' THEN ''code'' WHEN ''wiki_page'' THEN ''wiki'' WHEN ''note'' THEN (SELECT CASE note.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = note.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = note.noteable_id FOR NO KEY UPDATE) END FROM notes note WHERE note.id = NEW.subject_id) ELSE ''project'' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND about.part IS NOT NULL) s (author_id, project_id, day, kind, part, n); RETURN NULL; END';

CREATE TRIGGER event_counts_events_inserted AFTER INSERT ON events FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_events_inserted();

CREATE FUNCTION event_counts_events_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT OLD.author_id * whose.own, OLD.project_id, substr(OLD.created_at, 1, 10), OLD.kind, about.part, -1 FROM (SELECT CASE OLD.subject_kind WHEN ''issue'' THEN CASE WHEN OLD.confidential THEN ''confidential issue'' ELSE ''issue'' END WHEN ''merge_request'' THEN ''merge request'' WHEN ''repository'' THEN ''code'' WHEN ''wiki_page'' THEN ''wiki'' WHEN ''note'' THEN (SELECT CASE note.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = note.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = note.noteable_id FOR NO KEY UPDATE) END FROM notes note WHERE note.id = OLD.subject_id) ELSE ''project'' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.project_id IS NOT NULL AND OLD.author_id IS NOT NULL AND OLD.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND about.part IS NOT NULL) s (author_id, project_id, day, kind, part, n); PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN ''issue'' THEN CASE WHEN NEW.confidential THEN ''confidential issue'' ELSE ''issue'' END WHEN ''merge_request'' THEN ''merge request'' WHEN ''repository'' THEN ''code'' WHEN ''wiki_page'' THEN ''wiki'' WHEN ''note'' THEN (SELECT CASE note.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = note.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = note.noteable_id FOR NO KEY UPDATE) END FROM notes note WHERE note.id = NEW.subject_id) ELSE ''project'' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND about.part IS NOT NULL) s (author_id, project_id, day, kind, part, n); RETURN NULL; END';

CREATE TRIGGER event_counts_events_updated AFTER UPDATE OF created_at ON events FOR EACH ROW WHEN ((OLD.created_at) IS DISTINCT FROM (NEW.created_at)) EXECUTE FUNCTION event_counts_events_updated();

CREATE FUNCTION event_counts_notes_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, about.part, -1 FROM (SELECT CASE OLD.noteable_kind WHEN ''commit'' THEN ''code'' WHEN ''issue'' THEN (SELECT CASE WHEN i.confidential THEN ''confidential issue'' ELSE ''issue'' END FROM issues i WHERE i.id = OLD.noteable_id AND i.deleted_at IS NULL FOR NO KEY UPDATE) WHEN ''merge_request'' THEN (SELECT ''merge request'' FROM merge_requests mr WHERE mr.id = OLD.noteable_id FOR NO KEY UPDATE) WHEN ''snippet'' THEN (SELECT s.visibility || '' snippet'' FROM snippets s WHERE s.id = OLD.noteable_id FOR NO KEY UPDATE) END AS part) about CROSS JOIN events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND event.subject_kind = ''note'' AND event.subject_id = OLD.id AND NOT OLD.system AND about.part IS NOT NULL AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END';

CREATE TRIGGER event_counts_notes_deleted BEFORE DELETE ON notes FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_notes_deleted();

CREATE FUNCTION event_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN ''confidential issue'' ELSE ''issue'' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''issue'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''issue'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN NEW.confidential THEN ''confidential issue'' ELSE ''issue'' END, 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''issue'' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''issue'' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN NULL; END';

CREATE TRIGGER event_counts_issues_updated AFTER UPDATE OF confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION event_counts_issues_updated();

CREATE FUNCTION event_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN ''confidential issue'' ELSE ''issue'' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''issue'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''issue'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END';

CREATE TRIGGER event_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_issues_deleted();

CREATE FUNCTION event_counts_merge_requests_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, ''merge request'', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''merge_request'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''merge_request'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END';

CREATE TRIGGER event_counts_merge_requests_deleted BEFORE DELETE ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_merge_requests_deleted();

CREATE FUNCTION event_counts_snippets_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || '' snippet'', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''snippet'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''snippet'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, NEW.visibility || '' snippet'', 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''snippet'' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''snippet'' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN NULL; END';

CREATE TRIGGER event_counts_snippets_updated AFTER UPDATE OF visibility ON snippets FOR EACH ROW WHEN ((OLD.visibility) IS DISTINCT FROM (NEW.visibility)) EXECUTE FUNCTION event_counts_snippets_updated();

CREATE FUNCTION event_counts_snippets_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || '' snippet'', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = ''snippet'' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = ''note'' AND e.subject_id = n.id WHERE n.noteable_kind = ''snippet'' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN (''issue.created'', ''issue.closed'', ''issue.reopened'', ''merge_request.created'', ''merge_request.closed'', ''merge_request.merged'', ''merge_request.reopened'', ''note.created'', ''milestone.created'', ''milestone.closed'', ''milestone.activated'', ''milestone.deleted'', ''project.created'', ''member.added'', ''member.removed'', ''repository.pushed'', ''wiki_page.created'', ''wiki_page.updated'', ''wiki_page.deleted'') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id)) s (author_id, project_id, day, kind, part, n); RETURN OLD; END';

CREATE TRIGGER event_counts_snippets_deleted BEFORE DELETE ON snippets FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_snippets_deleted();

CREATE FUNCTION event_counts_users_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM event_counts_add(s.author_id, s.project_id, s.day, s.kind, s.part, s.n) FROM (SELECT 0, c.project_id, c.day, c.kind, c.part, -c.n FROM event_counts c WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = c.project_id) AND c.author_id = OLD.id) s (author_id, project_id, day, kind, part, n); RETURN OLD; END';

CREATE TRIGGER event_counts_users_deleted BEFORE DELETE ON users FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_users_deleted();

CREATE FUNCTION event_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM event_counts WHERE project_id = OLD.id AND author_id IN (SELECT 0 UNION SELECT e.author_id FROM events e WHERE e.project_id = OLD.id); RETURN NULL; END';

CREATE TRIGGER event_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_of_projects();

CREATE FUNCTION event_counts_of_users() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM event_counts WHERE author_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER event_counts_of_users AFTER DELETE ON users FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION event_counts_of_users();

CREATE TABLE iids (
    owner_kind TEXT COLLATE "C" NOT NULL,
    owner_id BIGINT NOT NULL,
    noun TEXT COLLATE "C" NOT NULL,
    last BIGINT NOT NULL,
    CONSTRAINT pk_iids PRIMARY KEY (owner_kind, owner_id, noun)
);

CREATE FUNCTION next_iid(owner text, whose bigint, what text) RETURNS bigint LANGUAGE plpgsql AS
'DECLARE given bigint; BEGIN PERFORM pg_advisory_xact_lock(hashtextextended(owner || what, whose)); INSERT INTO iids (owner_kind, owner_id, noun, last) VALUES (owner, whose, what, 1) ON CONFLICT (owner_kind, owner_id, noun) DO UPDATE SET last = iids.last + 1 RETURNING last INTO given; RETURN given; END';

CREATE TABLE document_epochs (id BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL);

CREATE TABLE epic_counts (group_id BIGINT NOT NULL, visibility TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_epic_counts ON epic_counts (group_id, visibility);

CREATE FUNCTION epic_counts_add(BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE epic_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM epic_counts c WHERE c.group_id = $1 AND c.visibility = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM epic_counts c WHERE c.group_id = $1 AND c.visibility = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE epic_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO epic_counts (group_id, visibility, n) VALUES ($1, $2, $3); END IF; END IF; END';

CREATE FUNCTION epic_counts_epics_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, g.visibility, 1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE TRUE AND g.id = NEW.group_id FOR SHARE OF g) s (group_id, visibility, n); RETURN NULL; END';

CREATE TRIGGER epic_counts_epics_inserted AFTER INSERT ON epics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_epics_inserted();

CREATE FUNCTION epic_counts_epics_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, g.visibility, -1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = t.ancestor_id) AND g.id = OLD.group_id FOR SHARE OF g) s (group_id, visibility, n); RETURN OLD; END';

CREATE TRIGGER epic_counts_epics_deleted BEFORE DELETE ON epics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_epics_deleted();

CREATE FUNCTION epic_counts_groups_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, OLD.visibility, -1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = OLD.id) s (group_id, visibility, n); PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT t.ancestor_id, NEW.visibility, 1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = NEW.id) s (group_id, visibility, n); RETURN NULL; END';

CREATE TRIGGER epic_counts_groups_updated AFTER UPDATE OF visibility ON groups FOR EACH ROW WHEN ((OLD.visibility) IS DISTINCT FROM (NEW.visibility)) EXECUTE FUNCTION epic_counts_groups_updated();

CREATE FUNCTION epic_counts_group_tree_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT NEW.ancestor_id, g.visibility, 1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE TRUE AND g.id = NEW.group_id) s (group_id, visibility, n); RETURN NULL; END';

CREATE TRIGGER epic_counts_group_tree_inserted AFTER INSERT ON group_tree FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_group_tree_inserted();

CREATE FUNCTION epic_counts_group_tree_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM epic_counts_add(s.group_id, s.visibility, s.n) FROM (SELECT OLD.ancestor_id, g.visibility, -1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = OLD.ancestor_id) AND g.id = OLD.group_id) s (group_id, visibility, n); RETURN OLD; END';

CREATE TRIGGER epic_counts_group_tree_deleted BEFORE DELETE ON group_tree FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_group_tree_deleted();

CREATE FUNCTION epic_counts_of_groups() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM epic_counts WHERE group_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER epic_counts_of_groups AFTER DELETE ON groups FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION epic_counts_of_groups();

CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS
'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(
    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END';

CREATE INDEX ix_issue_texts_grams ON issue_texts USING gin (trigrams(title_folded || chr(10) || description_folded)) WITH (gin_pending_list_limit = 256);

CREATE INDEX ix_issue_texts_long ON issue_texts (id) WHERE length(title_folded || chr(10) || description_folded) > 20000;

CREATE FUNCTION issue_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_texts (id, project_id, author_id, state, confidential, created_at, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.state, NEW.confidential, NEW.created_at, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); RETURN NULL; END';

CREATE TRIGGER issue_texts_come AFTER INSERT ON issues FOR EACH ROW EXECUTE FUNCTION issue_texts_come();

CREATE FUNCTION issue_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE issue_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER issue_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON issues FOR EACH ROW EXECUTE FUNCTION issue_texts_changed_text();

CREATE FUNCTION issue_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE issue_texts SET project_id = NEW.project_id, author_id = NEW.author_id, state = NEW.state, confidential = NEW.confidential, created_at = NEW.created_at WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER issue_texts_stand AFTER UPDATE OF project_id, author_id, state, confidential, created_at, deleted_at ON issues FOR EACH ROW EXECUTE FUNCTION issue_texts_stand();

CREATE FUNCTION issue_assignees_copied() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN SELECT x.project_id, x.created_at INTO NEW.project_id, NEW.created_at FROM issues x WHERE x.id = NEW.issue_id; RETURN NEW; END';

CREATE TRIGGER issue_assignees_copied BEFORE INSERT ON issue_assignees FOR EACH ROW EXECUTE FUNCTION issue_assignees_copied();

CREATE FUNCTION issue_assignees_copied_again() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE issue_assignees SET (project_id, created_at) = (NEW.project_id, NEW.created_at) WHERE issue_id = NEW.id; RETURN NULL; END';

CREATE TRIGGER issue_assignees_copied_again AFTER UPDATE OF project_id, created_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.created_at) IS DISTINCT FROM (NEW.project_id, NEW.created_at)) EXECUTE FUNCTION issue_assignees_copied_again();

CREATE TABLE issue_counts (project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_issue_counts ON issue_counts (project_id, state, confidential);

CREATE FUNCTION issue_counts_add(BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM issue_counts c WHERE c.project_id = $1 AND c.state = $2 AND c.confidential = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_counts c WHERE c.project_id = $1 AND c.state = $2 AND c.confidential = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO issue_counts (project_id, state, confidential, n) VALUES ($1, $2, $3, $4); END IF; END IF; END';

CREATE FUNCTION issue_counts_issues_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_counts_issues_inserted AFTER INSERT ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_counts_issues_inserted();

CREATE FUNCTION issue_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL) s (project_id, state, confidential, n); PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_counts_issues_updated();

CREATE FUNCTION issue_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_counts_add(s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND OLD.deleted_at IS NULL) s (project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_counts_issues_deleted();

CREATE FUNCTION issue_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER issue_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_counts_of_projects();

CREATE TABLE issue_author_counts (author_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_issue_author_counts ON issue_author_counts (author_id, project_id, state, confidential);

CREATE FUNCTION issue_author_counts_add(BIGINT, BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_author_counts SET n = n + $5 WHERE ctid = (SELECT c.ctid FROM issue_author_counts c WHERE c.author_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_author_counts c WHERE c.author_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_author_counts SET n = n + $5 WHERE ctid = shard; ELSE INSERT INTO issue_author_counts (author_id, project_id, state, confidential, n) VALUES ($1, $2, $3, $4, $5); END IF; END IF; END';

CREATE FUNCTION issue_author_counts_issues_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_author_counts_add(s.author_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.author_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (author_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_author_counts_issues_inserted AFTER INSERT ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_author_counts_issues_inserted();

CREATE FUNCTION issue_author_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_author_counts_add(s.author_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.author_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL) s (author_id, project_id, state, confidential, n); PERFORM issue_author_counts_add(s.author_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.author_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (author_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_author_counts_issues_updated AFTER UPDATE OF author_id, project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.author_id, OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.author_id, NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_author_counts_issues_updated();

CREATE FUNCTION issue_author_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_author_counts_add(s.author_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.author_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM users o WHERE o.id = OLD.author_id) AND OLD.deleted_at IS NULL) s (author_id, project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_author_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_author_counts_issues_deleted();

CREATE FUNCTION issue_author_counts_of_users() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_author_counts WHERE author_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER issue_author_counts_of_users AFTER DELETE ON users FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_author_counts_of_users();

CREATE TABLE issue_milestone_counts (milestone_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_issue_milestone_counts ON issue_milestone_counts (milestone_id, project_id, state, confidential);

CREATE FUNCTION issue_milestone_counts_add(BIGINT, BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_milestone_counts SET n = n + $5 WHERE ctid = (SELECT c.ctid FROM issue_milestone_counts c WHERE c.milestone_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_milestone_counts c WHERE c.milestone_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_milestone_counts SET n = n + $5 WHERE ctid = shard; ELSE INSERT INTO issue_milestone_counts (milestone_id, project_id, state, confidential, n) VALUES ($1, $2, $3, $4, $5); END IF; END IF; END';

CREATE FUNCTION issue_milestone_counts_issues_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_milestone_counts_add(s.milestone_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.milestone_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = NEW.milestone_id)) s (milestone_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_milestone_counts_issues_inserted AFTER INSERT ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_milestone_counts_issues_inserted();

CREATE FUNCTION issue_milestone_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_milestone_counts_add(s.milestone_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.milestone_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = OLD.milestone_id)) s (milestone_id, project_id, state, confidential, n); PERFORM issue_milestone_counts_add(s.milestone_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.milestone_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = NEW.milestone_id)) s (milestone_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_milestone_counts_issues_updated AFTER UPDATE OF milestone_id, project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.milestone_id, OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.milestone_id, NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_milestone_counts_issues_updated();

CREATE FUNCTION issue_milestone_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_milestone_counts_add(s.milestone_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.milestone_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM milestones o WHERE o.id = OLD.milestone_id) AND OLD.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = OLD.milestone_id)) s (milestone_id, project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_milestone_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_milestone_counts_issues_deleted();

CREATE FUNCTION issue_milestone_counts_of_milestones() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_milestone_counts WHERE milestone_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER issue_milestone_counts_of_milestones AFTER DELETE ON milestones FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_milestone_counts_of_milestones();

CREATE TABLE issue_assignee_counts (user_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_issue_assignee_counts ON issue_assignee_counts (user_id, project_id, state, confidential);

CREATE FUNCTION issue_assignee_counts_add(BIGINT, BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_assignee_counts SET n = n + $5 WHERE ctid = (SELECT c.ctid FROM issue_assignee_counts c WHERE c.user_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_assignee_counts c WHERE c.user_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_assignee_counts SET n = n + $5 WHERE ctid = shard; ELSE INSERT INTO issue_assignee_counts (user_id, project_id, state, confidential, n) VALUES ($1, $2, $3, $4, $5); END IF; END IF; END';

CREATE FUNCTION issue_assignee_counts_issue_assignees_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_assignee_counts_add(s.user_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.user_id, x.project_id, x.state, x.confidential, 1 FROM issues x WHERE TRUE AND x.id = NEW.issue_id AND x.deleted_at IS NULL FOR SHARE) s (user_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_assignee_counts_issue_assignees_inserted AFTER INSERT ON issue_assignees FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_assignee_counts_issue_assignees_inserted();

CREATE FUNCTION issue_assignee_counts_issue_assignees_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_assignee_counts_add(s.user_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.user_id, x.project_id, x.state, x.confidential, -1 FROM issues x WHERE EXISTS (SELECT 1 FROM users o WHERE o.id = OLD.user_id) AND x.id = OLD.issue_id AND x.deleted_at IS NULL FOR SHARE) s (user_id, project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_assignee_counts_issue_assignees_deleted BEFORE DELETE ON issue_assignees FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_assignee_counts_issue_assignees_deleted();

CREATE FUNCTION issue_assignee_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_assignee_counts_add(s.user_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT x.user_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_assignees x WHERE TRUE AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL) s (user_id, project_id, state, confidential, n); PERFORM issue_assignee_counts_add(s.user_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT x.user_id, NEW.project_id, NEW.state, NEW.confidential, 1 FROM issue_assignees x WHERE TRUE AND x.issue_id = NEW.id AND NEW.deleted_at IS NULL) s (user_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_assignee_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_assignee_counts_issues_updated();

CREATE FUNCTION issue_assignee_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_assignee_counts_add(s.user_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT x.user_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_assignees x WHERE EXISTS (SELECT 1 FROM users o WHERE o.id = x.user_id) AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL) s (user_id, project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_assignee_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_assignee_counts_issues_deleted();

CREATE FUNCTION issue_assignee_counts_of_users() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_assignee_counts WHERE user_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER issue_assignee_counts_of_users AFTER DELETE ON users FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_assignee_counts_of_users();

CREATE TABLE issue_documents (
    id BIGINT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    shape BIGINT,
    shared_epoch BIGINT,
    project_epoch BIGINT,
    body TEXT COLLATE "C"
);

CREATE FUNCTION issue_documents_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_changed AFTER UPDATE ON issues DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_changed();

CREATE FUNCTION issue_documents_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_documents WHERE id = OLD.id; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_gone AFTER DELETE ON issues DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_gone();

CREATE FUNCTION issue_documents_issue_labels_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_issue_labels_come AFTER INSERT ON issue_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_labels_come();

CREATE FUNCTION issue_documents_issue_labels_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_issue_labels_gone AFTER DELETE ON issue_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_labels_gone();

CREATE FUNCTION issue_documents_issue_labels_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_issue_labels_changed AFTER UPDATE OF issue_id, label_id ON issue_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION issue_documents_issue_labels_changed();

CREATE FUNCTION issue_documents_issue_assignees_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_issue_assignees_come AFTER INSERT ON issue_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_assignees_come();

CREATE FUNCTION issue_documents_issue_assignees_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_issue_assignees_gone AFTER DELETE ON issue_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_documents_issue_assignees_gone();

CREATE FUNCTION issue_documents_issue_assignees_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER issue_documents_issue_assignees_changed AFTER UPDATE OF issue_id, user_id ON issue_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION issue_documents_issue_assignees_changed();

CREATE FUNCTION document_epochs_labels_title() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_labels_title AFTER UPDATE OF title ON labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.title) IS DISTINCT FROM (NEW.title)) EXECUTE FUNCTION document_epochs_labels_title();

CREATE FUNCTION issue_labels_copied() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN SELECT x.project_id, x.created_at INTO NEW.project_id, NEW.created_at FROM issues x WHERE x.id = NEW.issue_id; RETURN NEW; END';

CREATE TRIGGER issue_labels_copied BEFORE INSERT ON issue_labels FOR EACH ROW EXECUTE FUNCTION issue_labels_copied();

CREATE FUNCTION issue_labels_copied_again() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE issue_labels SET (project_id, created_at) = (NEW.project_id, NEW.created_at) WHERE issue_id = NEW.id; RETURN NULL; END';

CREATE TRIGGER issue_labels_copied_again AFTER UPDATE OF project_id, created_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.created_at) IS DISTINCT FROM (NEW.project_id, NEW.created_at)) EXECUTE FUNCTION issue_labels_copied_again();

CREATE TABLE issue_label_counts (label_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, confidential BOOLEAN NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_issue_label_counts ON issue_label_counts (label_id, project_id, state, confidential);

CREATE FUNCTION issue_label_counts_add(BIGINT, BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE issue_label_counts SET n = n + $5 WHERE ctid = (SELECT c.ctid FROM issue_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM issue_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 AND c.confidential = $4 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE issue_label_counts SET n = n + $5 WHERE ctid = shard; ELSE INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) VALUES ($1, $2, $3, $4, $5); END IF; END IF; END';

CREATE FUNCTION issue_label_counts_issue_labels_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT NEW.label_id, x.project_id, x.state, x.confidential, 1 FROM issues x WHERE TRUE AND x.id = NEW.issue_id AND x.deleted_at IS NULL FOR SHARE) s (label_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_label_counts_issue_labels_inserted AFTER INSERT ON issue_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_issue_labels_inserted();

CREATE FUNCTION issue_label_counts_issue_labels_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT OLD.label_id, x.project_id, x.state, x.confidential, -1 FROM issues x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND x.id = OLD.issue_id AND x.deleted_at IS NULL FOR SHARE) s (label_id, project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_label_counts_issue_labels_deleted BEFORE DELETE ON issue_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_issue_labels_deleted();

CREATE FUNCTION issue_label_counts_issues_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT x.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels x WHERE TRUE AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL) s (label_id, project_id, state, confidential, n); PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT x.label_id, NEW.project_id, NEW.state, NEW.confidential, 1 FROM issue_labels x WHERE TRUE AND x.issue_id = NEW.id AND NEW.deleted_at IS NULL) s (label_id, project_id, state, confidential, n); RETURN NULL; END';

CREATE TRIGGER issue_label_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues FOR EACH ROW WHEN ((OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS DISTINCT FROM (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at)) EXECUTE FUNCTION issue_label_counts_issues_updated();

CREATE FUNCTION issue_label_counts_issues_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM issue_label_counts_add(s.label_id, s.project_id, s.state, s.confidential, s.n) FROM (SELECT x.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = x.label_id) AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL) s (label_id, project_id, state, confidential, n); RETURN OLD; END';

CREATE TRIGGER issue_label_counts_issues_deleted BEFORE DELETE ON issues FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_issues_deleted();

CREATE FUNCTION issue_label_counts_of_labels() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM issue_label_counts WHERE label_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER issue_label_counts_of_labels AFTER DELETE ON labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION issue_label_counts_of_labels();

CREATE FUNCTION document_epochs_milestones_iid() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_milestones_iid AFTER UPDATE OF iid, project_id, group_id, title, description, state, start_on, due_on, created_at, updated_at ON milestones DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.iid, OLD.project_id, OLD.group_id, OLD.title, OLD.description, OLD.state, OLD.start_on, OLD.due_on, OLD.created_at, OLD.updated_at) IS DISTINCT FROM (NEW.iid, NEW.project_id, NEW.group_id, NEW.title, NEW.description, NEW.state, NEW.start_on, NEW.due_on, NEW.created_at, NEW.updated_at)) EXECUTE FUNCTION document_epochs_milestones_iid();

CREATE FUNCTION document_epochs_routes_path() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT p.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
        WHERE t.ancestor_id = OLD.namespace_id
        AND EXISTS (SELECT 1 FROM milestones ms WHERE ms.group_id = OLD.namespace_id)) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_routes_path AFTER UPDATE OF path ON routes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.path) IS DISTINCT FROM (NEW.path)) EXECUTE FUNCTION document_epochs_routes_path();

CREATE TABLE note_counts (noteable_kind TEXT COLLATE "C" NOT NULL, noteable_id BIGINT NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_note_counts ON note_counts (noteable_kind, noteable_id);

CREATE FUNCTION note_counts_add(TEXT, BIGINT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE note_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM note_counts c WHERE c.noteable_kind = $1 AND c.noteable_id = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM note_counts c WHERE c.noteable_kind = $1 AND c.noteable_id = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE note_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO note_counts (noteable_kind, noteable_id, n) VALUES ($1, $2, $3); END IF; END IF; END';

CREATE FUNCTION note_counts_notes_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); RETURN NULL; END';

CREATE TRIGGER note_counts_notes_inserted AFTER INSERT ON notes FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION note_counts_notes_inserted();

CREATE FUNCTION note_counts_notes_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); RETURN NULL; END';

CREATE TRIGGER note_counts_notes_updated AFTER UPDATE OF noteable_kind, noteable_id ON notes FOR EACH ROW WHEN ((OLD.noteable_kind, OLD.noteable_id) IS DISTINCT FROM (NEW.noteable_kind, NEW.noteable_id)) EXECUTE FUNCTION note_counts_notes_updated();

CREATE FUNCTION note_counts_notes_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM note_counts_add(s.noteable_kind, s.noteable_id, s.n) FROM (SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE) s (noteable_kind, noteable_id, n); RETURN OLD; END';

CREATE TRIGGER note_counts_notes_deleted BEFORE DELETE ON notes FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION note_counts_notes_deleted();

CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS
'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(
    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END';

CREATE INDEX ix_note_texts_grams ON note_texts USING gin (trigrams(body_folded)) WITH (gin_pending_list_limit = 256);

CREATE INDEX ix_note_texts_long ON note_texts (id) WHERE length(body_folded) > 20000;

CREATE FUNCTION note_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO note_texts (id, noteable_kind, noteable_id, body_folded) SELECT NEW.id, NEW.noteable_kind, NEW.noteable_id, NEW.body_folded WHERE NOT (NEW.system); RETURN NULL; END';

CREATE TRIGGER note_texts_come AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION note_texts_come();

CREATE FUNCTION note_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE note_texts SET body_folded = NEW.body_folded WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER note_texts_changed_text AFTER UPDATE OF body_folded ON notes FOR EACH ROW EXECUTE FUNCTION note_texts_changed_text();

CREATE FUNCTION note_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM note_texts WHERE id = NEW.id AND NEW.system; UPDATE note_texts SET noteable_kind = NEW.noteable_kind, noteable_id = NEW.noteable_id WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER note_texts_stand AFTER UPDATE OF noteable_kind, noteable_id, system ON notes FOR EACH ROW EXECUTE FUNCTION note_texts_stand();

CREATE TABLE merge_request_counts (project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_merge_request_counts ON merge_request_counts (project_id, state);

CREATE FUNCTION merge_request_counts_add(BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE merge_request_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM merge_request_counts c WHERE c.project_id = $1 AND c.state = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM merge_request_counts c WHERE c.project_id = $1 AND c.state = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE merge_request_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO merge_request_counts (project_id, state, n) VALUES ($1, $2, $3); END IF; END IF; END';

CREATE FUNCTION merge_request_counts_merge_requests_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE) s (project_id, state, n); RETURN NULL; END';

CREATE TRIGGER merge_request_counts_merge_requests_inserted AFTER INSERT ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_counts_merge_requests_inserted();

CREATE FUNCTION merge_request_counts_merge_requests_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT OLD.project_id, OLD.state, -1 WHERE TRUE AND TRUE) s (project_id, state, n); PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE) s (project_id, state, n); RETURN NULL; END';

CREATE TRIGGER merge_request_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests FOR EACH ROW WHEN ((OLD.project_id, OLD.state) IS DISTINCT FROM (NEW.project_id, NEW.state)) EXECUTE FUNCTION merge_request_counts_merge_requests_updated();

CREATE FUNCTION merge_request_counts_merge_requests_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_counts_add(s.project_id, s.state, s.n) FROM (SELECT OLD.project_id, OLD.state, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE) s (project_id, state, n); RETURN OLD; END';

CREATE TRIGGER merge_request_counts_merge_requests_deleted BEFORE DELETE ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_counts_merge_requests_deleted();

CREATE FUNCTION merge_request_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER merge_request_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_counts_of_projects();

CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS
'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(
    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END';

CREATE INDEX ix_merge_request_texts_grams ON merge_request_texts USING gin (trigrams(title_folded || chr(10) || description_folded)) WITH (gin_pending_list_limit = 256);

CREATE INDEX ix_merge_request_texts_long ON merge_request_texts (id) WHERE length(title_folded || chr(10) || description_folded) > 20000;

CREATE FUNCTION merge_request_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_texts (id, project_id, author_id, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.id IS NULL); RETURN NULL; END';

CREATE TRIGGER merge_request_texts_come AFTER INSERT ON merge_requests FOR EACH ROW EXECUTE FUNCTION merge_request_texts_come();

CREATE FUNCTION merge_request_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE merge_request_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER merge_request_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON merge_requests FOR EACH ROW EXECUTE FUNCTION merge_request_texts_changed_text();

CREATE FUNCTION merge_request_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_texts WHERE id = NEW.id AND NEW.id IS NULL; UPDATE merge_request_texts SET project_id = NEW.project_id, author_id = NEW.author_id WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER merge_request_texts_stand AFTER UPDATE OF project_id, author_id, id ON merge_requests FOR EACH ROW EXECUTE FUNCTION merge_request_texts_stand();

CREATE TABLE merge_request_label_counts (label_id BIGINT NOT NULL, project_id BIGINT NOT NULL, state TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_merge_request_label_counts ON merge_request_label_counts (label_id, project_id, state);

CREATE FUNCTION merge_request_label_counts_add(BIGINT, BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE merge_request_label_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM merge_request_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM merge_request_label_counts c WHERE c.label_id = $1 AND c.project_id = $2 AND c.state = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE merge_request_label_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO merge_request_label_counts (label_id, project_id, state, n) VALUES ($1, $2, $3, $4); END IF; END IF; END';

CREATE FUNCTION merge_request_label_counts_merge_request_labels_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT NEW.label_id, x.project_id, x.state, 1 FROM merge_requests x WHERE TRUE AND x.id = NEW.merge_request_id AND TRUE FOR SHARE) s (label_id, project_id, state, n); RETURN NULL; END';

CREATE TRIGGER merge_request_label_counts_merge_request_labels_inserted AFTER INSERT ON merge_request_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_merge_request_labels_inserted();

CREATE FUNCTION merge_request_label_counts_merge_request_labels_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT OLD.label_id, x.project_id, x.state, -1 FROM merge_requests x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND x.id = OLD.merge_request_id AND TRUE FOR SHARE) s (label_id, project_id, state, n); RETURN OLD; END';

CREATE TRIGGER merge_request_label_counts_merge_request_labels_deleted BEFORE DELETE ON merge_request_labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_merge_request_labels_deleted();

CREATE FUNCTION merge_request_label_counts_merge_requests_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT x.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels x WHERE TRUE AND x.merge_request_id = OLD.id AND TRUE) s (label_id, project_id, state, n); PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT x.label_id, NEW.project_id, NEW.state, 1 FROM merge_request_labels x WHERE TRUE AND x.merge_request_id = NEW.id AND TRUE) s (label_id, project_id, state, n); RETURN NULL; END';

CREATE TRIGGER merge_request_label_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests FOR EACH ROW WHEN ((OLD.project_id, OLD.state) IS DISTINCT FROM (NEW.project_id, NEW.state)) EXECUTE FUNCTION merge_request_label_counts_merge_requests_updated();

CREATE FUNCTION merge_request_label_counts_merge_requests_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM merge_request_label_counts_add(s.label_id, s.project_id, s.state, s.n) FROM (SELECT x.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = x.label_id) AND x.merge_request_id = OLD.id AND TRUE) s (label_id, project_id, state, n); RETURN OLD; END';

CREATE TRIGGER merge_request_label_counts_merge_requests_deleted BEFORE DELETE ON merge_requests FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_merge_requests_deleted();

CREATE FUNCTION merge_request_label_counts_of_labels() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_label_counts WHERE label_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER merge_request_label_counts_of_labels AFTER DELETE ON labels FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_label_counts_of_labels();

CREATE TABLE merge_request_documents (
    id BIGINT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    shape BIGINT,
    shared_epoch BIGINT,
    project_epoch BIGINT,
    body TEXT COLLATE "C"
);

CREATE FUNCTION merge_request_documents_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_changed AFTER UPDATE ON merge_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_changed();

CREATE FUNCTION merge_request_documents_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM merge_request_documents WHERE id = OLD.id; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_gone AFTER DELETE ON merge_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_gone();

CREATE FUNCTION merge_request_documents_merge_request_labels_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_labels_come AFTER INSERT ON merge_request_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_labels_come();

CREATE FUNCTION merge_request_documents_merge_request_labels_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_labels_gone AFTER DELETE ON merge_request_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_labels_gone();

CREATE FUNCTION merge_request_documents_merge_request_labels_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_labels_changed AFTER UPDATE ON merge_request_labels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_labels_changed();

CREATE FUNCTION merge_request_documents_merge_request_assignees_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_assignees_come AFTER INSERT ON merge_request_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_assignees_come();

CREATE FUNCTION merge_request_documents_merge_request_assignees_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_assignees_gone AFTER DELETE ON merge_request_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_assignees_gone();

CREATE FUNCTION merge_request_documents_merge_request_assignees_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_assignees_changed AFTER UPDATE ON merge_request_assignees DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_assignees_changed();

CREATE FUNCTION merge_request_documents_merge_request_reviewers_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_reviewers_come AFTER INSERT ON merge_request_reviewers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_reviewers_come();

CREATE FUNCTION merge_request_documents_merge_request_reviewers_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_reviewers_gone AFTER DELETE ON merge_request_reviewers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_reviewers_gone();

CREATE FUNCTION merge_request_documents_merge_request_reviewers_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_reviewers_changed AFTER UPDATE ON merge_request_reviewers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_reviewers_changed();

CREATE FUNCTION merge_request_documents_merge_request_versions_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_versions_come AFTER INSERT ON merge_request_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_versions_come();

CREATE FUNCTION merge_request_documents_merge_request_versions_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_versions_gone AFTER DELETE ON merge_request_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_merge_request_versions_gone();

CREATE FUNCTION merge_request_documents_merge_request_versions_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_merge_request_versions_changed AFTER UPDATE OF merge_request_id, head_sha, state ON merge_request_versions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_merge_request_versions_changed();

CREATE FUNCTION merge_request_documents_approvals_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_approvals_come AFTER INSERT ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_approvals_come();

CREATE FUNCTION merge_request_documents_approvals_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_approvals_gone AFTER DELETE ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_approvals_gone();

CREATE FUNCTION merge_request_documents_approvals_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_approvals_changed AFTER UPDATE ON approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_approvals_changed();

CREATE FUNCTION merge_request_documents_awards_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_awards_come AFTER INSERT ON awards DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.subject_kind = 'merge_request') EXECUTE FUNCTION merge_request_documents_awards_come();

CREATE FUNCTION merge_request_documents_awards_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_awards_gone AFTER DELETE ON awards DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.subject_kind = 'merge_request') EXECUTE FUNCTION merge_request_documents_awards_gone();

CREATE FUNCTION merge_request_documents_awards_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_awards_changed AFTER UPDATE ON awards DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.subject_kind = 'merge_request') OR (NEW.subject_kind = 'merge_request')) EXECUTE FUNCTION merge_request_documents_awards_changed();

CREATE FUNCTION merge_request_documents_notes_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_notes_come AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual) EXECUTE FUNCTION merge_request_documents_notes_come();

CREATE FUNCTION merge_request_documents_notes_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_notes_gone AFTER DELETE ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual) EXECUTE FUNCTION merge_request_documents_notes_gone();

CREATE FUNCTION merge_request_documents_notes_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_notes_changed AFTER UPDATE OF noteable_id, system, individual, resolved_at ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual) OR (NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual)) EXECUTE FUNCTION merge_request_documents_notes_changed();

CREATE FUNCTION merge_request_documents_pipelines_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = ''opened''
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_pipelines_come AFTER INSERT ON pipelines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_pipelines_come();

CREATE FUNCTION merge_request_documents_pipelines_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = ''opened''
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_pipelines_gone AFTER DELETE ON pipelines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION merge_request_documents_pipelines_gone();

CREATE FUNCTION merge_request_documents_pipelines_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = ''opened''
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = ''opened''
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER merge_request_documents_pipelines_changed AFTER UPDATE OF status ON pipelines DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION merge_request_documents_pipelines_changed();

CREATE FUNCTION document_epochs_projects_merge_method() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_projects_merge_method AFTER UPDATE OF merge_method, only_allow_merge_if_pipeline_succeeds, only_allow_merge_if_all_discussions_are_resolved, approvals_before_merge ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.merge_method, OLD.only_allow_merge_if_pipeline_succeeds, OLD.only_allow_merge_if_all_discussions_are_resolved, OLD.approvals_before_merge) IS DISTINCT FROM (NEW.merge_method, NEW.only_allow_merge_if_pipeline_succeeds, NEW.only_allow_merge_if_all_discussions_are_resolved, NEW.approvals_before_merge)) EXECUTE FUNCTION document_epochs_projects_merge_method();

CREATE FUNCTION document_epochs_projects_deleted_at() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT DISTINCT mr.project_id AS id FROM merge_requests mr
        WHERE mr.source_project_id = OLD.id AND mr.source_project_id <> mr.project_id) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_projects_deleted_at AFTER UPDATE OF deleted_at ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.deleted_at) IS DISTINCT FROM (NEW.deleted_at)) EXECUTE FUNCTION document_epochs_projects_deleted_at();

CREATE TABLE member_counts (source_kind TEXT COLLATE "C" NOT NULL, source_id BIGINT NOT NULL, expires_on TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_member_counts ON member_counts (source_kind, source_id, expires_on);

CREATE FUNCTION member_counts_add(TEXT, BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE member_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM member_counts c WHERE c.source_kind = $1 AND c.source_id = $2 AND c.expires_on = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM member_counts c WHERE c.source_kind = $1 AND c.source_id = $2 AND c.expires_on = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE member_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO member_counts (source_kind, source_id, expires_on, n) VALUES ($1, $2, $3, $4); END IF; END IF; END';

CREATE FUNCTION member_counts_members_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); RETURN NULL; END';

CREATE TRIGGER member_counts_members_inserted AFTER INSERT ON members FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION member_counts_members_inserted();

CREATE FUNCTION member_counts_members_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); RETURN NULL; END';

CREATE TRIGGER member_counts_members_updated AFTER UPDATE OF source_kind, source_id, expires_on ON members FOR EACH ROW WHEN ((OLD.source_kind, OLD.source_id, OLD.expires_on) IS DISTINCT FROM (NEW.source_kind, NEW.source_id, NEW.expires_on)) EXECUTE FUNCTION member_counts_members_updated();

CREATE FUNCTION member_counts_members_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM member_counts_add(s.source_kind, s.source_id, s.expires_on, s.n) FROM (SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE) s (source_kind, source_id, expires_on, n); RETURN OLD; END';

CREATE TRIGGER member_counts_members_deleted BEFORE DELETE ON members FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION member_counts_members_deleted();

CREATE OR REPLACE FUNCTION trigrams(content text) RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS
'DECLARE bytes bytea := convert_to(content, ''UTF8''); BEGIN RETURN CASE WHEN length(content) <= 20000 THEN ARRAY(
    SELECT DISTINCT substring(bytes FROM start FOR 3) FROM generate_series(1, length(bytes) - 2) AS start) END; END';

CREATE INDEX ix_project_texts_grams ON project_texts USING gin (trigrams(name_folded || chr(10) || path_folded || chr(10) || description_folded)) WITH (gin_pending_list_limit = 256);

CREATE INDEX ix_project_texts_long ON project_texts (id) WHERE length(name_folded || chr(10) || path_folded || chr(10) || description_folded) > 20000;

CREATE FUNCTION project_texts_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO project_texts (id, namespace_id, name_folded, path_folded, description_folded) SELECT NEW.id, NEW.namespace_id, NEW.name_folded, NEW.path_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); RETURN NULL; END';

CREATE TRIGGER project_texts_come AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION project_texts_come();

CREATE FUNCTION project_texts_changed_text() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE project_texts SET name_folded = NEW.name_folded, path_folded = NEW.path_folded, description_folded = NEW.description_folded WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER project_texts_changed_text AFTER UPDATE OF name_folded, path_folded, description_folded ON projects FOR EACH ROW EXECUTE FUNCTION project_texts_changed_text();

CREATE FUNCTION project_texts_stand() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM project_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE project_texts SET namespace_id = NEW.namespace_id WHERE id = NEW.id; RETURN NULL; END';

CREATE TRIGGER project_texts_stand AFTER UPDATE OF namespace_id, deleted_at ON projects FOR EACH ROW EXECUTE FUNCTION project_texts_stand();

CREATE TABLE project_counts (namespace_id BIGINT NOT NULL, visibility TEXT COLLATE "C" NOT NULL, archived BOOLEAN NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_project_counts ON project_counts (namespace_id, visibility, archived);

CREATE FUNCTION project_counts_add(BIGINT, TEXT, BOOLEAN, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE project_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM project_counts c WHERE c.namespace_id = $1 AND c.visibility = $2 AND c.archived = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM project_counts c WHERE c.namespace_id = $1 AND c.visibility = $2 AND c.archived = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE project_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO project_counts (namespace_id, visibility, archived, n) VALUES ($1, $2, $3, $4); END IF; END IF; END';

CREATE FUNCTION project_counts_projects_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (namespace_id, visibility, archived, n); RETURN NULL; END';

CREATE TRIGGER project_counts_projects_inserted AFTER INSERT ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION project_counts_projects_inserted();

CREATE FUNCTION project_counts_projects_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE TRUE AND OLD.deleted_at IS NULL) s (namespace_id, visibility, archived, n); PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL) s (namespace_id, visibility, archived, n); RETURN NULL; END';

CREATE TRIGGER project_counts_projects_updated AFTER UPDATE OF namespace_id, visibility, archived, deleted_at ON projects FOR EACH ROW WHEN ((OLD.namespace_id, OLD.visibility, OLD.archived, OLD.deleted_at) IS DISTINCT FROM (NEW.namespace_id, NEW.visibility, NEW.archived, NEW.deleted_at)) EXECUTE FUNCTION project_counts_projects_updated();

CREATE FUNCTION project_counts_projects_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM project_counts_add(s.namespace_id, s.visibility, s.archived, s.n) FROM (SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE EXISTS (SELECT 1 FROM namespaces o WHERE o.id = OLD.namespace_id) AND OLD.deleted_at IS NULL) s (namespace_id, visibility, archived, n); RETURN OLD; END';

CREATE TRIGGER project_counts_projects_deleted BEFORE DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION project_counts_projects_deleted();

CREATE FUNCTION project_counts_of_namespaces() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM project_counts WHERE namespace_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER project_counts_of_namespaces AFTER DELETE ON namespaces FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION project_counts_of_namespaces();
