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
