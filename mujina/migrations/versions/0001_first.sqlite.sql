-- Written by `make schema` from the tables.py of every slice.

CREATE TABLE ldap_runs (
	provider TEXT NOT NULL,
	kind TEXT NOT NULL,
	started_at TEXT NOT NULL,
	ended_at TEXT NOT NULL,
	outcome TEXT NOT NULL,
	summary TEXT NOT NULL,
	CONSTRAINT pk_ldap_runs PRIMARY KEY (provider, kind)
)
 STRICT;

CREATE TABLE failed_logins (
	claimed TEXT NOT NULL,
	failures INTEGER NOT NULL,
	failed_at TEXT NOT NULL,
	CONSTRAINT pk_failed_logins PRIMARY KEY (claimed)
)
 STRICT;

CREATE INDEX ix_failed_logins_failed_at ON failed_logins (failed_at);

CREATE TABLE users (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	kind TEXT DEFAULT 'person' NOT NULL,
	username TEXT NOT NULL,
	username_folded TEXT NOT NULL,
	name TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	email TEXT NOT NULL,
	email_folded TEXT NOT NULL,
	unconfirmed_email TEXT,
	state TEXT DEFAULT 'active' NOT NULL,
	admin INTEGER DEFAULT FALSE NOT NULL,
	external INTEGER DEFAULT FALSE NOT NULL,
	can_create_group INTEGER DEFAULT TRUE NOT NULL,
	projects_limit INTEGER DEFAULT 100000 NOT NULL,
	password_hash TEXT,
	password_expires_at TEXT,
	bio TEXT,
	location TEXT,
	organization TEXT,
	skype TEXT DEFAULT '' NOT NULL,
	linkedin TEXT DEFAULT '' NOT NULL,
	twitter TEXT DEFAULT '' NOT NULL,
	website_url TEXT DEFAULT '' NOT NULL,
	avatar TEXT,
	avatar_key TEXT,
	theme_id INTEGER DEFAULT 1 NOT NULL,
	color_scheme_id INTEGER DEFAULT 1 NOT NULL,
	keyboard_shortcuts INTEGER DEFAULT TRUE NOT NULL,
	start_page TEXT DEFAULT 'projects' NOT NULL,
	private_contributions INTEGER DEFAULT FALSE NOT NULL,
	note TEXT,
	project_view TEXT DEFAULT 'files' NOT NULL,
	feed_token_version INTEGER DEFAULT 0 NOT NULL,
	shared_runners_minutes_limit INTEGER,
	two_factor_enabled INTEGER DEFAULT FALSE NOT NULL,
	two_factor_due_at TEXT,
	confirmed_at TEXT,
	current_sign_in_at TEXT,
	last_sign_in_at TEXT,
	last_activity_on TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	deleted_at TEXT
)
 STRICT;

CREATE INDEX ix_users_deleted_at ON users (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE UNIQUE INDEX ix_users_email_folded ON users (email_folded) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX ix_users_kind ON users (kind) WHERE kind = 'ghost';

CREATE INDEX ix_users_last_activity_on ON users (last_activity_on);

CREATE UNIQUE INDEX ix_users_username_folded ON users (username_folded) WHERE deleted_at IS NULL;

CREATE TABLE audit_events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	author_id INTEGER,
	entity_type TEXT NOT NULL,
	entity_id INTEGER NOT NULL,
	entity_path TEXT NOT NULL,
	target_details TEXT NOT NULL,
	details TEXT NOT NULL,
	created_at TEXT NOT NULL
)
 STRICT;

CREATE INDEX ix_audit_events_created_at_id ON audit_events (created_at, id);

CREATE INDEX ix_audit_events_entity_type_entity_id_id ON audit_events (entity_type, entity_id, id);

CREATE TABLE lfs_objects (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	oid TEXT NOT NULL,
	size INTEGER NOT NULL,
	file TEXT NOT NULL,
	created_at TEXT NOT NULL
)
 STRICT;

CREATE UNIQUE INDEX ix_lfs_objects_oid ON lfs_objects (oid);

CREATE TABLE application_settings (
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_application_settings PRIMARY KEY (name)
)
 STRICT;

CREATE TABLE broadcast_messages (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	message TEXT NOT NULL,
	starts_at TEXT NOT NULL,
	ends_at TEXT NOT NULL,
	color TEXT NOT NULL,
	font TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL
)
 STRICT;

CREATE INDEX ix_broadcast_messages_ends_at ON broadcast_messages (ends_at);

CREATE TABLE custom_attributes (
	subject_kind TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	value TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_custom_attributes PRIMARY KEY (subject_kind, subject_id, "key")
)
 STRICT;

CREATE INDEX ix_custom_attributes_subject_kind_key_value_subject_id ON custom_attributes (subject_kind, "key", value, subject_id);

CREATE TABLE feature_gates (
	name TEXT NOT NULL,
	gate TEXT NOT NULL,
	value TEXT NOT NULL,
	CONSTRAINT pk_feature_gates PRIMARY KEY (name, gate, value)
)
 STRICT;

CREATE TABLE instance_facts (
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	CONSTRAINT pk_instance_facts PRIMARY KEY (name)
)
 STRICT;

CREATE TABLE hook_events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	event_id INTEGER NOT NULL,
	snapshot TEXT NOT NULL,
	visited TEXT DEFAULT '' NOT NULL,
	attempts INTEGER DEFAULT 0 NOT NULL
)
 STRICT;

CREATE TABLE hook_payloads (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	"key" TEXT NOT NULL,
	event TEXT NOT NULL,
	"trigger" TEXT NOT NULL,
	flag TEXT,
	project_id INTEGER,
	body TEXT NOT NULL,
	visited TEXT DEFAULT '' NOT NULL,
	created_at TEXT NOT NULL
)
 STRICT;

CREATE INDEX ix_hook_payloads_created_at ON hook_payloads (created_at);

CREATE INDEX ix_hook_payloads_key ON hook_payloads ("key");

CREATE TABLE hook_builders (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	leased_by TEXT NOT NULL,
	leased_until TEXT NOT NULL
)
 STRICT;

CREATE TABLE notification_fanouts (
	event_id INTEGER NOT NULL,
	last_user_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_notification_fanouts PRIMARY KEY (event_id)
)
 STRICT;

CREATE INDEX ix_notification_fanouts_created_at ON notification_fanouts (created_at);

CREATE TABLE queue_samples (
	measured_at TEXT NOT NULL,
	waiting INTEGER NOT NULL,
	CONSTRAINT pk_queue_samples PRIMARY KEY (measured_at)
)
 STRICT;

CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL,
	actor_id INTEGER,
	author_id INTEGER,
	project_id INTEGER,
	group_id INTEGER,
	subject_kind TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	changes TEXT DEFAULT '{}' NOT NULL,
	confidential INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL
)
 STRICT;

CREATE INDEX ix_events_of_author ON events (author_id, created_at, id, kind, subject_kind, subject_id, project_id);

CREATE INDEX ix_events_of_project ON events (project_id, created_at, id, kind, subject_kind, subject_id, author_id);

CREATE INDEX ix_events_subject_kind_subject_id_id ON events (subject_kind, subject_id, id);

CREATE TABLE jobs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	task TEXT NOT NULL,
	"key" TEXT NOT NULL,
	owner_id INTEGER DEFAULT 0 NOT NULL,
	enqueued INTEGER NOT NULL,
	ready_at TEXT NOT NULL,
	again_at TEXT,
	leased_by TEXT,
	attempts INTEGER DEFAULT 0 NOT NULL,
	last_error TEXT,
	parked_at TEXT,
	created_at TEXT NOT NULL
)
 STRICT;

CREATE INDEX ix_jobs_ready_at ON jobs (ready_at) WHERE parked_at IS NULL;

CREATE UNIQUE INDEX ix_jobs_task_key ON jobs (task, "key");

CREATE TABLE background_processes (
	name TEXT NOT NULL,
	hostname TEXT NOT NULL,
	pid INTEGER NOT NULL,
	queues TEXT NOT NULL,
	concurrency INTEGER NOT NULL,
	busy INTEGER NOT NULL,
	processed INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	started_at TEXT NOT NULL,
	seen_at TEXT NOT NULL,
	CONSTRAINT pk_background_processes PRIMARY KEY (name)
)
 STRICT;

CREATE TABLE schedules (
	task TEXT NOT NULL,
	"key" TEXT NOT NULL,
	seconds INTEGER NOT NULL,
	next_at TEXT NOT NULL,
	CONSTRAINT pk_schedules PRIMARY KEY (task, "key")
)
 STRICT;

CREATE INDEX ix_schedules_next_at ON schedules (next_at);

CREATE TABLE forwarded_writes (
	caller TEXT NOT NULL,
	position TEXT NOT NULL,
	expires_at TEXT NOT NULL,
	CONSTRAINT pk_forwarded_writes PRIMARY KEY (caller)
)
 STRICT;

CREATE INDEX ix_forwarded_writes_expires_at ON forwarded_writes (expires_at);

CREATE TABLE replication_log (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL,
	object_id INTEGER NOT NULL,
	created_at TEXT NOT NULL
)
 STRICT;

CREATE TABLE replication_pruned (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	event_id INTEGER NOT NULL
)
 STRICT;

CREATE TABLE replicated_repositories (
	project_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	dirty INTEGER DEFAULT TRUE NOT NULL,
	changes INTEGER DEFAULT 1 NOT NULL,
	fresh INTEGER DEFAULT FALSE NOT NULL,
	loss_confirmed INTEGER DEFAULT FALSE NOT NULL,
	started_at TEXT,
	succeeded_at TEXT,
	verified_at TEXT,
	retry_count INTEGER DEFAULT 0 NOT NULL,
	due_at TEXT NOT NULL,
	failure TEXT,
	CONSTRAINT pk_replicated_repositories PRIMARY KEY (project_id, kind)
)
 STRICT;

CREATE INDEX ix_replicated_repositories_due_at ON replicated_repositories (due_at) WHERE dirty;

CREATE INDEX ix_replicated_repositories_verified_at ON replicated_repositories (verified_at);

CREATE TABLE replicated_files (
	"key" TEXT NOT NULL,
	kind TEXT NOT NULL,
	object_id INTEGER NOT NULL,
	succeeded INTEGER DEFAULT FALSE NOT NULL,
	retry_count INTEGER DEFAULT 0 NOT NULL,
	due_at TEXT NOT NULL,
	failure TEXT,
	CONSTRAINT pk_replicated_files PRIMARY KEY ("key")
)
 STRICT;

CREATE INDEX ix_replicated_files_due_at ON replicated_files (due_at) WHERE NOT succeeded;

CREATE INDEX ix_replicated_files_kind_object_id ON replicated_files (kind, object_id);

CREATE INDEX ix_replicated_files_kind_succeeded ON replicated_files (kind, succeeded);

CREATE TABLE replication_cursor (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	event_id INTEGER NOT NULL,
	event_at TEXT,
	contact_at TEXT NOT NULL,
	followed_at TEXT NOT NULL
)
 STRICT;

CREATE TABLE replication_gaps (
	event_id INTEGER NOT NULL,
	seen_at TEXT NOT NULL,
	CONSTRAINT pk_replication_gaps PRIMARY KEY (event_id)
)
 STRICT;

CREATE TABLE access_tokens (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	digest TEXT NOT NULL,
	scopes TEXT NOT NULL,
	impersonation INTEGER DEFAULT FALSE NOT NULL,
	sealed TEXT,
	expires_on TEXT NOT NULL,
	revoked INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_access_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_access_tokens_digest ON access_tokens (digest);

CREATE INDEX ix_access_tokens_user_id_impersonation ON access_tokens (user_id, impersonation);

CREATE TABLE emails (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	email TEXT NOT NULL,
	email_folded TEXT NOT NULL,
	is_primary INTEGER DEFAULT FALSE NOT NULL,
	is_public INTEGER DEFAULT FALSE NOT NULL,
	confirmed_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_emails_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_emails_email_folded ON emails (email_folded);

CREATE UNIQUE INDEX ix_emails_primary ON emails (user_id) WHERE is_primary;

CREATE UNIQUE INDEX ix_emails_public ON emails (user_id) WHERE is_public;

CREATE INDEX ix_emails_user_id ON emails (user_id);

CREATE TABLE gpg_keys (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	primary_keyid TEXT NOT NULL,
	addresses TEXT NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_gpg_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_gpg_keys_fingerprint ON gpg_keys (fingerprint);

CREATE UNIQUE INDEX ix_gpg_keys_primary_keyid ON gpg_keys (primary_keyid);

CREATE INDEX ix_gpg_keys_user_id ON gpg_keys (user_id);

CREATE TABLE revoked_gpg_keys (
	user_id INTEGER NOT NULL,
	fingerprint TEXT NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_revoked_gpg_keys PRIMARY KEY (user_id, fingerprint),
	CONSTRAINT fk_revoked_gpg_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE ssh_keys (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER,
	title TEXT NOT NULL,
	"key" TEXT NOT NULL,
	family TEXT NOT NULL,
	bits INTEGER NOT NULL,
	md5 TEXT NOT NULL,
	from_directory INTEGER DEFAULT FALSE NOT NULL,
	sha256 TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_ssh_keys_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_ssh_keys_sha256 ON ssh_keys (sha256);

CREATE INDEX ix_ssh_keys_user_id ON ssh_keys (user_id);

CREATE TABLE mail_links (
	digest TEXT NOT NULL,
	purpose TEXT NOT NULL,
	user_id INTEGER NOT NULL,
	address TEXT NOT NULL,
	created_at TEXT NOT NULL,
	expires_at TEXT NOT NULL,
	CONSTRAINT pk_mail_links PRIMARY KEY (digest),
	CONSTRAINT fk_mail_links_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_mail_links_expires_at ON mail_links (expires_at);

CREATE INDEX ix_mail_links_user_id_purpose ON mail_links (user_id, purpose);

CREATE TABLE mails (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	address TEXT NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_mails_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_mails_user_id ON mails (user_id);

CREATE TABLE oauth_applications (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	owner_id INTEGER,
	name TEXT NOT NULL,
	uid TEXT NOT NULL,
	secret_digest TEXT NOT NULL,
	redirect_uris TEXT NOT NULL,
	scopes TEXT NOT NULL,
	confidential INTEGER DEFAULT TRUE NOT NULL,
	trusted INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_oauth_applications_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_oauth_applications_owner_id ON oauth_applications (owner_id);

CREATE UNIQUE INDEX ix_oauth_applications_uid ON oauth_applications (uid);

CREATE TABLE namespaces (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL,
	name TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	path TEXT NOT NULL,
	path_folded TEXT NOT NULL,
	full_name TEXT NOT NULL,
	parent_id INTEGER,
	owner_id INTEGER,
	"plan" TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	deleted_at TEXT,
	CONSTRAINT fk_namespaces_parent_id FOREIGN KEY(parent_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_namespaces_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_namespaces_name ON namespaces (name) WHERE deleted_at IS NULL AND parent_id IS NULL AND kind = 'group';

CREATE INDEX ix_namespaces_name_folded_id ON namespaces (name_folded, id) WHERE deleted_at IS NULL AND kind = 'group';

CREATE UNIQUE INDEX ix_namespaces_owner_id ON namespaces (owner_id) WHERE owner_id IS NOT NULL;

CREATE UNIQUE INDEX ix_namespaces_parent_id_name ON namespaces (parent_id, name) WHERE deleted_at IS NULL AND parent_id IS NOT NULL;

CREATE INDEX ix_namespaces_path_folded_id ON namespaces (path_folded, id) WHERE deleted_at IS NULL AND kind = 'group';

CREATE TABLE sessions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	digest TEXT NOT NULL,
	created_at TEXT NOT NULL,
	last_used_on TEXT NOT NULL,
	prolong_at TEXT NOT NULL,
	expires_at TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	address TEXT NOT NULL,
	CONSTRAINT fk_sessions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_sessions_digest ON sessions (digest);

CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);

CREATE INDEX ix_sessions_user_id ON sessions (user_id);

CREATE TABLE two_factors (
	user_id INTEGER NOT NULL,
	sealed TEXT NOT NULL,
	last_step INTEGER DEFAULT 0 NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_two_factors PRIMARY KEY (user_id),
	CONSTRAINT fk_two_factors_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE recovery_codes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	digest TEXT NOT NULL,
	CONSTRAINT fk_recovery_codes_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_recovery_codes_user_id_digest ON recovery_codes (user_id, digest);

CREATE TABLE identities (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	provider TEXT NOT NULL,
	extern_uid TEXT NOT NULL,
	extern_uid_folded TEXT NOT NULL,
	checked_at TEXT,
	blocked_at TEXT,
	entry_uuid TEXT,
	CONSTRAINT fk_identities_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_identities_provider_entry_uuid ON identities (provider, entry_uuid);

CREATE UNIQUE INDEX ix_identities_provider_extern_uid_folded ON identities (provider, extern_uid_folded);

CREATE UNIQUE INDEX ix_identities_user_id_provider ON identities (user_id, provider);

CREATE TABLE notifications (
	event_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	reason TEXT NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_notifications PRIMARY KEY (event_id, user_id),
	CONSTRAINT fk_notifications_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_notifications_created_at ON notifications (created_at);

CREATE INDEX ix_notifications_user_id ON notifications (user_id);

CREATE TABLE awards (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	subject_kind TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	user_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_awards_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_awards_subject_kind_subject_id_name_user_id ON awards (subject_kind, subject_id, name, user_id);

CREATE INDEX ix_awards_subject_kind_subject_id_user_id ON awards (subject_kind, subject_id, user_id);

CREATE INDEX ix_awards_user_id_subject_kind_name_subject_id ON awards (user_id, subject_kind, name, subject_id);

CREATE TABLE mentions (
	source_kind TEXT NOT NULL,
	source_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	subject_kind TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	CONSTRAINT pk_mentions PRIMARY KEY (source_kind, source_id, user_id),
	CONSTRAINT fk_mentions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_mentions_subject_kind_subject_id_user_id ON mentions (subject_kind, subject_id, user_id);

CREATE INDEX ix_mentions_user_id ON mentions (user_id);

CREATE TABLE subscriptions (
	subject_kind TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	subscribed INTEGER DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_subscriptions PRIMARY KEY (subject_kind, subject_id, user_id),
	CONSTRAINT fk_subscriptions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_subscriptions_user_id ON subscriptions (user_id);

CREATE TABLE invitations (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	source_kind TEXT NOT NULL,
	source_id INTEGER NOT NULL,
	email TEXT NOT NULL,
	email_folded TEXT NOT NULL,
	level INTEGER NOT NULL,
	expires_on TEXT NOT NULL,
	inviter_id INTEGER NOT NULL,
	digest TEXT,
	created_at TEXT NOT NULL,
	sent_at TEXT NOT NULL,
	CONSTRAINT fk_invitations_inviter_id FOREIGN KEY(inviter_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_invitations_digest ON invitations (digest);

CREATE INDEX ix_invitations_email_folded ON invitations (email_folded);

CREATE INDEX ix_invitations_inviter_id ON invitations (inviter_id);

CREATE INDEX ix_invitations_sent_at ON invitations (sent_at);

CREATE UNIQUE INDEX ix_invitations_source_kind_source_id_email_folded ON invitations (source_kind, source_id, email_folded);

CREATE TABLE members (
	source_kind TEXT NOT NULL,
	source_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	level INTEGER NOT NULL,
	expires_on TEXT NOT NULL,
	created_by_id INTEGER,
	notification_level INTEGER DEFAULT 3 NOT NULL,
	from_directory INTEGER DEFAULT FALSE NOT NULL,
	override INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_members PRIMARY KEY (source_kind, source_id, user_id),
	CONSTRAINT fk_members_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_members_created_by_id FOREIGN KEY(created_by_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_members_user_id_source_kind_source_id_level_expires_on ON members (user_id, source_kind, source_id, level, expires_on);

CREATE TABLE access_requests (
	source_kind TEXT NOT NULL,
	source_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	requested_at TEXT NOT NULL,
	CONSTRAINT pk_access_requests PRIMARY KEY (source_kind, source_id, user_id),
	CONSTRAINT fk_access_requests_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_access_requests_user_id ON access_requests (user_id);

CREATE TABLE notification_settings (
	user_id INTEGER NOT NULL,
	source_kind TEXT NOT NULL,
	source_id INTEGER NOT NULL,
	level TEXT NOT NULL,
	email TEXT,
	events TEXT DEFAULT '' NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_notification_settings PRIMARY KEY (user_id, source_kind, source_id),
	CONSTRAINT fk_notification_settings_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_notification_settings_source_kind_source_id_level_user_id ON notification_settings (source_kind, source_id, level, user_id) WHERE source_kind <> 'everything';

CREATE TABLE gpg_key_handles (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	gpg_key_id INTEGER NOT NULL,
	fingerprint TEXT NOT NULL,
	key_id TEXT NOT NULL,
	CONSTRAINT fk_gpg_key_handles_gpg_key_id FOREIGN KEY(gpg_key_id) REFERENCES gpg_keys (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_gpg_key_handles_gpg_key_id ON gpg_key_handles (gpg_key_id);

CREATE INDEX ix_gpg_key_handles_key_id ON gpg_key_handles (key_id);

CREATE TABLE oauth_grants (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	application_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	digest TEXT NOT NULL,
	redirect_uri TEXT NOT NULL,
	scopes TEXT NOT NULL,
	challenge TEXT,
	nonce TEXT,
	expires_at TEXT NOT NULL,
	family TEXT,
	CONSTRAINT fk_oauth_grants_application_id FOREIGN KEY(application_id) REFERENCES oauth_applications (id) ON DELETE CASCADE,
	CONSTRAINT fk_oauth_grants_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_oauth_grants_application_id ON oauth_grants (application_id);

CREATE UNIQUE INDEX ix_oauth_grants_digest ON oauth_grants (digest);

CREATE INDEX ix_oauth_grants_expires_at ON oauth_grants (expires_at);

CREATE INDEX ix_oauth_grants_user_id ON oauth_grants (user_id);

CREATE TABLE oauth_tokens (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	application_id INTEGER,
	user_id INTEGER,
	family TEXT NOT NULL,
	digest TEXT NOT NULL,
	refresh_digest TEXT,
	scopes TEXT NOT NULL,
	created_at TEXT NOT NULL,
	expires_at TEXT NOT NULL,
	revoked INTEGER DEFAULT FALSE NOT NULL,
	CONSTRAINT fk_oauth_tokens_application_id FOREIGN KEY(application_id) REFERENCES oauth_applications (id) ON DELETE CASCADE,
	CONSTRAINT fk_oauth_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_oauth_tokens_application_id ON oauth_tokens (application_id);

CREATE UNIQUE INDEX ix_oauth_tokens_digest ON oauth_tokens (digest);

CREATE INDEX ix_oauth_tokens_family ON oauth_tokens (family);

CREATE UNIQUE INDEX ix_oauth_tokens_refresh_digest ON oauth_tokens (refresh_digest);

CREATE INDEX ix_oauth_tokens_user_id_application_id ON oauth_tokens (user_id, application_id);

CREATE TABLE replication_nodes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	url TEXT NOT NULL,
	url_folded TEXT NOT NULL,
	is_primary INTEGER DEFAULT FALSE NOT NULL,
	enabled INTEGER DEFAULT TRUE NOT NULL,
	files_max_capacity INTEGER DEFAULT 10 NOT NULL,
	repos_max_capacity INTEGER DEFAULT 25 NOT NULL,
	access_key TEXT NOT NULL,
	secret TEXT NOT NULL,
	application_id INTEGER,
	code_digest TEXT,
	code_expires_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_replication_nodes_application_id FOREIGN KEY(application_id) REFERENCES oauth_applications (id) ON DELETE SET NULL
)
 STRICT;

CREATE UNIQUE INDEX ix_replication_nodes_access_key ON replication_nodes (access_key);

CREATE INDEX ix_replication_nodes_application_id ON replication_nodes (application_id) WHERE application_id IS NOT NULL;

CREATE UNIQUE INDEX ix_replication_nodes_is_primary ON replication_nodes (is_primary) WHERE is_primary;

CREATE UNIQUE INDEX ix_replication_nodes_url_folded ON replication_nodes (url_folded);

CREATE TABLE groups (
	id INTEGER NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	visibility TEXT DEFAULT 'private' NOT NULL,
	lfs_enabled INTEGER DEFAULT TRUE NOT NULL,
	request_access_enabled INTEGER DEFAULT FALSE NOT NULL,
	membership_lock INTEGER DEFAULT FALSE NOT NULL,
	share_with_group_lock INTEGER DEFAULT FALSE NOT NULL,
	shared_runners_minutes_limit INTEGER,
	avatar TEXT,
	avatar_key TEXT,
	runners_token TEXT,
	runners_token_digest TEXT,
	CONSTRAINT pk_groups PRIMARY KEY (id),
	CONSTRAINT fk_groups_id FOREIGN KEY(id) REFERENCES namespaces (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_groups_runners_token_digest ON groups (runners_token_digest) WHERE runners_token_digest IS NOT NULL;

CREATE INDEX ix_groups_visibility ON groups (visibility);

CREATE TABLE projects (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	namespace_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	name_folded TEXT NOT NULL,
	path TEXT NOT NULL,
	path_folded TEXT NOT NULL,
	description TEXT,
	description_folded TEXT DEFAULT '' NOT NULL,
	visibility TEXT NOT NULL,
	creator_id INTEGER,
	archived INTEGER DEFAULT FALSE NOT NULL,
	default_branch TEXT,
	requested_branch TEXT,
	tag_list TEXT DEFAULT '' NOT NULL,
	avatar TEXT,
	avatar_key TEXT,
	issues_enabled INTEGER DEFAULT TRUE NOT NULL,
	merge_requests_enabled INTEGER DEFAULT TRUE NOT NULL,
	jobs_enabled INTEGER DEFAULT TRUE NOT NULL,
	wiki_enabled INTEGER DEFAULT TRUE NOT NULL,
	snippets_enabled INTEGER DEFAULT TRUE NOT NULL,
	container_registry_enabled INTEGER DEFAULT TRUE NOT NULL,
	shared_runners_enabled INTEGER DEFAULT TRUE NOT NULL,
	resolve_outdated_diff_discussions INTEGER DEFAULT FALSE NOT NULL,
	public_jobs INTEGER DEFAULT TRUE NOT NULL,
	merge_method TEXT DEFAULT 'merge' NOT NULL,
	only_allow_merge_if_pipeline_succeeds INTEGER DEFAULT FALSE NOT NULL,
	only_allow_merge_if_all_discussions_are_resolved INTEGER DEFAULT FALSE NOT NULL,
	lfs_enabled INTEGER DEFAULT TRUE NOT NULL,
	request_access_enabled INTEGER DEFAULT FALSE NOT NULL,
	printing_merge_request_link_enabled INTEGER DEFAULT TRUE NOT NULL,
	ci_config_path TEXT,
	auto_cancel_pending_pipelines TEXT DEFAULT 'enabled' NOT NULL,
	build_timeout INTEGER DEFAULT 3600 NOT NULL,
	build_git_strategy TEXT DEFAULT 'fetch' NOT NULL,
	build_coverage_regex TEXT,
	ci_default_git_depth INTEGER,
	keep_latest_artifact INTEGER DEFAULT FALSE NOT NULL,
	repository_storage TEXT DEFAULT 'default' NOT NULL,
	approvals_before_merge INTEGER DEFAULT 0 NOT NULL,
	reset_approvals_on_push INTEGER DEFAULT TRUE NOT NULL,
	disable_overriding_approvers_per_merge_request INTEGER DEFAULT FALSE NOT NULL,
	runners_token TEXT DEFAULT '' NOT NULL,
	runners_token_digest TEXT,
	import_url TEXT,
	import_status TEXT DEFAULT 'none' NOT NULL,
	import_error TEXT,
	mirror INTEGER DEFAULT FALSE NOT NULL,
	mirror_user_id INTEGER,
	forked_from_id INTEGER,
	network_id INTEGER,
	star_count INTEGER DEFAULT 0 NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	last_activity_at TEXT NOT NULL,
	deleted_at TEXT,
	CONSTRAINT fk_projects_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_projects_creator_id FOREIGN KEY(creator_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_projects_mirror_user_id FOREIGN KEY(mirror_user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_projects_forked_from_id FOREIGN KEY(forked_from_id) REFERENCES projects (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_projects_archived_visibility_namespace_id_id_deleted_at ON projects (archived, visibility, namespace_id, id, deleted_at) WHERE deleted_at IS NULL;

CREATE INDEX ix_projects_created_at_id_namespace_id_visibility_archived_deleted_at ON projects (created_at, id, namespace_id, visibility, archived, deleted_at) WHERE deleted_at IS NULL;

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
	path_folded TEXT NOT NULL,
	path TEXT NOT NULL,
	namespace_id INTEGER,
	project_id INTEGER,
	CONSTRAINT pk_routes PRIMARY KEY (path_folded),
	CONSTRAINT fk_routes_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_routes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_routes_namespace_id ON routes (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE UNIQUE INDEX ix_routes_project_id ON routes (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE former_paths (
	path_folded TEXT NOT NULL,
	namespace_id INTEGER,
	project_id INTEGER,
	CONSTRAINT pk_former_paths PRIMARY KEY (path_folded),
	CONSTRAINT fk_former_paths_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE CASCADE,
	CONSTRAINT fk_former_paths_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_former_paths_namespace_id ON former_paths (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE INDEX ix_former_paths_project_id ON former_paths (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE environments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	slug TEXT NOT NULL,
	external_url TEXT,
	state TEXT DEFAULT 'available' NOT NULL,
	tier TEXT,
	auto_stop_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_environments_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_environments_auto_stop_at_id ON environments (auto_stop_at, id) WHERE auto_stop_at IS NOT NULL AND state = 'available';

CREATE INDEX ix_environments_project_id_id ON environments (project_id, id);

CREATE UNIQUE INDEX ix_environments_project_id_name ON environments (project_id, name);

CREATE UNIQUE INDEX ix_environments_project_id_slug ON environments (project_id, slug);

CREATE TABLE runners (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	runner_type TEXT NOT NULL,
	group_id INTEGER,
	creator_id INTEGER,
	token_digest TEXT NOT NULL,
	description TEXT,
	active INTEGER DEFAULT TRUE NOT NULL,
	tag_list TEXT DEFAULT '' NOT NULL,
	run_untagged INTEGER DEFAULT TRUE NOT NULL,
	locked INTEGER DEFAULT FALSE NOT NULL,
	access_level TEXT DEFAULT 'not_protected' NOT NULL,
	maximum_timeout INTEGER,
	maintenance_note TEXT,
	name TEXT,
	version TEXT,
	revision TEXT,
	platform TEXT,
	architecture TEXT,
	executor TEXT,
	ip_address TEXT,
	contacted_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_runners_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_runners_creator_id FOREIGN KEY(creator_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_runners_creator_id ON runners (creator_id) WHERE creator_id IS NOT NULL;

CREATE INDEX ix_runners_group_id ON runners (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_runners_runner_type_id ON runners (runner_type, id);

CREATE UNIQUE INDEX ix_runners_token_digest ON runners (token_digest);

CREATE TABLE pipeline_schedules (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	owner_id INTEGER,
	description TEXT NOT NULL,
	ref TEXT NOT NULL,
	cron TEXT NOT NULL,
	cron_timezone TEXT DEFAULT 'UTC' NOT NULL,
	active INTEGER DEFAULT TRUE NOT NULL,
	next_run_at TEXT NOT NULL,
	due_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_pipeline_schedules_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_schedules_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_pipeline_schedules_next_run_at ON pipeline_schedules (next_run_at) WHERE active;

CREATE INDEX ix_pipeline_schedules_owner_id ON pipeline_schedules (owner_id) WHERE owner_id IS NOT NULL;

CREATE INDEX ix_pipeline_schedules_project_id_id ON pipeline_schedules (project_id, id);

CREATE TABLE pipeline_triggers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	owner_id INTEGER,
	description TEXT NOT NULL,
	token TEXT NOT NULL,
	token_digest TEXT NOT NULL,
	last_used TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_pipeline_triggers_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_triggers_owner_id FOREIGN KEY(owner_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_pipeline_triggers_owner_id ON pipeline_triggers (owner_id) WHERE owner_id IS NOT NULL;

CREATE INDEX ix_pipeline_triggers_project_id_id ON pipeline_triggers (project_id, id);

CREATE UNIQUE INDEX ix_pipeline_triggers_token_digest ON pipeline_triggers (token_digest);

CREATE TABLE ci_variables (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	group_id INTEGER,
	"key" TEXT NOT NULL,
	value TEXT NOT NULL,
	variable_type TEXT DEFAULT 'env_var' NOT NULL,
	environment_scope TEXT DEFAULT '*' NOT NULL,
	protected INTEGER DEFAULT FALSE NOT NULL,
	masked INTEGER DEFAULT FALSE NOT NULL,
	raw INTEGER DEFAULT FALSE NOT NULL,
	description TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_ci_variables_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_ci_variables_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_ci_variables_group_id_key_environment_scope ON ci_variables (group_id, "key", environment_scope) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_ci_variables_of_the_instance ON ci_variables ("key") WHERE project_id IS NULL AND group_id IS NULL;

CREATE UNIQUE INDEX ix_ci_variables_project_id_key_environment_scope ON ci_variables (project_id, "key", environment_scope) WHERE project_id IS NOT NULL;

CREATE TABLE deploy_keys (
	project_id INTEGER NOT NULL,
	key_id INTEGER NOT NULL,
	can_push INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_deploy_keys PRIMARY KEY (project_id, key_id),
	CONSTRAINT fk_deploy_keys_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_deploy_keys_key_id FOREIGN KEY(key_id) REFERENCES ssh_keys (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_deploy_keys_key_id_project_id ON deploy_keys (key_id, project_id);

CREATE TABLE lfs_links (
	project_id INTEGER NOT NULL,
	object_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_lfs_links PRIMARY KEY (project_id, object_id),
	CONSTRAINT fk_lfs_links_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_lfs_links_object_id FOREIGN KEY(object_id) REFERENCES lfs_objects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_lfs_links_object_id ON lfs_links (object_id);

CREATE TABLE lfs_locks (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	path TEXT NOT NULL,
	user_id INTEGER NOT NULL,
	locked_at TEXT NOT NULL,
	CONSTRAINT fk_lfs_locks_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_lfs_locks_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_lfs_locks_project_id_path ON lfs_locks (project_id, path);

CREATE INDEX ix_lfs_locks_user_id ON lfs_locks (user_id);

CREATE TABLE protected_branches (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_protected_branches_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_protected_branches_project_id_name ON protected_branches (project_id, name);

CREATE TABLE push_rules (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	is_default INTEGER DEFAULT FALSE NOT NULL,
	commit_message_regex TEXT,
	branch_name_regex TEXT,
	author_email_regex TEXT,
	file_name_regex TEXT,
	deny_delete_tag INTEGER DEFAULT FALSE NOT NULL,
	member_check INTEGER DEFAULT FALSE NOT NULL,
	prevent_secrets INTEGER DEFAULT FALSE NOT NULL,
	max_file_size INTEGER DEFAULT 0 NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_push_rules_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_push_rules_is_default ON push_rules (is_default) WHERE is_default;

CREATE UNIQUE INDEX ix_push_rules_project_id ON push_rules (project_id);

CREATE TABLE pushes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	wiki INTEGER DEFAULT FALSE NOT NULL,
	actor_id INTEGER,
	protocol TEXT NOT NULL,
	lock TEXT,
	created_at TEXT NOT NULL,
	recorded_at TEXT,
	CONSTRAINT fk_pushes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pushes_actor_id FOREIGN KEY(actor_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_pushes_actor_id ON pushes (actor_id) WHERE actor_id IS NOT NULL;

CREATE INDEX ix_pushes_project_id_wiki_id ON pushes (project_id, wiki, id);

CREATE TABLE housekeeping (
	project_id INTEGER NOT NULL,
	started_at TEXT NOT NULL,
	CONSTRAINT pk_housekeeping PRIMARY KEY (project_id),
	CONSTRAINT fk_housekeeping_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE project_statistics (
	project_id INTEGER NOT NULL,
	commit_count INTEGER DEFAULT 0 NOT NULL,
	repository_size INTEGER DEFAULT 0 NOT NULL,
	lfs_objects_size INTEGER DEFAULT 0 NOT NULL,
	job_artifacts_size INTEGER DEFAULT 0 NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_project_statistics PRIMARY KEY (project_id),
	CONSTRAINT fk_project_statistics_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE commit_signatures (
	project_id INTEGER NOT NULL,
	sha TEXT NOT NULL,
	kind TEXT NOT NULL,
	problem TEXT,
	key_id TEXT,
	fingerprint TEXT,
	subkey TEXT,
	newest_key_id INTEGER DEFAULT 0 NOT NULL,
	user_id INTEGER,
	valid INTEGER DEFAULT FALSE NOT NULL,
	names_committer INTEGER DEFAULT FALSE NOT NULL,
	signer_name TEXT,
	signer_email TEXT,
	committer_folded TEXT NOT NULL,
	CONSTRAINT pk_commit_signatures PRIMARY KEY (project_id, sha),
	CONSTRAINT fk_commit_signatures_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_commit_signatures_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_commit_signatures_user_id ON commit_signatures (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE snippets (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	author_id INTEGER NOT NULL,
	title TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	file_name TEXT NOT NULL,
	file_name_folded TEXT NOT NULL,
	content TEXT NOT NULL,
	content_folded TEXT NOT NULL,
	description TEXT,
	visibility TEXT NOT NULL,
	user_agent TEXT,
	ip_address TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_snippets_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_snippets_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_snippets_author_id_id ON snippets (author_id, id) WHERE project_id IS NULL;

CREATE INDEX ix_snippets_author_id_project_id ON snippets (author_id, project_id);

CREATE INDEX ix_snippets_project_id_id ON snippets (project_id, id) WHERE project_id IS NOT NULL;

CREATE INDEX ix_snippets_visibility_id ON snippets (visibility, id) WHERE project_id IS NULL;

CREATE TABLE releases (
	project_id INTEGER NOT NULL,
	tag TEXT NOT NULL,
	description TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT pk_releases PRIMARY KEY (project_id, tag),
	CONSTRAINT fk_releases_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE hooks (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	group_id INTEGER,
	url TEXT NOT NULL,
	token TEXT,
	enable_ssl_verification INTEGER DEFAULT TRUE NOT NULL,
	push_events INTEGER DEFAULT FALSE NOT NULL,
	tag_push_events INTEGER DEFAULT FALSE NOT NULL,
	issues_events INTEGER DEFAULT FALSE NOT NULL,
	confidential_issues_events INTEGER DEFAULT FALSE NOT NULL,
	note_events INTEGER DEFAULT FALSE NOT NULL,
	confidential_note_events INTEGER DEFAULT FALSE NOT NULL,
	merge_requests_events INTEGER DEFAULT FALSE NOT NULL,
	job_events INTEGER DEFAULT FALSE NOT NULL,
	pipeline_events INTEGER DEFAULT FALSE NOT NULL,
	wiki_page_events INTEGER DEFAULT FALSE NOT NULL,
	repository_update_events INTEGER DEFAULT FALSE NOT NULL,
	releases_events INTEGER DEFAULT FALSE NOT NULL,
	deployment_events INTEGER DEFAULT FALSE NOT NULL,
	name TEXT,
	description TEXT,
	push_events_branch_filter TEXT DEFAULT '' NOT NULL,
	custom_webhook_template TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_hooks_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_hooks_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_hooks_group_id_id ON hooks (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_hooks_of_the_instance ON hooks (id) WHERE project_id IS NULL AND group_id IS NULL;

CREATE INDEX ix_hooks_project_id_id ON hooks (project_id, id) WHERE project_id IS NOT NULL;

CREATE TABLE boards (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	group_id INTEGER,
	name TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_boards_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_boards_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_boards_group_id_id ON boards (group_id, id);

CREATE INDEX ix_boards_project_id_id ON boards (project_id, id);

CREATE TABLE commented_commits (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	sha TEXT NOT NULL,
	title TEXT NOT NULL,
	CONSTRAINT fk_commented_commits_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_commented_commits_project_id_sha ON commented_commits (project_id, sha);

CREATE TABLE epics (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	group_id INTEGER NOT NULL,
	iid INTEGER NOT NULL,
	title TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	description TEXT,
	description_folded TEXT DEFAULT '' NOT NULL,
	author_id INTEGER NOT NULL,
	start_on TEXT,
	end_on TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_epics_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_epics_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_epics_author_id ON epics (author_id);

CREATE INDEX ix_epics_group_id_id_updated_at ON epics (group_id, id, updated_at);

CREATE UNIQUE INDEX ix_epics_group_id_iid ON epics (group_id, iid);

CREATE INDEX ix_epics_updated_at_id_group_id ON epics (updated_at, id, group_id);

CREATE TABLE labels (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	group_id INTEGER,
	title TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	color TEXT NOT NULL,
	description TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_labels_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_labels_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_labels_group_id_title ON labels (group_id, title) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_labels_project_id_title ON labels (project_id, title) WHERE project_id IS NOT NULL;

CREATE INDEX ix_labels_title ON labels (title);

CREATE TABLE milestones (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	iid INTEGER NOT NULL,
	project_id INTEGER,
	group_id INTEGER,
	title TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	description TEXT,
	description_folded TEXT DEFAULT '' NOT NULL,
	state TEXT DEFAULT 'active' NOT NULL,
	start_on TEXT,
	due_on TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	closed_at TEXT,
	CONSTRAINT fk_milestones_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_milestones_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_milestones_group_id_iid ON milestones (group_id, iid) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_milestones_group_id_title ON milestones (group_id, title) WHERE group_id IS NOT NULL;

CREATE UNIQUE INDEX ix_milestones_project_id_iid ON milestones (project_id, iid) WHERE project_id IS NOT NULL;

CREATE UNIQUE INDEX ix_milestones_project_id_title ON milestones (project_id, title) WHERE project_id IS NOT NULL;

CREATE INDEX ix_milestones_title ON milestones (title);

CREATE TABLE notes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	noteable_kind TEXT NOT NULL,
	noteable_id INTEGER NOT NULL,
	project_id INTEGER,
	author_id INTEGER NOT NULL,
	body TEXT NOT NULL,
	body_folded TEXT NOT NULL,
	system INTEGER DEFAULT FALSE NOT NULL,
	action TEXT,
	source_kind TEXT,
	source_id INTEGER,
	discussion_id TEXT NOT NULL,
	individual INTEGER DEFAULT TRUE NOT NULL,
	resolved_at TEXT,
	resolved_by_id INTEGER,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_notes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_notes_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_notes_resolved_by_id FOREIGN KEY(resolved_by_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

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
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	secret TEXT NOT NULL,
	name TEXT NOT NULL,
	size INTEGER NOT NULL,
	author_id INTEGER,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_uploads_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_uploads_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_uploads_author_id ON uploads (author_id) WHERE author_id IS NOT NULL;

CREATE INDEX ix_uploads_project_id_id ON uploads (project_id, id);

CREATE UNIQUE INDEX ix_uploads_secret_project_id ON uploads (secret, project_id);

CREATE TABLE replication_statuses (
	node_id INTEGER NOT NULL,
	figures TEXT NOT NULL,
	reported_at TEXT NOT NULL,
	CONSTRAINT pk_replication_statuses PRIMARY KEY (node_id),
	CONSTRAINT fk_replication_statuses_node_id FOREIGN KEY(node_id) REFERENCES replication_nodes (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE project_approvers (
	project_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	CONSTRAINT pk_project_approvers PRIMARY KEY (project_id, user_id),
	CONSTRAINT fk_project_approvers_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_project_approvers_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_project_approvers_user_id ON project_approvers (user_id);

CREATE TABLE project_approver_groups (
	project_id INTEGER NOT NULL,
	group_id INTEGER NOT NULL,
	CONSTRAINT pk_project_approver_groups PRIMARY KEY (project_id, group_id),
	CONSTRAINT fk_project_approver_groups_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_project_approver_groups_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_project_approver_groups_group_id ON project_approver_groups (group_id);

CREATE TABLE group_tree (
	group_id INTEGER NOT NULL,
	ancestor_id INTEGER NOT NULL,
	depth INTEGER NOT NULL,
	CONSTRAINT pk_group_tree PRIMARY KEY (group_id, ancestor_id),
	CONSTRAINT fk_group_tree_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_group_tree_ancestor_id FOREIGN KEY(ancestor_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_group_tree_ancestor_id_group_id ON group_tree (ancestor_id, group_id);

CREATE TABLE ldap_group_links (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	group_id INTEGER NOT NULL,
	provider TEXT NOT NULL,
	cn TEXT NOT NULL,
	filter TEXT DEFAULT '' NOT NULL,
	group_access INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_ldap_group_links_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_ldap_group_links_group_id_provider_cn_filter ON ldap_group_links (group_id, provider, cn, filter);

CREATE INDEX ix_ldap_group_links_provider ON ldap_group_links (provider);

CREATE TABLE ldap_group_syncs (
	group_id INTEGER NOT NULL,
	status TEXT DEFAULT 'ready' NOT NULL,
	error TEXT,
	last_sync_at TEXT,
	last_update_at TEXT,
	last_successful_update_at TEXT,
	CONSTRAINT pk_ldap_group_syncs PRIMARY KEY (group_id),
	CONSTRAINT fk_ldap_group_syncs_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE project_shares (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	group_id INTEGER NOT NULL,
	cap INTEGER NOT NULL,
	expires_on TEXT NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_project_shares_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_project_shares_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_project_shares_group_id_project_id_cap_expires_on ON project_shares (group_id, project_id, cap, expires_on);

CREATE UNIQUE INDEX ix_project_shares_project_id_group_id ON project_shares (project_id, group_id);

CREATE TABLE project_texts (
	id INTEGER NOT NULL,
	namespace_id INTEGER NOT NULL,
	name_folded TEXT NOT NULL,
	path_folded TEXT NOT NULL,
	description_folded TEXT NOT NULL,
	CONSTRAINT pk_project_texts PRIMARY KEY (id),
	CONSTRAINT fk_project_texts_id FOREIGN KEY(id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_project_texts_short ON project_texts (id) WHERE length(name_folded) BETWEEN 1 AND 2 OR length(path_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2;

CREATE TABLE stars (
	user_id INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_stars PRIMARY KEY (user_id, project_id),
	CONSTRAINT fk_stars_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_stars_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_stars_project_id ON stars (project_id);

CREATE TABLE runner_projects (
	runner_id INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_runner_projects PRIMARY KEY (runner_id, project_id),
	CONSTRAINT fk_runner_projects_runner_id FOREIGN KEY(runner_id) REFERENCES runners (id) ON DELETE CASCADE,
	CONSTRAINT fk_runner_projects_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_runner_projects_project_id_runner_id ON runner_projects (project_id, runner_id);

CREATE TABLE pipeline_schedule_variables (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	schedule_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	value TEXT NOT NULL,
	variable_type TEXT DEFAULT 'env_var' NOT NULL,
	CONSTRAINT fk_pipeline_schedule_variables_schedule_id FOREIGN KEY(schedule_id) REFERENCES pipeline_schedules (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_pipeline_schedule_variables_schedule_id_key ON pipeline_schedule_variables (schedule_id, "key");

CREATE TABLE protected_branch_grants (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	branch_id INTEGER NOT NULL,
	verb TEXT NOT NULL,
	level INTEGER,
	user_id INTEGER,
	group_id INTEGER,
	CONSTRAINT fk_protected_branch_grants_branch_id FOREIGN KEY(branch_id) REFERENCES protected_branches (id) ON DELETE CASCADE,
	CONSTRAINT fk_protected_branch_grants_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_protected_branch_grants_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_protected_branch_grants_branch_id_verb ON protected_branch_grants (branch_id, verb);

CREATE INDEX ix_protected_branch_grants_group_id ON protected_branch_grants (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_protected_branch_grants_user_id ON protected_branch_grants (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE push_refs (
	push_id INTEGER NOT NULL,
	ref TEXT NOT NULL,
	old_id TEXT NOT NULL,
	new_id TEXT NOT NULL,
	CONSTRAINT pk_push_refs PRIMARY KEY (push_id, ref),
	CONSTRAINT fk_push_refs_push_id FOREIGN KEY(push_id) REFERENCES pushes (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE hook_deliveries (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	hook_id INTEGER NOT NULL,
	payload_id INTEGER NOT NULL,
	attempts INTEGER DEFAULT 0 NOT NULL,
	asked_for INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_hook_deliveries_hook_id FOREIGN KEY(hook_id) REFERENCES hooks (id) ON DELETE CASCADE,
	CONSTRAINT fk_hook_deliveries_payload_id FOREIGN KEY(payload_id) REFERENCES hook_payloads (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_hook_deliveries_hook_id_id ON hook_deliveries (hook_id, id);

CREATE INDEX ix_hook_deliveries_payload_id ON hook_deliveries (payload_id);

CREATE TABLE hook_queues (
	hook_id INTEGER NOT NULL,
	ready_at TEXT,
	leased_by TEXT,
	enqueued INTEGER DEFAULT 0 NOT NULL,
	failures INTEGER DEFAULT 0 NOT NULL,
	disabled_until TEXT,
	CONSTRAINT pk_hook_queues PRIMARY KEY (hook_id),
	CONSTRAINT fk_hook_queues_hook_id FOREIGN KEY(hook_id) REFERENCES hooks (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_hook_queues_ready_at ON hook_queues (ready_at) WHERE ready_at IS NOT NULL;

CREATE TABLE hook_logs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	hook_id INTEGER NOT NULL,
	payload_id INTEGER NOT NULL,
	url TEXT NOT NULL,
	request_headers TEXT NOT NULL,
	response_headers TEXT NOT NULL,
	response_body TEXT NOT NULL,
	response_status TEXT NOT NULL,
	milliseconds INTEGER NOT NULL,
	error TEXT,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_hook_logs_hook_id FOREIGN KEY(hook_id) REFERENCES hooks (id) ON DELETE CASCADE,
	CONSTRAINT fk_hook_logs_payload_id FOREIGN KEY(payload_id) REFERENCES hook_payloads (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_hook_logs_created_at ON hook_logs (created_at);

CREATE INDEX ix_hook_logs_hook_id_id ON hook_logs (hook_id, id);

CREATE INDEX ix_hook_logs_payload_id ON hook_logs (payload_id);

CREATE TABLE board_lists (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	board_id INTEGER NOT NULL,
	label_id INTEGER NOT NULL,
	position INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_board_lists_board_id FOREIGN KEY(board_id) REFERENCES boards (id) ON DELETE CASCADE,
	CONSTRAINT fk_board_lists_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_board_lists_board_id_label_id ON board_lists (board_id, label_id);

CREATE INDEX ix_board_lists_board_id_position ON board_lists (board_id, position);

CREATE INDEX ix_board_lists_label_id ON board_lists (label_id);

CREATE TABLE commented_lines (
	note_id INTEGER NOT NULL,
	path TEXT NOT NULL,
	line INTEGER NOT NULL,
	line_type TEXT NOT NULL,
	CONSTRAINT pk_commented_lines PRIMARY KEY (note_id),
	CONSTRAINT fk_commented_lines_note_id FOREIGN KEY(note_id) REFERENCES notes (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE epic_labels (
	epic_id INTEGER NOT NULL,
	label_id INTEGER NOT NULL,
	CONSTRAINT pk_epic_labels PRIMARY KEY (epic_id, label_id),
	CONSTRAINT fk_epic_labels_epic_id FOREIGN KEY(epic_id) REFERENCES epics (id) ON DELETE CASCADE,
	CONSTRAINT fk_epic_labels_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_epic_labels_label_id_epic_id ON epic_labels (label_id, epic_id);

CREATE TABLE issues (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	iid INTEGER NOT NULL,
	title TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	description TEXT,
	description_folded TEXT DEFAULT '' NOT NULL,
	state TEXT DEFAULT 'opened' NOT NULL,
	confidential INTEGER DEFAULT FALSE NOT NULL,
	author_id INTEGER NOT NULL,
	milestone_id INTEGER,
	weight INTEGER,
	due_on TEXT,
	discussion_locked INTEGER DEFAULT FALSE NOT NULL,
	time_estimate INTEGER DEFAULT 0 NOT NULL,
	total_time_spent INTEGER DEFAULT 0 NOT NULL,
	user_notes_count INTEGER DEFAULT 0 NOT NULL,
	task_count INTEGER DEFAULT 0 NOT NULL,
	completed_task_count INTEGER DEFAULT 0 NOT NULL,
	moved_to_id INTEGER,
	user_agent TEXT,
	ip_address TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	closed_at TEXT,
	deleted_at TEXT,
	CONSTRAINT fk_issues_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_issues_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_issues_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE SET NULL,
	CONSTRAINT fk_issues_moved_to_id FOREIGN KEY(moved_to_id) REFERENCES issues (id) ON DELETE SET NULL
)
 STRICT;

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
	project_id INTEGER NOT NULL,
	label_id INTEGER NOT NULL,
	priority INTEGER NOT NULL,
	CONSTRAINT pk_label_priorities PRIMARY KEY (project_id, label_id),
	CONSTRAINT fk_label_priorities_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_label_priorities_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE label_subscriptions (
	label_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	subscribed INTEGER DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_label_subscriptions PRIMARY KEY (label_id, user_id),
	CONSTRAINT fk_label_subscriptions_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE,
	CONSTRAINT fk_label_subscriptions_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_label_subscriptions_user_id ON label_subscriptions (user_id);

CREATE TABLE note_texts (
	id INTEGER NOT NULL,
	noteable_kind TEXT NOT NULL,
	noteable_id INTEGER NOT NULL,
	body_folded TEXT NOT NULL,
	CONSTRAINT pk_note_texts PRIMARY KEY (id),
	CONSTRAINT fk_note_texts_id FOREIGN KEY(id) REFERENCES notes (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_note_texts_noteable_kind_noteable_id ON note_texts (noteable_kind, noteable_id);

CREATE INDEX ix_note_texts_short ON note_texts (id) WHERE length(body_folded) BETWEEN 1 AND 2;

CREATE TABLE todos (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	author_id INTEGER NOT NULL,
	project_id INTEGER,
	group_id INTEGER,
	target_kind TEXT NOT NULL,
	target_id INTEGER NOT NULL,
	note_id INTEGER,
	action TEXT NOT NULL,
	state TEXT DEFAULT 'pending' NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_todos_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_todos_note_id FOREIGN KEY(note_id) REFERENCES notes (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_todos_author_id ON todos (author_id);

CREATE INDEX ix_todos_group_id ON todos (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_todos_note_id ON todos (note_id) WHERE note_id IS NOT NULL;

CREATE INDEX ix_todos_project_id ON todos (project_id);

CREATE INDEX ix_todos_user_id_state_id ON todos (user_id, state, id);

CREATE UNIQUE INDEX ix_todos_user_id_target_kind_target_id ON todos (user_id, target_kind, target_id) WHERE state = 'pending';

CREATE TABLE merge_requests (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	iid INTEGER NOT NULL,
	source_project_id INTEGER,
	source_branch TEXT NOT NULL,
	target_branch TEXT NOT NULL,
	title TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	description TEXT,
	description_folded TEXT DEFAULT '' NOT NULL,
	state TEXT DEFAULT 'opened' NOT NULL,
	draft INTEGER DEFAULT FALSE NOT NULL,
	author_id INTEGER NOT NULL,
	milestone_id INTEGER,
	discussion_locked INTEGER DEFAULT FALSE NOT NULL,
	squash INTEGER DEFAULT FALSE NOT NULL,
	force_remove_source_branch INTEGER DEFAULT FALSE NOT NULL,
	approvals_before_merge INTEGER,
	merge_status TEXT DEFAULT 'unchecked' NOT NULL,
	checked_pair TEXT DEFAULT '' NOT NULL,
	behind INTEGER DEFAULT FALSE NOT NULL,
	conflicting INTEGER DEFAULT FALSE NOT NULL,
	merging_push_id INTEGER,
	merging_sha TEXT,
	merging_squash_sha TEXT,
	remover_id INTEGER,
	merge_commit_sha TEXT,
	squash_commit_sha TEXT,
	merge_error TEXT,
	merge_when_pipeline_succeeds INTEGER DEFAULT FALSE NOT NULL,
	merge_user_id INTEGER,
	should_remove_source_branch INTEGER,
	merge_commit_message TEXT,
	squash_commit_message TEXT,
	rebaser_id INTEGER,
	rebase_sha TEXT,
	allow_collaboration INTEGER DEFAULT FALSE NOT NULL,
	merged_by_id INTEGER,
	merged_at TEXT,
	closed_by_id INTEGER,
	closed_at TEXT,
	time_estimate INTEGER DEFAULT 0 NOT NULL,
	total_time_spent INTEGER DEFAULT 0 NOT NULL,
	user_notes_count INTEGER DEFAULT 0 NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
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
)
 STRICT;

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
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	iid INTEGER NOT NULL,
	ref TEXT NOT NULL,
	tag INTEGER DEFAULT FALSE NOT NULL,
	sha TEXT NOT NULL,
	before_sha TEXT,
	source TEXT DEFAULT 'external' NOT NULL,
	status TEXT DEFAULT 'created' NOT NULL,
	protected INTEGER DEFAULT FALSE NOT NULL,
	user_id INTEGER,
	merge_request_id INTEGER,
	push_id INTEGER,
	schedule_id INTEGER,
	scheduled_for TEXT,
	name TEXT,
	auto_cancel TEXT,
	yaml_errors TEXT,
	duration INTEGER,
	coverage TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	started_at TEXT,
	finished_at TEXT,
	CONSTRAINT fk_pipelines_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipelines_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_pipelines_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE SET NULL,
	CONSTRAINT fk_pipelines_schedule_id FOREIGN KEY(schedule_id) REFERENCES pipeline_schedules (id) ON DELETE SET NULL
)
 STRICT;

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
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	epic_id INTEGER NOT NULL,
	issue_id INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	relative_position INTEGER NOT NULL,
	CONSTRAINT fk_epic_issues_epic_id FOREIGN KEY(epic_id) REFERENCES epics (id) ON DELETE CASCADE,
	CONSTRAINT fk_epic_issues_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_epic_issues_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_epic_issues_epic_id_project_id ON epic_issues (epic_id, project_id);

CREATE INDEX ix_epic_issues_epic_id_relative_position_id_project_id_issue_id ON epic_issues (epic_id, relative_position, id, project_id, issue_id);

CREATE UNIQUE INDEX ix_epic_issues_issue_id ON epic_issues (issue_id);

CREATE INDEX ix_epic_issues_project_id ON epic_issues (project_id);

CREATE TABLE issue_links (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	source_id INTEGER NOT NULL,
	target_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_issue_links_source_id FOREIGN KEY(source_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_issue_links_target_id FOREIGN KEY(target_id) REFERENCES issues (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_issue_links_source_id_target_id ON issue_links (source_id, target_id);

CREATE INDEX ix_issue_links_target_id ON issue_links (target_id);

CREATE TABLE issue_texts (
	id INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	author_id INTEGER NOT NULL,
	state TEXT NOT NULL,
	confidential INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	title_folded TEXT NOT NULL,
	description_folded TEXT NOT NULL,
	CONSTRAINT pk_issue_texts PRIMARY KEY (id),
	CONSTRAINT fk_issue_texts_id FOREIGN KEY(id) REFERENCES issues (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_issue_texts_project_id ON issue_texts (project_id);

CREATE INDEX ix_issue_texts_short ON issue_texts (id) WHERE length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2;

CREATE TABLE issue_assignees (
	issue_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	project_id INTEGER,
	created_at TEXT,
	CONSTRAINT pk_issue_assignees PRIMARY KEY (issue_id, user_id),
	CONSTRAINT fk_issue_assignees_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_issue_assignees_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_issue_assignees_user_id_project_id_created_at_issue_id ON issue_assignees (user_id, project_id, created_at, issue_id);

CREATE TABLE issue_labels (
	issue_id INTEGER NOT NULL,
	label_id INTEGER NOT NULL,
	project_id INTEGER,
	created_at TEXT,
	CONSTRAINT pk_issue_labels PRIMARY KEY (issue_id, label_id),
	CONSTRAINT fk_issue_labels_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE,
	CONSTRAINT fk_issue_labels_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_issue_labels_label_id_project_id_created_at_issue_id ON issue_labels (label_id, project_id, created_at, issue_id);

CREATE TABLE approvals (
	merge_request_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT pk_approvals PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_approvals_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_approvals_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_approvals_user_id_merge_request_id ON approvals (user_id, merge_request_id);

CREATE TABLE merge_request_approvers (
	merge_request_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	CONSTRAINT pk_merge_request_approvers PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_merge_request_approvers_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_approvers_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_approvers_user_id ON merge_request_approvers (user_id);

CREATE TABLE merge_request_approver_groups (
	merge_request_id INTEGER NOT NULL,
	group_id INTEGER NOT NULL,
	CONSTRAINT pk_merge_request_approver_groups PRIMARY KEY (merge_request_id, group_id),
	CONSTRAINT fk_merge_request_approver_groups_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_approver_groups_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_approver_groups_group_id ON merge_request_approver_groups (group_id);

CREATE TABLE merge_request_closing_issues (
	merge_request_id INTEGER NOT NULL,
	iid INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	CONSTRAINT pk_merge_request_closing_issues PRIMARY KEY (merge_request_id, iid),
	CONSTRAINT fk_merge_request_closing_issues_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_closing_issues_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_closing_issues_project_id_iid ON merge_request_closing_issues (project_id, iid);

CREATE TABLE diff_positions (
	discussion_id TEXT NOT NULL,
	merge_request_id INTEGER NOT NULL,
	position TEXT NOT NULL,
	original_position TEXT NOT NULL,
	line_code TEXT,
	outdated INTEGER DEFAULT FALSE NOT NULL,
	CONSTRAINT pk_diff_positions PRIMARY KEY (discussion_id),
	CONSTRAINT fk_diff_positions_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_diff_positions_merge_request_id ON diff_positions (merge_request_id) WHERE NOT outdated;

CREATE TABLE draft_notes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	merge_request_id INTEGER NOT NULL,
	author_id INTEGER NOT NULL,
	note TEXT NOT NULL,
	discussion_id TEXT,
	resolve_discussion INTEGER DEFAULT FALSE NOT NULL,
	position TEXT,
	line_code TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_draft_notes_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_draft_notes_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_draft_notes_author_id ON draft_notes (author_id);

CREATE INDEX ix_draft_notes_merge_request_id_author_id_id ON draft_notes (merge_request_id, author_id, id);

CREATE TABLE merge_request_texts (
	id INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	author_id INTEGER NOT NULL,
	title_folded TEXT NOT NULL,
	description_folded TEXT NOT NULL,
	CONSTRAINT pk_merge_request_texts PRIMARY KEY (id),
	CONSTRAINT fk_merge_request_texts_id FOREIGN KEY(id) REFERENCES merge_requests (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_texts_project_id ON merge_request_texts (project_id);

CREATE INDEX ix_merge_request_texts_short ON merge_request_texts (id) WHERE length(title_folded) BETWEEN 1 AND 2 OR length(description_folded) BETWEEN 1 AND 2;

CREATE TABLE merge_request_labels (
	merge_request_id INTEGER NOT NULL,
	label_id INTEGER NOT NULL,
	CONSTRAINT pk_merge_request_labels PRIMARY KEY (merge_request_id, label_id),
	CONSTRAINT fk_merge_request_labels_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_labels_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_labels_label_id_merge_request_id ON merge_request_labels (label_id, merge_request_id);

CREATE TABLE merge_request_assignees (
	merge_request_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	CONSTRAINT pk_merge_request_assignees PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_merge_request_assignees_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_assignees_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_assignees_user_id_merge_request_id ON merge_request_assignees (user_id, merge_request_id);

CREATE TABLE merge_request_reviewers (
	merge_request_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	CONSTRAINT pk_merge_request_reviewers PRIMARY KEY (merge_request_id, user_id),
	CONSTRAINT fk_merge_request_reviewers_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_reviewers_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_merge_request_reviewers_user_id_merge_request_id ON merge_request_reviewers (user_id, merge_request_id);

CREATE TABLE merge_request_versions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	merge_request_id INTEGER NOT NULL,
	head_sha TEXT,
	base_sha TEXT,
	start_sha TEXT,
	state TEXT NOT NULL,
	real_size TEXT,
	closing TEXT DEFAULT '[]' NOT NULL,
	pusher_id INTEGER,
	followed INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_merge_request_versions_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE,
	CONSTRAINT fk_merge_request_versions_pusher_id FOREIGN KEY(pusher_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_merge_request_versions_merge_request_id_id ON merge_request_versions (merge_request_id, id);

CREATE INDEX ix_merge_request_versions_pusher_id ON merge_request_versions (pusher_id) WHERE pusher_id IS NOT NULL;

CREATE INDEX ix_merge_request_versions_unfollowed ON merge_request_versions (merge_request_id) WHERE NOT followed;

CREATE TABLE pipeline_jobs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	pipeline_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	stage TEXT NOT NULL,
	stage_index INTEGER NOT NULL,
	status TEXT DEFAULT 'created' NOT NULL,
	run_when TEXT DEFAULT 'on_success' NOT NULL,
	allow_failure INTEGER DEFAULT FALSE NOT NULL,
	retried INTEGER DEFAULT FALSE NOT NULL,
	protected INTEGER DEFAULT FALSE NOT NULL,
	interruptible INTEGER DEFAULT FALSE NOT NULL,
	needs TEXT,
	tags TEXT DEFAULT '[]' NOT NULL,
	environment TEXT,
	resource_group TEXT,
	start_in INTEGER,
	user_id INTEGER,
	runner_id INTEGER,
	token_digest TEXT,
	token TEXT,
	failure_reason TEXT,
	exit_code INTEGER,
	coverage TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	scheduled_at TEXT,
	queued_at TEXT,
	started_at TEXT,
	finished_at TEXT,
	erased_at TEXT,
	erased_by_id INTEGER,
	options TEXT DEFAULT '{}' NOT NULL,
	CONSTRAINT fk_pipeline_jobs_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_jobs_pipeline_id FOREIGN KEY(pipeline_id) REFERENCES pipelines (id) ON DELETE CASCADE,
	CONSTRAINT fk_pipeline_jobs_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_pipeline_jobs_erased_by_id FOREIGN KEY(erased_by_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

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
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	pipeline_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	value TEXT NOT NULL,
	variable_type TEXT DEFAULT 'env_var' NOT NULL,
	raw INTEGER DEFAULT FALSE NOT NULL,
	CONSTRAINT fk_pipeline_variables_pipeline_id FOREIGN KEY(pipeline_id) REFERENCES pipelines (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_pipeline_variables_pipeline_id_key ON pipeline_variables (pipeline_id, "key");

CREATE TABLE commit_statuses (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	pipeline_id INTEGER NOT NULL,
	sha TEXT NOT NULL,
	ref TEXT NOT NULL,
	tag INTEGER DEFAULT FALSE NOT NULL,
	name TEXT NOT NULL,
	state TEXT NOT NULL,
	target_url TEXT,
	description TEXT,
	coverage TEXT,
	author_id INTEGER,
	retried INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	started_at TEXT,
	finished_at TEXT,
	CONSTRAINT fk_commit_statuses_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_commit_statuses_pipeline_id FOREIGN KEY(pipeline_id) REFERENCES pipelines (id) ON DELETE CASCADE,
	CONSTRAINT fk_commit_statuses_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_commit_statuses_author_id ON commit_statuses (author_id) WHERE author_id IS NOT NULL;

CREATE INDEX ix_commit_statuses_pipeline_id ON commit_statuses (pipeline_id);

CREATE INDEX ix_commit_statuses_project_id_sha_id ON commit_statuses (project_id, sha, id);

CREATE UNIQUE INDEX ix_commit_statuses_standing ON commit_statuses (project_id, sha, ref, tag, name) WHERE NOT retried;

CREATE TABLE job_artifacts (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	job_id INTEGER NOT NULL,
	file_type TEXT NOT NULL,
	file_format TEXT NOT NULL,
	filename TEXT NOT NULL,
	size INTEGER NOT NULL,
	sha256 TEXT NOT NULL,
	file TEXT,
	expire_at TEXT,
	created_at TEXT NOT NULL,
	CONSTRAINT fk_job_artifacts_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_job_artifacts_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_job_artifacts_expire_at ON job_artifacts (expire_at) WHERE expire_at IS NOT NULL;

CREATE UNIQUE INDEX ix_job_artifacts_file ON job_artifacts (file);

CREATE UNIQUE INDEX ix_job_artifacts_job_id_file_type ON job_artifacts (job_id, file_type);

CREATE INDEX ix_job_artifacts_project_id_id ON job_artifacts (project_id, id);

CREATE TABLE deployments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	iid INTEGER NOT NULL,
	environment_id INTEGER NOT NULL,
	job_id INTEGER,
	user_id INTEGER,
	ref TEXT NOT NULL,
	tag INTEGER DEFAULT FALSE NOT NULL,
	sha TEXT NOT NULL,
	on_stop TEXT,
	status TEXT DEFAULT 'success' NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_deployments_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_deployments_environment_id FOREIGN KEY(environment_id) REFERENCES environments (id) ON DELETE CASCADE,
	CONSTRAINT fk_deployments_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE SET NULL,
	CONSTRAINT fk_deployments_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_deployments_environment_id_id ON deployments (environment_id, id);

CREATE UNIQUE INDEX ix_deployments_job_id ON deployments (job_id) WHERE job_id IS NOT NULL;

CREATE INDEX ix_deployments_project_id_id ON deployments (project_id, id);

CREATE UNIQUE INDEX ix_deployments_project_id_iid ON deployments (project_id, iid);

CREATE INDEX ix_deployments_user_id ON deployments (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE job_traces (
	job_id INTEGER NOT NULL,
	size INTEGER DEFAULT 0 NOT NULL,
	secrets TEXT NOT NULL,
	held TEXT,
	CONSTRAINT pk_job_traces PRIMARY KEY (job_id),
	CONSTRAINT fk_job_traces_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE job_trace_chunks (
	job_id INTEGER NOT NULL,
	start INTEGER NOT NULL,
	data BLOB NOT NULL,
	CONSTRAINT pk_job_trace_chunks PRIMARY KEY (job_id, start),
	CONSTRAINT fk_job_trace_chunks_job_id FOREIGN KEY(job_id) REFERENCES pipeline_jobs (id) ON DELETE CASCADE
)
 STRICT;

CREATE TRIGGER document_epochs_users_username AFTER UPDATE OF username, name, state, avatar, deleted_at ON users WHEN (OLD.username, OLD.name, OLD.state, OLD.avatar, OLD.deleted_at) IS NOT (NEW.username, NEW.name, NEW.state, NEW.avatar, NEW.deleted_at) BEGIN INSERT INTO document_epochs (id, n) VALUES (0, 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

CREATE TABLE event_counts (author_id INTEGER NOT NULL, project_id INTEGER NOT NULL, day TEXT NOT NULL, kind TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_event_counts PRIMARY KEY (author_id, project_id, day, kind, part)) STRICT, WITHOUT ROWID;

CREATE TRIGGER event_counts_events_inserted AFTER INSERT ON events WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN 'issue' THEN CASE WHEN NEW.confidential THEN 'confidential issue' ELSE 'issue' END WHEN 'merge_request' THEN 'merge request' WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' WHEN 'note' THEN (SELECT CASE note.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = note.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = note.noteable_id) END FROM notes note WHERE note.id = NEW.subject_id) ELSE 'project' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND about.part IS NOT NULL ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_events_updated AFTER UPDATE OF created_at ON events WHEN (OLD.created_at) IS NOT (NEW.created_at) BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT OLD.author_id * whose.own, OLD.project_id, substr(OLD.created_at, 1, 10), OLD.kind, about.part, -1 FROM (SELECT CASE OLD.subject_kind WHEN 'issue' THEN CASE WHEN OLD.confidential THEN 'confidential issue' ELSE 'issue' END WHEN 'merge_request' THEN 'merge request' WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' WHEN 'note' THEN (SELECT CASE note.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = note.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = note.noteable_id) END FROM notes note WHERE note.id = OLD.subject_id) ELSE 'project' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.project_id IS NOT NULL AND OLD.author_id IS NOT NULL AND OLD.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND about.part IS NOT NULL ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT NEW.author_id * whose.own, NEW.project_id, substr(NEW.created_at, 1, 10), NEW.kind, about.part, 1 FROM (SELECT CASE NEW.subject_kind WHEN 'issue' THEN CASE WHEN NEW.confidential THEN 'confidential issue' ELSE 'issue' END WHEN 'merge_request' THEN 'merge request' WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' WHEN 'note' THEN (SELECT CASE note.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = note.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = note.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = note.noteable_id) END FROM notes note WHERE note.id = NEW.subject_id) ELSE 'project' END AS part) about CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND about.part IS NOT NULL ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_notes_deleted BEFORE DELETE ON notes WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, about.part, -1 FROM (SELECT CASE OLD.noteable_kind WHEN 'commit' THEN 'code' WHEN 'issue' THEN (SELECT CASE WHEN i.confidential THEN 'confidential issue' ELSE 'issue' END FROM issues i WHERE i.id = OLD.noteable_id AND i.deleted_at IS NULL) WHEN 'merge_request' THEN (SELECT 'merge request' FROM merge_requests mr WHERE mr.id = OLD.noteable_id) WHEN 'snippet' THEN (SELECT s.visibility || ' snippet' FROM snippets s WHERE s.id = OLD.noteable_id) END AS part) about CROSS JOIN events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND event.subject_kind = 'note' AND event.subject_id = OLD.id AND NOT OLD.system AND about.part IS NOT NULL AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_issues_updated AFTER UPDATE OF confidential, deleted_at ON issues WHEN (OLD.confidential, OLD.deleted_at) IS NOT (NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN 'confidential issue' ELSE 'issue' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'issue' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'issue' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN NEW.confidential THEN 'confidential issue' ELSE 'issue' END, 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND NEW.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'issue' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'issue' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, CASE WHEN OLD.confidential THEN 'confidential issue' ELSE 'issue' END, -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND OLD.deleted_at IS NULL AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'issue' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'issue' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_merge_requests_deleted BEFORE DELETE ON merge_requests WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, 'merge request', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'merge_request' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'merge_request' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_snippets_updated AFTER UPDATE OF visibility ON snippets WHEN (OLD.visibility) IS NOT (NEW.visibility) BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || ' snippet', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'snippet' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'snippet' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, NEW.visibility || ' snippet', 1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE TRUE AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'snippet' AND e.subject_id = NEW.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'snippet' AND n.noteable_id = NEW.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_snippets_deleted BEFORE DELETE ON snippets WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT event.author_id * whose.own, event.project_id, substr(event.created_at, 1, 10), event.kind, OLD.visibility || ' snippet', -1 FROM events event CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = event.project_id) AND TRUE AND event.id IN (SELECT e.id FROM events e WHERE e.subject_kind = 'snippet' AND e.subject_id = OLD.id UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id WHERE n.noteable_kind = 'snippet' AND n.noteable_id = OLD.id) AND event.project_id IS NOT NULL AND event.author_id IS NOT NULL AND event.kind IN ('issue.created', 'issue.closed', 'issue.reopened', 'merge_request.created', 'merge_request.closed', 'merge_request.merged', 'merge_request.reopened', 'note.created', 'milestone.created', 'milestone.closed', 'milestone.activated', 'milestone.deleted', 'project.created', 'member.added', 'member.removed', 'repository.pushed', 'wiki_page.created', 'wiki_page.updated', 'wiki_page.deleted') AND EXISTS (SELECT 1 FROM users u WHERE u.id = event.author_id) ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_users_deleted BEFORE DELETE ON users WHEN TRUE BEGIN INSERT INTO event_counts (author_id, project_id, day, kind, part, n) SELECT 0, c.project_id, c.day, c.kind, c.part, -c.n FROM event_counts c WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = c.project_id) AND c.author_id = OLD.id ON CONFLICT (author_id, project_id, day, kind, part) DO UPDATE SET n = event_counts.n + excluded.n; END;

CREATE TRIGGER event_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM event_counts WHERE project_id = OLD.id AND author_id IN (SELECT 0 UNION SELECT e.author_id FROM events e WHERE e.project_id = OLD.id); END;

CREATE TRIGGER event_counts_of_users AFTER DELETE ON users WHEN TRUE BEGIN DELETE FROM event_counts WHERE author_id = OLD.id AND TRUE; END;

CREATE TABLE iids (
    owner_kind TEXT NOT NULL,
    owner_id INTEGER NOT NULL,
    noun TEXT NOT NULL,
    last INTEGER NOT NULL,
    CONSTRAINT pk_iids PRIMARY KEY (owner_kind, owner_id, noun)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_epochs (id INTEGER NOT NULL PRIMARY KEY, n INTEGER NOT NULL) STRICT;

CREATE TABLE epic_counts (group_id INTEGER NOT NULL, visibility TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_epic_counts PRIMARY KEY (group_id, visibility)) STRICT, WITHOUT ROWID;

CREATE TRIGGER epic_counts_epics_inserted AFTER INSERT ON epics WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, g.visibility, 1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE TRUE AND g.id = NEW.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END;

CREATE TRIGGER epic_counts_epics_deleted BEFORE DELETE ON epics WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, g.visibility, -1 FROM groups g JOIN group_tree t ON t.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = t.ancestor_id) AND g.id = OLD.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END;

CREATE TRIGGER epic_counts_groups_updated AFTER UPDATE OF visibility ON groups WHEN (OLD.visibility) IS NOT (NEW.visibility) BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, OLD.visibility, -1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = OLD.id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, NEW.visibility, 1 FROM group_tree t JOIN epics e ON e.group_id = t.group_id WHERE TRUE AND t.group_id = NEW.id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END;

CREATE TRIGGER epic_counts_group_tree_inserted AFTER INSERT ON group_tree WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT NEW.ancestor_id, g.visibility, 1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE TRUE AND g.id = NEW.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END;

CREATE TRIGGER epic_counts_group_tree_deleted BEFORE DELETE ON group_tree WHEN TRUE BEGIN INSERT INTO epic_counts (group_id, visibility, n) SELECT OLD.ancestor_id, g.visibility, -1 FROM groups g JOIN epics e ON e.group_id = g.id WHERE EXISTS (SELECT 1 FROM groups o WHERE o.id = OLD.ancestor_id) AND g.id = OLD.group_id ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n; END;

CREATE TRIGGER epic_counts_of_groups AFTER DELETE ON groups WHEN TRUE BEGIN DELETE FROM epic_counts WHERE group_id = OLD.id AND TRUE; END;

CREATE TABLE waiting_texts (name TEXT NOT NULL, id INTEGER NOT NULL, CONSTRAINT pk_waiting_texts PRIMARY KEY (name, id)) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE issue_texts_grams USING fts5 (title_folded, description_folded, content='issue_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none);

INSERT INTO issue_texts_grams (issue_texts_grams, rank) VALUES ('pgsz', 1024);

CREATE TRIGGER issue_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'issue_texts' BEGIN INSERT INTO issue_texts_grams (rowid, title_folded, description_folded) SELECT id, title_folded, description_folded FROM issue_texts WHERE id = OLD.id; END;

CREATE TRIGGER issue_texts_grams_come AFTER INSERT ON issue_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('issue_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER issue_texts_grams_gone AFTER DELETE ON issue_texts BEGIN INSERT INTO issue_texts_grams (issue_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'issue_texts' AND waiting.id = OLD.id); END;

CREATE TRIGGER issue_texts_grams_changed AFTER UPDATE OF title_folded, description_folded ON issue_texts BEGIN INSERT INTO issue_texts_grams (issue_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'issue_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('issue_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER issue_texts_come AFTER INSERT ON issues BEGIN INSERT INTO issue_texts (id, project_id, author_id, state, confidential, created_at, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.state, NEW.confidential, NEW.created_at, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); END;

CREATE TRIGGER issue_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON issues BEGIN UPDATE issue_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; END;

CREATE TRIGGER issue_texts_stand AFTER UPDATE OF project_id, author_id, state, confidential, created_at, deleted_at ON issues BEGIN DELETE FROM issue_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE issue_texts SET project_id = NEW.project_id, author_id = NEW.author_id, state = NEW.state, confidential = NEW.confidential, created_at = NEW.created_at WHERE id = NEW.id; END;

CREATE TRIGGER issue_assignees_copied AFTER INSERT ON issue_assignees WHEN TRUE BEGIN UPDATE issue_assignees SET (project_id, created_at) = (SELECT x.project_id, x.created_at FROM issues x WHERE x.id = NEW.issue_id) WHERE rowid = NEW.rowid; END;

CREATE TRIGGER issue_assignees_copied_again AFTER UPDATE OF project_id, created_at ON issues WHEN (OLD.project_id, OLD.created_at) IS NOT (NEW.project_id, NEW.created_at) BEGIN UPDATE issue_assignees SET (project_id, created_at) = (NEW.project_id, NEW.created_at) WHERE issue_id = NEW.id; END;

CREATE TABLE issue_counts (project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_counts PRIMARY KEY (project_id, state, confidential)) STRICT, WITHOUT ROWID;

CREATE TRIGGER issue_counts_issues_inserted AFTER INSERT ON issues WHEN TRUE BEGIN INSERT INTO issue_counts (project_id, state, confidential, n) SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; END;

CREATE TRIGGER issue_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues WHEN (OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_counts (project_id, state, confidential, n) SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; INSERT INTO issue_counts (project_id, state, confidential, n) SELECT NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; END;

CREATE TRIGGER issue_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_counts (project_id, state, confidential, n) SELECT OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND OLD.deleted_at IS NULL ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n + excluded.n; END;

CREATE TRIGGER issue_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM issue_counts WHERE project_id = OLD.id AND TRUE; END;

CREATE TABLE issue_author_counts (author_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_author_counts PRIMARY KEY (author_id, project_id, state, confidential)) STRICT, WITHOUT ROWID;

CREATE TRIGGER issue_author_counts_issues_inserted AFTER INSERT ON issues WHEN TRUE BEGIN INSERT INTO issue_author_counts (author_id, project_id, state, confidential, n) SELECT NEW.author_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (author_id, project_id, state, confidential) DO UPDATE SET n = issue_author_counts.n + excluded.n; END;

CREATE TRIGGER issue_author_counts_issues_updated AFTER UPDATE OF author_id, project_id, state, confidential, deleted_at ON issues WHEN (OLD.author_id, OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.author_id, NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_author_counts (author_id, project_id, state, confidential, n) SELECT OLD.author_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL ON CONFLICT (author_id, project_id, state, confidential) DO UPDATE SET n = issue_author_counts.n + excluded.n; INSERT INTO issue_author_counts (author_id, project_id, state, confidential, n) SELECT NEW.author_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (author_id, project_id, state, confidential) DO UPDATE SET n = issue_author_counts.n + excluded.n; END;

CREATE TRIGGER issue_author_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_author_counts (author_id, project_id, state, confidential, n) SELECT OLD.author_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM users o WHERE o.id = OLD.author_id) AND OLD.deleted_at IS NULL ON CONFLICT (author_id, project_id, state, confidential) DO UPDATE SET n = issue_author_counts.n + excluded.n; END;

CREATE TRIGGER issue_author_counts_of_users AFTER DELETE ON users WHEN TRUE BEGIN DELETE FROM issue_author_counts WHERE author_id = OLD.id AND TRUE; END;

CREATE TABLE issue_milestone_counts (milestone_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_milestone_counts PRIMARY KEY (milestone_id, project_id, state, confidential)) STRICT, WITHOUT ROWID;

CREATE TRIGGER issue_milestone_counts_issues_inserted AFTER INSERT ON issues WHEN TRUE BEGIN INSERT INTO issue_milestone_counts (milestone_id, project_id, state, confidential, n) SELECT NEW.milestone_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = NEW.milestone_id) ON CONFLICT (milestone_id, project_id, state, confidential) DO UPDATE SET n = issue_milestone_counts.n + excluded.n; END;

CREATE TRIGGER issue_milestone_counts_issues_updated AFTER UPDATE OF milestone_id, project_id, state, confidential, deleted_at ON issues WHEN (OLD.milestone_id, OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.milestone_id, NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_milestone_counts (milestone_id, project_id, state, confidential, n) SELECT OLD.milestone_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE TRUE AND OLD.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = OLD.milestone_id) ON CONFLICT (milestone_id, project_id, state, confidential) DO UPDATE SET n = issue_milestone_counts.n + excluded.n; INSERT INTO issue_milestone_counts (milestone_id, project_id, state, confidential, n) SELECT NEW.milestone_id, NEW.project_id, NEW.state, NEW.confidential, 1 WHERE TRUE AND NEW.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = NEW.milestone_id) ON CONFLICT (milestone_id, project_id, state, confidential) DO UPDATE SET n = issue_milestone_counts.n + excluded.n; END;

CREATE TRIGGER issue_milestone_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_milestone_counts (milestone_id, project_id, state, confidential, n) SELECT OLD.milestone_id, OLD.project_id, OLD.state, OLD.confidential, -1 WHERE EXISTS (SELECT 1 FROM milestones o WHERE o.id = OLD.milestone_id) AND OLD.deleted_at IS NULL AND EXISTS (SELECT 1 FROM milestones o WHERE o.id = OLD.milestone_id) ON CONFLICT (milestone_id, project_id, state, confidential) DO UPDATE SET n = issue_milestone_counts.n + excluded.n; END;

CREATE TRIGGER issue_milestone_counts_of_milestones AFTER DELETE ON milestones WHEN TRUE BEGIN DELETE FROM issue_milestone_counts WHERE milestone_id = OLD.id AND TRUE; END;

CREATE TABLE issue_assignee_counts (user_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_assignee_counts PRIMARY KEY (user_id, project_id, state, confidential)) STRICT, WITHOUT ROWID;

CREATE TRIGGER issue_assignee_counts_issue_assignees_inserted AFTER INSERT ON issue_assignees WHEN TRUE BEGIN INSERT INTO issue_assignee_counts (user_id, project_id, state, confidential, n) SELECT NEW.user_id, x.project_id, x.state, x.confidential, 1 FROM issues x WHERE TRUE AND x.id = NEW.issue_id AND x.deleted_at IS NULL ON CONFLICT (user_id, project_id, state, confidential) DO UPDATE SET n = issue_assignee_counts.n + excluded.n; END;

CREATE TRIGGER issue_assignee_counts_issue_assignees_deleted BEFORE DELETE ON issue_assignees WHEN TRUE BEGIN INSERT INTO issue_assignee_counts (user_id, project_id, state, confidential, n) SELECT OLD.user_id, x.project_id, x.state, x.confidential, -1 FROM issues x WHERE EXISTS (SELECT 1 FROM users o WHERE o.id = OLD.user_id) AND x.id = OLD.issue_id AND x.deleted_at IS NULL ON CONFLICT (user_id, project_id, state, confidential) DO UPDATE SET n = issue_assignee_counts.n + excluded.n; END;

CREATE TRIGGER issue_assignee_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues WHEN (OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_assignee_counts (user_id, project_id, state, confidential, n) SELECT x.user_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_assignees x WHERE TRUE AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (user_id, project_id, state, confidential) DO UPDATE SET n = issue_assignee_counts.n + excluded.n; INSERT INTO issue_assignee_counts (user_id, project_id, state, confidential, n) SELECT x.user_id, NEW.project_id, NEW.state, NEW.confidential, 1 FROM issue_assignees x WHERE TRUE AND x.issue_id = NEW.id AND NEW.deleted_at IS NULL ON CONFLICT (user_id, project_id, state, confidential) DO UPDATE SET n = issue_assignee_counts.n + excluded.n; END;

CREATE TRIGGER issue_assignee_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_assignee_counts (user_id, project_id, state, confidential, n) SELECT x.user_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_assignees x WHERE EXISTS (SELECT 1 FROM users o WHERE o.id = x.user_id) AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (user_id, project_id, state, confidential) DO UPDATE SET n = issue_assignee_counts.n + excluded.n; END;

CREATE TRIGGER issue_assignee_counts_of_users AFTER DELETE ON users WHEN TRUE BEGIN DELETE FROM issue_assignee_counts WHERE user_id = OLD.id AND TRUE; END;

CREATE TABLE issue_documents (
    id INTEGER NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    shape INTEGER,
    shared_epoch INTEGER,
    project_epoch INTEGER,
    body TEXT
) STRICT;

CREATE TRIGGER issue_documents_changed AFTER UPDATE ON issues WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER issue_documents_gone AFTER DELETE ON issues WHEN TRUE BEGIN DELETE FROM issue_documents WHERE id = OLD.id; END;

CREATE TRIGGER issue_documents_issue_labels_come AFTER INSERT ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER issue_documents_issue_labels_gone AFTER DELETE ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER issue_documents_issue_labels_changed AFTER UPDATE OF issue_id, label_id ON issue_labels WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER issue_documents_issue_assignees_come AFTER INSERT ON issue_assignees WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER issue_documents_issue_assignees_gone AFTER DELETE ON issue_assignees WHEN TRUE BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER issue_documents_issue_assignees_changed AFTER UPDATE OF issue_id, user_id ON issue_assignees WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO issue_documents (id, version) SELECT issues.id, 1 FROM issues WHERE issues.id = OLD.issue_id ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; INSERT INTO issue_documents (id, version) VALUES (NEW.issue_id, 1) ON CONFLICT (id) DO UPDATE SET version = issue_documents.version + 1, body = NULL; END;

CREATE TRIGGER document_epochs_labels_title AFTER UPDATE OF title ON labels WHEN (OLD.title) IS NOT (NEW.title) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

CREATE TRIGGER issue_labels_copied AFTER INSERT ON issue_labels WHEN TRUE BEGIN UPDATE issue_labels SET (project_id, created_at) = (SELECT x.project_id, x.created_at FROM issues x WHERE x.id = NEW.issue_id) WHERE rowid = NEW.rowid; END;

CREATE TRIGGER issue_labels_copied_again AFTER UPDATE OF project_id, created_at ON issues WHEN (OLD.project_id, OLD.created_at) IS NOT (NEW.project_id, NEW.created_at) BEGIN UPDATE issue_labels SET (project_id, created_at) = (NEW.project_id, NEW.created_at) WHERE issue_id = NEW.id; END;

CREATE TABLE issue_label_counts (label_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, confidential INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_issue_label_counts PRIMARY KEY (label_id, project_id, state, confidential)) STRICT, WITHOUT ROWID;

CREATE TRIGGER issue_label_counts_issue_labels_inserted AFTER INSERT ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT NEW.label_id, x.project_id, x.state, x.confidential, 1 FROM issues x WHERE TRUE AND x.id = NEW.issue_id AND x.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END;

CREATE TRIGGER issue_label_counts_issue_labels_deleted BEFORE DELETE ON issue_labels WHEN TRUE BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT OLD.label_id, x.project_id, x.state, x.confidential, -1 FROM issues x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND x.id = OLD.issue_id AND x.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END;

CREATE TRIGGER issue_label_counts_issues_updated AFTER UPDATE OF project_id, state, confidential, deleted_at ON issues WHEN (OLD.project_id, OLD.state, OLD.confidential, OLD.deleted_at) IS NOT (NEW.project_id, NEW.state, NEW.confidential, NEW.deleted_at) BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT x.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels x WHERE TRUE AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT x.label_id, NEW.project_id, NEW.state, NEW.confidential, 1 FROM issue_labels x WHERE TRUE AND x.issue_id = NEW.id AND NEW.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END;

CREATE TRIGGER issue_label_counts_issues_deleted BEFORE DELETE ON issues WHEN TRUE BEGIN INSERT INTO issue_label_counts (label_id, project_id, state, confidential, n) SELECT x.label_id, OLD.project_id, OLD.state, OLD.confidential, -1 FROM issue_labels x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = x.label_id) AND x.issue_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (label_id, project_id, state, confidential) DO UPDATE SET n = issue_label_counts.n + excluded.n; END;

CREATE TRIGGER issue_label_counts_of_labels AFTER DELETE ON labels WHEN TRUE BEGIN DELETE FROM issue_label_counts WHERE label_id = OLD.id AND TRUE; END;

CREATE TRIGGER document_epochs_milestones_iid AFTER UPDATE OF iid, project_id, group_id, title, description, state, start_on, due_on, created_at, updated_at ON milestones WHEN (OLD.iid, OLD.project_id, OLD.group_id, OLD.title, OLD.description, OLD.state, OLD.start_on, OLD.due_on, OLD.created_at, OLD.updated_at) IS NOT (NEW.iid, NEW.project_id, NEW.group_id, NEW.title, NEW.description, NEW.state, NEW.start_on, NEW.due_on, NEW.created_at, NEW.updated_at) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.project_id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

CREATE TRIGGER document_epochs_routes_path AFTER UPDATE OF path ON routes WHEN (OLD.path) IS NOT (NEW.path) BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT p.id FROM group_tree t JOIN projects p ON p.namespace_id = t.group_id
        WHERE t.ancestor_id = OLD.namespace_id
        AND EXISTS (SELECT 1 FROM milestones ms WHERE ms.group_id = OLD.namespace_id)) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

CREATE TABLE note_counts (noteable_kind TEXT NOT NULL, noteable_id INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_note_counts PRIMARY KEY (noteable_kind, noteable_id)) STRICT, WITHOUT ROWID;

CREATE TRIGGER note_counts_notes_inserted AFTER INSERT ON notes WHEN TRUE BEGIN INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; END;

CREATE TRIGGER note_counts_notes_updated AFTER UPDATE OF noteable_kind, noteable_id ON notes WHEN (OLD.noteable_kind, OLD.noteable_id) IS NOT (NEW.noteable_kind, NEW.noteable_id) BEGIN INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT NEW.noteable_kind, NEW.noteable_id, 1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; END;

CREATE TRIGGER note_counts_notes_deleted BEFORE DELETE ON notes WHEN TRUE BEGIN INSERT INTO note_counts (noteable_kind, noteable_id, n) SELECT OLD.noteable_kind, OLD.noteable_id, -1 WHERE TRUE AND TRUE ON CONFLICT (noteable_kind, noteable_id) DO UPDATE SET n = note_counts.n + excluded.n; END;

CREATE VIRTUAL TABLE note_texts_grams USING fts5 (body_folded, content='note_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none);

INSERT INTO note_texts_grams (note_texts_grams, rank) VALUES ('pgsz', 1024);

CREATE TRIGGER note_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'note_texts' BEGIN INSERT INTO note_texts_grams (rowid, body_folded) SELECT id, body_folded FROM note_texts WHERE id = OLD.id; END;

CREATE TRIGGER note_texts_grams_come AFTER INSERT ON note_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('note_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER note_texts_grams_gone AFTER DELETE ON note_texts BEGIN INSERT INTO note_texts_grams (note_texts_grams, rowid, body_folded) SELECT 'delete', OLD.id, OLD.body_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'note_texts' AND waiting.id = OLD.id); END;

CREATE TRIGGER note_texts_grams_changed AFTER UPDATE OF body_folded ON note_texts BEGIN INSERT INTO note_texts_grams (note_texts_grams, rowid, body_folded) SELECT 'delete', OLD.id, OLD.body_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'note_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('note_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER note_texts_come AFTER INSERT ON notes BEGIN INSERT INTO note_texts (id, noteable_kind, noteable_id, body_folded) SELECT NEW.id, NEW.noteable_kind, NEW.noteable_id, NEW.body_folded WHERE NOT (NEW.system); END;

CREATE TRIGGER note_texts_changed_text AFTER UPDATE OF body_folded ON notes BEGIN UPDATE note_texts SET body_folded = NEW.body_folded WHERE id = NEW.id; END;

CREATE TRIGGER note_texts_stand AFTER UPDATE OF noteable_kind, noteable_id, system ON notes BEGIN DELETE FROM note_texts WHERE id = NEW.id AND NEW.system; UPDATE note_texts SET noteable_kind = NEW.noteable_kind, noteable_id = NEW.noteable_id WHERE id = NEW.id; END;

CREATE TABLE merge_request_counts (project_id INTEGER NOT NULL, state TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_merge_request_counts PRIMARY KEY (project_id, state)) STRICT, WITHOUT ROWID;

CREATE TRIGGER merge_request_counts_merge_requests_inserted AFTER INSERT ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_counts (project_id, state, n) SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests WHEN (OLD.project_id, OLD.state) IS NOT (NEW.project_id, NEW.state) BEGIN INSERT INTO merge_request_counts (project_id, state, n) SELECT OLD.project_id, OLD.state, -1 WHERE TRUE AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; INSERT INTO merge_request_counts (project_id, state, n) SELECT NEW.project_id, NEW.state, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_counts_merge_requests_deleted BEFORE DELETE ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_counts (project_id, state, n) SELECT OLD.project_id, OLD.state, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE ON CONFLICT (project_id, state) DO UPDATE SET n = merge_request_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM merge_request_counts WHERE project_id = OLD.id AND TRUE; END;

CREATE VIRTUAL TABLE merge_request_texts_grams USING fts5 (title_folded, description_folded, content='merge_request_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none);

INSERT INTO merge_request_texts_grams (merge_request_texts_grams, rank) VALUES ('pgsz', 1024);

CREATE TRIGGER merge_request_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'merge_request_texts' BEGIN INSERT INTO merge_request_texts_grams (rowid, title_folded, description_folded) SELECT id, title_folded, description_folded FROM merge_request_texts WHERE id = OLD.id; END;

CREATE TRIGGER merge_request_texts_grams_come AFTER INSERT ON merge_request_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('merge_request_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER merge_request_texts_grams_gone AFTER DELETE ON merge_request_texts BEGIN INSERT INTO merge_request_texts_grams (merge_request_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'merge_request_texts' AND waiting.id = OLD.id); END;

CREATE TRIGGER merge_request_texts_grams_changed AFTER UPDATE OF title_folded, description_folded ON merge_request_texts BEGIN INSERT INTO merge_request_texts_grams (merge_request_texts_grams, rowid, title_folded, description_folded) SELECT 'delete', OLD.id, OLD.title_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'merge_request_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('merge_request_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER merge_request_texts_come AFTER INSERT ON merge_requests BEGIN INSERT INTO merge_request_texts (id, project_id, author_id, title_folded, description_folded) SELECT NEW.id, NEW.project_id, NEW.author_id, NEW.title_folded, NEW.description_folded WHERE NOT (NEW.id IS NULL); END;

CREATE TRIGGER merge_request_texts_changed_text AFTER UPDATE OF title_folded, description_folded ON merge_requests BEGIN UPDATE merge_request_texts SET title_folded = NEW.title_folded, description_folded = NEW.description_folded WHERE id = NEW.id; END;

CREATE TRIGGER merge_request_texts_stand AFTER UPDATE OF project_id, author_id, id ON merge_requests BEGIN DELETE FROM merge_request_texts WHERE id = NEW.id AND NEW.id IS NULL; UPDATE merge_request_texts SET project_id = NEW.project_id, author_id = NEW.author_id WHERE id = NEW.id; END;

CREATE TABLE merge_request_label_counts (label_id INTEGER NOT NULL, project_id INTEGER NOT NULL, state TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_merge_request_label_counts PRIMARY KEY (label_id, project_id, state)) STRICT, WITHOUT ROWID;

CREATE TRIGGER merge_request_label_counts_merge_request_labels_inserted AFTER INSERT ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT NEW.label_id, x.project_id, x.state, 1 FROM merge_requests x WHERE TRUE AND x.id = NEW.merge_request_id AND TRUE ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_label_counts_merge_request_labels_deleted BEFORE DELETE ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT OLD.label_id, x.project_id, x.state, -1 FROM merge_requests x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = OLD.label_id) AND x.id = OLD.merge_request_id AND TRUE ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_label_counts_merge_requests_updated AFTER UPDATE OF project_id, state ON merge_requests WHEN (OLD.project_id, OLD.state) IS NOT (NEW.project_id, NEW.state) BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT x.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels x WHERE TRUE AND x.merge_request_id = OLD.id AND TRUE ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT x.label_id, NEW.project_id, NEW.state, 1 FROM merge_request_labels x WHERE TRUE AND x.merge_request_id = NEW.id AND TRUE ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_label_counts_merge_requests_deleted BEFORE DELETE ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_label_counts (label_id, project_id, state, n) SELECT x.label_id, OLD.project_id, OLD.state, -1 FROM merge_request_labels x WHERE EXISTS (SELECT 1 FROM labels o WHERE o.id = x.label_id) AND x.merge_request_id = OLD.id AND TRUE ON CONFLICT (label_id, project_id, state) DO UPDATE SET n = merge_request_label_counts.n + excluded.n; END;

CREATE TRIGGER merge_request_label_counts_of_labels AFTER DELETE ON labels WHEN TRUE BEGIN DELETE FROM merge_request_label_counts WHERE label_id = OLD.id AND TRUE; END;

CREATE TABLE merge_request_documents (
    id INTEGER NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    shape INTEGER,
    shared_epoch INTEGER,
    project_epoch INTEGER,
    body TEXT
) STRICT;

CREATE TRIGGER merge_request_documents_changed AFTER UPDATE ON merge_requests WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_gone AFTER DELETE ON merge_requests WHEN TRUE BEGIN DELETE FROM merge_request_documents WHERE id = OLD.id; END;

CREATE TRIGGER merge_request_documents_merge_request_labels_come AFTER INSERT ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_labels_gone AFTER DELETE ON merge_request_labels WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_labels_changed AFTER UPDATE ON merge_request_labels WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_assignees_come AFTER INSERT ON merge_request_assignees WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_assignees_gone AFTER DELETE ON merge_request_assignees WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_assignees_changed AFTER UPDATE ON merge_request_assignees WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_reviewers_come AFTER INSERT ON merge_request_reviewers WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_reviewers_gone AFTER DELETE ON merge_request_reviewers WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_reviewers_changed AFTER UPDATE ON merge_request_reviewers WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_versions_come AFTER INSERT ON merge_request_versions WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_versions_gone AFTER DELETE ON merge_request_versions WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_merge_request_versions_changed AFTER UPDATE OF merge_request_id, head_sha, state ON merge_request_versions WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_approvals_come AFTER INSERT ON approvals WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_approvals_gone AFTER DELETE ON approvals WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_approvals_changed AFTER UPDATE ON approvals WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.merge_request_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.merge_request_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_awards_come AFTER INSERT ON awards WHEN NEW.subject_kind = 'merge_request' BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_awards_gone AFTER DELETE ON awards WHEN OLD.subject_kind = 'merge_request' BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_awards_changed AFTER UPDATE ON awards WHEN (OLD.subject_kind = 'merge_request') OR (NEW.subject_kind = 'merge_request') BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.subject_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.subject_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_notes_come AFTER INSERT ON notes WHEN NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual BEGIN INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_notes_gone AFTER DELETE ON notes WHEN OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_notes_changed AFTER UPDATE OF noteable_id, system, individual, resolved_at ON notes WHEN (OLD.noteable_kind = 'merge_request' AND NOT OLD.system AND NOT OLD.individual) OR (NEW.noteable_kind = 'merge_request' AND NOT NEW.system AND NOT NEW.individual) BEGIN INSERT INTO merge_request_documents (id, version) SELECT merge_requests.id, 1 FROM merge_requests WHERE merge_requests.id = OLD.noteable_id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) VALUES (NEW.noteable_id, 1) ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_pipelines_come AFTER INSERT ON pipelines WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = 'opened'
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_pipelines_gone AFTER DELETE ON pipelines WHEN TRUE BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = 'opened'
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER merge_request_documents_pipelines_changed AFTER UPDATE OF status ON pipelines WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = OLD.project_id AND mr.source_branch = OLD.ref AND mr.state = 'opened'
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; INSERT INTO merge_request_documents (id, version) SELECT shown.id, 1 FROM (SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = NEW.project_id AND mr.source_branch = NEW.ref AND mr.state = 'opened'
            AND p.only_allow_merge_if_pipeline_succeeds) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET version = merge_request_documents.version + 1, body = NULL; END;

CREATE TRIGGER document_epochs_projects_merge_method AFTER UPDATE OF merge_method, only_allow_merge_if_pipeline_succeeds, only_allow_merge_if_all_discussions_are_resolved, approvals_before_merge ON projects WHEN (OLD.merge_method, OLD.only_allow_merge_if_pipeline_succeeds, OLD.only_allow_merge_if_all_discussions_are_resolved, OLD.approvals_before_merge) IS NOT (NEW.merge_method, NEW.only_allow_merge_if_pipeline_succeeds, NEW.only_allow_merge_if_all_discussions_are_resolved, NEW.approvals_before_merge) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

CREATE TRIGGER document_epochs_projects_deleted_at AFTER UPDATE OF deleted_at ON projects WHEN (OLD.deleted_at) IS NOT (NEW.deleted_at) BEGIN INSERT INTO document_epochs (id, n) SELECT shown.id, 1 FROM (SELECT DISTINCT mr.project_id AS id FROM merge_requests mr
        WHERE mr.source_project_id = OLD.id AND mr.source_project_id <> mr.project_id) shown WHERE TRUE ORDER BY shown.id ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

CREATE TABLE member_counts (source_kind TEXT NOT NULL, source_id INTEGER NOT NULL, expires_on TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_member_counts PRIMARY KEY (source_kind, source_id, expires_on)) STRICT, WITHOUT ROWID;

CREATE TRIGGER member_counts_members_inserted AFTER INSERT ON members WHEN TRUE BEGIN INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; END;

CREATE TRIGGER member_counts_members_updated AFTER UPDATE OF source_kind, source_id, expires_on ON members WHEN (OLD.source_kind, OLD.source_id, OLD.expires_on) IS NOT (NEW.source_kind, NEW.source_id, NEW.expires_on) BEGIN INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT NEW.source_kind, NEW.source_id, NEW.expires_on, 1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; END;

CREATE TRIGGER member_counts_members_deleted BEFORE DELETE ON members WHEN TRUE BEGIN INSERT INTO member_counts (source_kind, source_id, expires_on, n) SELECT OLD.source_kind, OLD.source_id, OLD.expires_on, -1 WHERE TRUE AND TRUE ON CONFLICT (source_kind, source_id, expires_on) DO UPDATE SET n = member_counts.n + excluded.n; END;

CREATE VIRTUAL TABLE project_texts_grams USING fts5 (name_folded, path_folded, description_folded, content='project_texts', content_rowid='id', tokenize='trigram case_sensitive 1', detail=none);

INSERT INTO project_texts_grams (project_texts_grams, rank) VALUES ('pgsz', 1024);

CREATE TRIGGER project_texts_grams_filled AFTER DELETE ON waiting_texts WHEN OLD.name = 'project_texts' BEGIN INSERT INTO project_texts_grams (rowid, name_folded, path_folded, description_folded) SELECT id, name_folded, path_folded, description_folded FROM project_texts WHERE id = OLD.id; END;

CREATE TRIGGER project_texts_grams_come AFTER INSERT ON project_texts BEGIN INSERT INTO waiting_texts (name, id) VALUES ('project_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER project_texts_grams_gone AFTER DELETE ON project_texts BEGIN INSERT INTO project_texts_grams (project_texts_grams, rowid, name_folded, path_folded, description_folded) SELECT 'delete', OLD.id, OLD.name_folded, OLD.path_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'project_texts' AND waiting.id = OLD.id); END;

CREATE TRIGGER project_texts_grams_changed AFTER UPDATE OF name_folded, path_folded, description_folded ON project_texts BEGIN INSERT INTO project_texts_grams (project_texts_grams, rowid, name_folded, path_folded, description_folded) SELECT 'delete', OLD.id, OLD.name_folded, OLD.path_folded, OLD.description_folded WHERE NOT EXISTS (SELECT 1 FROM waiting_texts waiting WHERE waiting.name = 'project_texts' AND waiting.id = OLD.id); INSERT INTO waiting_texts (name, id) VALUES ('project_texts', NEW.id) ON CONFLICT DO NOTHING; END;

CREATE TRIGGER project_texts_come AFTER INSERT ON projects BEGIN INSERT INTO project_texts (id, namespace_id, name_folded, path_folded, description_folded) SELECT NEW.id, NEW.namespace_id, NEW.name_folded, NEW.path_folded, NEW.description_folded WHERE NOT (NEW.deleted_at IS NOT NULL); END;

CREATE TRIGGER project_texts_changed_text AFTER UPDATE OF name_folded, path_folded, description_folded ON projects BEGIN UPDATE project_texts SET name_folded = NEW.name_folded, path_folded = NEW.path_folded, description_folded = NEW.description_folded WHERE id = NEW.id; END;

CREATE TRIGGER project_texts_stand AFTER UPDATE OF namespace_id, deleted_at ON projects BEGIN DELETE FROM project_texts WHERE id = NEW.id AND NEW.deleted_at IS NOT NULL; UPDATE project_texts SET namespace_id = NEW.namespace_id WHERE id = NEW.id; END;

CREATE TABLE project_counts (namespace_id INTEGER NOT NULL, visibility TEXT NOT NULL, archived INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_project_counts PRIMARY KEY (namespace_id, visibility, archived)) STRICT, WITHOUT ROWID;

CREATE TRIGGER project_counts_projects_inserted AFTER INSERT ON projects WHEN TRUE BEGIN INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; END;

CREATE TRIGGER project_counts_projects_updated AFTER UPDATE OF namespace_id, visibility, archived, deleted_at ON projects WHEN (OLD.namespace_id, OLD.visibility, OLD.archived, OLD.deleted_at) IS NOT (NEW.namespace_id, NEW.visibility, NEW.archived, NEW.deleted_at) BEGIN INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE TRUE AND OLD.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT NEW.namespace_id, NEW.visibility, NEW.archived, 1 WHERE TRUE AND NEW.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; END;

CREATE TRIGGER project_counts_projects_deleted BEFORE DELETE ON projects WHEN TRUE BEGIN INSERT INTO project_counts (namespace_id, visibility, archived, n) SELECT OLD.namespace_id, OLD.visibility, OLD.archived, -1 WHERE EXISTS (SELECT 1 FROM namespaces o WHERE o.id = OLD.namespace_id) AND OLD.deleted_at IS NULL ON CONFLICT (namespace_id, visibility, archived) DO UPDATE SET n = project_counts.n + excluded.n; END;

CREATE TRIGGER project_counts_of_namespaces AFTER DELETE ON namespaces WHEN TRUE BEGIN DELETE FROM project_counts WHERE namespace_id = OLD.id AND TRUE; END;
