CREATE TABLE releases_before AS SELECT * FROM releases;

DROP TABLE releases;

CREATE TABLE releases (
	id BIGSERIAL NOT NULL,
	project_id BIGINT NOT NULL,
	tag TEXT COLLATE "C" NOT NULL,
	name TEXT COLLATE "C",
	description TEXT COLLATE "C" NOT NULL,
	author_id BIGINT,
	released_at TEXT COLLATE "C" NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_releases PRIMARY KEY (id),
	CONSTRAINT fk_releases_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT fk_releases_author_id FOREIGN KEY(author_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_releases_author_id ON releases (author_id);

CREATE INDEX ix_releases_project_id_created_at_id ON releases (project_id, created_at, id);

CREATE INDEX ix_releases_project_id_released_at_id ON releases (project_id, released_at, id);

CREATE UNIQUE INDEX ix_releases_project_id_tag ON releases (project_id, tag);

INSERT INTO releases (project_id, tag, description, released_at, created_at, updated_at)
    SELECT project_id, tag, description, created_at, created_at, updated_at FROM releases_before ORDER BY created_at, tag;

DROP TABLE releases_before;

CREATE TABLE release_links (
	id BIGSERIAL NOT NULL,
	release_id BIGINT NOT NULL,
	name TEXT COLLATE "C" NOT NULL,
	url TEXT COLLATE "C" NOT NULL,
	filepath TEXT COLLATE "C",
	link_type TEXT COLLATE "C" DEFAULT 'other' NOT NULL,
	created_at TEXT COLLATE "C" NOT NULL,
	updated_at TEXT COLLATE "C" NOT NULL,
	CONSTRAINT pk_release_links PRIMARY KEY (id),
	CONSTRAINT fk_release_links_release_id FOREIGN KEY(release_id) REFERENCES releases (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_release_links_release_id_filepath ON release_links (release_id, filepath) WHERE filepath IS NOT NULL;

CREATE UNIQUE INDEX ix_release_links_release_id_name ON release_links (release_id, name);

CREATE UNIQUE INDEX ix_release_links_release_id_url ON release_links (release_id, url);

CREATE TABLE release_milestones (
	release_id BIGINT NOT NULL,
	milestone_id BIGINT NOT NULL,
	CONSTRAINT pk_release_milestones PRIMARY KEY (release_id, milestone_id),
	CONSTRAINT fk_release_milestones_release_id FOREIGN KEY(release_id) REFERENCES releases (id) ON DELETE CASCADE,
	CONSTRAINT fk_release_milestones_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE CASCADE
);

CREATE INDEX ix_release_milestones_milestone_id ON release_milestones (milestone_id);

CREATE TABLE bots (
    user_id BIGINT NOT NULL,
    project_id BIGINT,
    group_id BIGINT,
    created_by_id BIGINT,
    CONSTRAINT pk_bots PRIMARY KEY (user_id),
    CONSTRAINT fk_bots_created_by_id FOREIGN KEY(created_by_id) REFERENCES users (id) ON DELETE SET NULL,
    CONSTRAINT fk_bots_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
    CONSTRAINT fk_bots_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
    CONSTRAINT fk_bots_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_bots_created_by_id ON bots (created_by_id);

CREATE INDEX ix_bots_group_id ON bots (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_bots_project_id ON bots (project_id) WHERE project_id IS NOT NULL;

CREATE TABLE deploy_tokens (
    id BIGSERIAL NOT NULL,
    project_id BIGINT,
    group_id BIGINT,
    user_id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    username TEXT COLLATE "C",
    digest TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C",
    revoked BOOLEAN DEFAULT FALSE NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_deploy_tokens PRIMARY KEY (id),
    CONSTRAINT fk_deploy_tokens_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_tokens_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
    CONSTRAINT fk_deploy_tokens_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_deploy_tokens_digest ON deploy_tokens (digest);

CREATE INDEX ix_deploy_tokens_group_id_id ON deploy_tokens (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_deploy_tokens_project_id_id ON deploy_tokens (project_id, id) WHERE project_id IS NOT NULL;

CREATE INDEX ix_deploy_tokens_user_id ON deploy_tokens (user_id);

ALTER TABLE access_tokens ADD COLUMN description TEXT COLLATE "C";

ALTER TABLE access_tokens ADD COLUMN family_id BIGINT;

ALTER TABLE access_tokens ADD COLUMN expiry_announced BOOLEAN DEFAULT FALSE NOT NULL;

CREATE INDEX ix_access_tokens_family_id ON access_tokens (family_id) WHERE family_id IS NOT NULL;

CREATE INDEX ix_access_tokens_unannounced ON access_tokens (expires_on) WHERE NOT revoked AND NOT expiry_announced;

CREATE TABLE packages (
    id BIGSERIAL NOT NULL,
    project_id BIGINT NOT NULL,
    package_type TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" DEFAULT 'default' NOT NULL,
    creator_id BIGINT,
    last_downloaded_at TEXT COLLATE "C",
    created_at TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_packages PRIMARY KEY (id),
    CONSTRAINT fk_packages_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
    CONSTRAINT fk_packages_creator_id FOREIGN KEY(creator_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_packages_creator_id ON packages (creator_id);

CREATE INDEX ix_packages_project_id_created_at_id ON packages (project_id, created_at, id);

CREATE UNIQUE INDEX ix_packages_project_id_package_type_name_version ON packages (project_id, package_type, name, version);

CREATE TABLE package_files (
    id BIGSERIAL NOT NULL,
    package_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    file_name TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    md5 TEXT COLLATE "C" NOT NULL,
    sha1 TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    file TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_package_files PRIMARY KEY (id),
    CONSTRAINT fk_package_files_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
    CONSTRAINT fk_package_files_package_id FOREIGN KEY(package_id) REFERENCES packages (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_package_files_file ON package_files (file);

CREATE INDEX ix_package_files_package_id_file_name_id ON package_files (package_id, file_name, id);

CREATE INDEX ix_package_files_project_id_id ON package_files (project_id, id);

CREATE TABLE protected_tags (
    id BIGSERIAL NOT NULL,
    project_id BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_protected_tags PRIMARY KEY (id),
    CONSTRAINT fk_protected_tags_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_protected_tags_project_id_name ON protected_tags (project_id, name);

CREATE TABLE protected_tag_grants (
    id BIGSERIAL NOT NULL,
    tag_id BIGINT NOT NULL,
    level BIGINT,
    user_id BIGINT,
    group_id BIGINT,
    CONSTRAINT pk_protected_tag_grants PRIMARY KEY (id),
    CONSTRAINT fk_protected_tag_grants_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE,
    CONSTRAINT fk_protected_tag_grants_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT fk_protected_tag_grants_tag_id FOREIGN KEY(tag_id) REFERENCES protected_tags (id) ON DELETE CASCADE
);

CREATE INDEX ix_protected_tag_grants_group_id ON protected_tag_grants (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_protected_tag_grants_tag_id ON protected_tag_grants (tag_id);

CREATE INDEX ix_protected_tag_grants_user_id ON protected_tag_grants (user_id) WHERE user_id IS NOT NULL;
