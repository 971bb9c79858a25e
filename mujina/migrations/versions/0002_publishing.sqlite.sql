CREATE TABLE releases_before AS SELECT * FROM releases;

DROP TABLE releases;

CREATE TABLE releases (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	tag TEXT NOT NULL,
	name TEXT,
	description TEXT NOT NULL,
	author_id INTEGER,
	released_at TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_releases_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_releases_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_releases_author_id ON releases (author_id);

CREATE INDEX ix_releases_project_id_created_at_id ON releases (project_id, created_at, id);

CREATE INDEX ix_releases_project_id_released_at_id ON releases (project_id, released_at, id);

CREATE UNIQUE INDEX ix_releases_project_id_tag ON releases (project_id, tag);

INSERT INTO releases (project_id, tag, description, released_at, created_at, updated_at)
    SELECT project_id, tag, description, created_at, created_at, updated_at FROM releases_before ORDER BY created_at, tag;

DROP TABLE releases_before;

CREATE TABLE release_links (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	release_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	url TEXT NOT NULL,
	filepath TEXT,
	link_type TEXT DEFAULT 'other' NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_release_links_release_id FOREIGN KEY(release_id) REFERENCES releases (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_release_links_release_id_filepath ON release_links (release_id, filepath) WHERE filepath IS NOT NULL;

CREATE UNIQUE INDEX ix_release_links_release_id_name ON release_links (release_id, name);

CREATE UNIQUE INDEX ix_release_links_release_id_url ON release_links (release_id, url);

CREATE TABLE release_milestones (
	release_id INTEGER NOT NULL,
	milestone_id INTEGER NOT NULL,
	CONSTRAINT pk_release_milestones PRIMARY KEY (release_id, milestone_id),
	CONSTRAINT fk_release_milestones_release_id FOREIGN KEY(release_id) REFERENCES releases (id) ON DELETE CASCADE,
	CONSTRAINT fk_release_milestones_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_release_milestones_milestone_id ON release_milestones (milestone_id);

ALTER TABLE access_tokens ADD COLUMN description TEXT;

ALTER TABLE access_tokens ADD COLUMN family_id INTEGER;

ALTER TABLE access_tokens ADD COLUMN expiry_announced INTEGER DEFAULT FALSE NOT NULL;

CREATE TABLE bots (
	user_id INTEGER NOT NULL,
	project_id INTEGER,
	group_id INTEGER,
	created_by_id INTEGER,
	CONSTRAINT pk_bots PRIMARY KEY (user_id),
	CONSTRAINT fk_bots_created_by_id FOREIGN KEY(created_by_id) REFERENCES users (id) ON DELETE SET NULL,
	CONSTRAINT fk_bots_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_bots_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_bots_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_bots_created_by_id ON bots (created_by_id);

CREATE INDEX ix_bots_group_id ON bots (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_bots_project_id ON bots (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE deploy_tokens (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER,
	group_id INTEGER,
	user_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	username TEXT,
	digest TEXT NOT NULL,
	scopes TEXT NOT NULL,
	expires_at TEXT,
	revoked INTEGER DEFAULT FALSE NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_deploy_tokens_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_deploy_tokens_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_deploy_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_deploy_tokens_digest ON deploy_tokens (digest);

CREATE INDEX ix_deploy_tokens_group_id_id ON deploy_tokens (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_deploy_tokens_project_id_id ON deploy_tokens (project_id, id) WHERE project_id IS NOT NULL;

CREATE INDEX ix_deploy_tokens_user_id ON deploy_tokens (user_id);

CREATE INDEX ix_access_tokens_family_id ON access_tokens (family_id) WHERE family_id IS NOT NULL;

CREATE INDEX ix_access_tokens_unannounced ON access_tokens (expires_on) WHERE NOT revoked AND NOT expiry_announced;

CREATE TABLE packages (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	package_type TEXT NOT NULL,
	name TEXT NOT NULL,
	version TEXT NOT NULL,
	status TEXT DEFAULT 'default' NOT NULL,
	creator_id INTEGER,
	last_downloaded_at TEXT,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_packages_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_packages_creator_id FOREIGN KEY(creator_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_packages_creator_id ON packages (creator_id);

CREATE INDEX ix_packages_project_id_created_at_id ON packages (project_id, created_at, id);

CREATE UNIQUE INDEX ix_packages_project_id_package_type_name_version ON packages (project_id, package_type, name, version);

CREATE TABLE package_files (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	package_id INTEGER NOT NULL,
	project_id INTEGER NOT NULL,
	file_name TEXT NOT NULL,
	size INTEGER NOT NULL,
	md5 TEXT NOT NULL,
	sha1 TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	file TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_package_files_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_package_files_package_id FOREIGN KEY(package_id) REFERENCES packages (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_package_files_file ON package_files (file);

CREATE INDEX ix_package_files_package_id_file_name_id ON package_files (package_id, file_name, id);

CREATE INDEX ix_package_files_project_id_id ON package_files (project_id, id);

CREATE TABLE protected_tags (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	created_at TEXT NOT NULL,
	updated_at TEXT NOT NULL,
	CONSTRAINT fk_protected_tags_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_protected_tags_project_id_name ON protected_tags (project_id, name);

CREATE TABLE protected_tag_grants (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	tag_id INTEGER NOT NULL,
	level INTEGER,
	user_id INTEGER,
	group_id INTEGER,
	CONSTRAINT fk_protected_tag_grants_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
	CONSTRAINT fk_protected_tag_grants_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
	CONSTRAINT fk_protected_tag_grants_tag_id FOREIGN KEY(tag_id) REFERENCES protected_tags (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_protected_tag_grants_group_id ON protected_tag_grants (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_protected_tag_grants_tag_id ON protected_tag_grants (tag_id);

CREATE INDEX ix_protected_tag_grants_user_id ON protected_tag_grants (user_id) WHERE user_id IS NOT NULL;
