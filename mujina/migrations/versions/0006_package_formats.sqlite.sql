CREATE TABLE package_tags (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	package_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	CONSTRAINT fk_package_tags_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
	CONSTRAINT fk_package_tags_package_id FOREIGN KEY(package_id) REFERENCES packages (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_package_tags_package_id ON package_tags (package_id);

CREATE UNIQUE INDEX ix_package_tags_project_id_name_tag ON package_tags (project_id, name, tag);

ALTER TABLE access_tokens ADD COLUMN last_used_at TEXT;

ALTER TABLE package_files ADD COLUMN metadata TEXT;

CREATE INDEX ix_package_files_project_id_sha256 ON package_files (project_id, sha256);

ALTER TABLE packages ADD COLUMN yanked_reason TEXT;

CREATE INDEX ix_packages_npm_name ON packages (name) WHERE package_type = 'npm';

