PRAGMA legacy_alter_table = ON;

CREATE TABLE pages_domains (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	domain TEXT NOT NULL, 
	certificate TEXT, 
	"key" TEXT, 
	subject TEXT, 
	expires_at TEXT, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_pages_domains_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_pages_domains_domain ON pages_domains (domain);

CREATE INDEX ix_pages_domains_project_id_id ON pages_domains (project_id, id);

CREATE TABLE services (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	slug TEXT NOT NULL, 
	active INTEGER DEFAULT FALSE NOT NULL, 
	properties TEXT NOT NULL, 
	secrets TEXT NOT NULL, 
	events TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_services_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_services_project_id_slug ON services (project_id, slug);

CREATE TABLE chat_accounts (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	user_id INTEGER NOT NULL, 
	service_id INTEGER NOT NULL, 
	team_id TEXT NOT NULL, 
	chat_id TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT fk_chat_accounts_service_id FOREIGN KEY(service_id) REFERENCES services (id) ON DELETE CASCADE, 
	CONSTRAINT fk_chat_accounts_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_chat_accounts_service_id_team_id_chat_id ON chat_accounts (service_id, team_id, chat_id);

CREATE INDEX ix_chat_accounts_user_id ON chat_accounts (user_id);

CREATE TABLE _alembic_tmp_hooks (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER, 
	group_id INTEGER, 
	url TEXT NOT NULL, 
	token TEXT, 
	enable_ssl_verification INTEGER DEFAULT (TRUE) NOT NULL, 
	push_events INTEGER DEFAULT (FALSE) NOT NULL, 
	tag_push_events INTEGER DEFAULT (FALSE) NOT NULL, 
	issues_events INTEGER DEFAULT (FALSE) NOT NULL, 
	confidential_issues_events INTEGER DEFAULT (FALSE) NOT NULL, 
	note_events INTEGER DEFAULT (FALSE) NOT NULL, 
	confidential_note_events INTEGER DEFAULT (FALSE) NOT NULL, 
	merge_requests_events INTEGER DEFAULT (FALSE) NOT NULL, 
	job_events INTEGER DEFAULT (FALSE) NOT NULL, 
	pipeline_events INTEGER DEFAULT (FALSE) NOT NULL, 
	wiki_page_events INTEGER DEFAULT (FALSE) NOT NULL, 
	repository_update_events INTEGER DEFAULT (FALSE) NOT NULL, 
	releases_events INTEGER DEFAULT (FALSE) NOT NULL, 
	deployment_events INTEGER DEFAULT (FALSE) NOT NULL, 
	name TEXT, 
	description TEXT, 
	push_events_branch_filter TEXT DEFAULT ('') NOT NULL, 
	custom_webhook_template TEXT, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	service_id INTEGER, 
	CONSTRAINT fk_hooks_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_hooks_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
	CONSTRAINT fk_hooks_service_id FOREIGN KEY(service_id) REFERENCES services (id) ON DELETE CASCADE
)
 STRICT;

INSERT INTO _alembic_tmp_hooks (id, project_id, group_id, url, token, enable_ssl_verification, push_events, tag_push_events, issues_events, confidential_issues_events, note_events, confidential_note_events, merge_requests_events, job_events, pipeline_events, wiki_page_events, repository_update_events, releases_events, deployment_events, name, description, push_events_branch_filter, custom_webhook_template, created_at, updated_at) SELECT hooks.id, hooks.project_id, hooks.group_id, hooks.url, hooks.token, hooks.enable_ssl_verification, hooks.push_events, hooks.tag_push_events, hooks.issues_events, hooks.confidential_issues_events, hooks.note_events, hooks.confidential_note_events, hooks.merge_requests_events, hooks.job_events, hooks.pipeline_events, hooks.wiki_page_events, hooks.repository_update_events, hooks.releases_events, hooks.deployment_events, hooks.name, hooks.description, hooks.push_events_branch_filter, hooks.custom_webhook_template, hooks.created_at, hooks.updated_at 
FROM hooks;

DROP TABLE hooks;

ALTER TABLE _alembic_tmp_hooks RENAME TO hooks;

CREATE INDEX ix_hooks_group_id_id ON hooks (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_hooks_of_the_instance ON hooks (id) WHERE project_id IS NULL AND group_id IS NULL;

CREATE INDEX ix_hooks_project_id_id ON hooks (project_id, id) WHERE project_id IS NOT NULL;

CREATE UNIQUE INDEX ix_hooks_service_id ON hooks (service_id) WHERE service_id IS NOT NULL;

PRAGMA legacy_alter_table = OFF;

