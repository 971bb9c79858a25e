CREATE TABLE package_tags (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    package_id BIGINT NOT NULL, 
    name TEXT COLLATE "C" NOT NULL, 
    tag TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_package_tags PRIMARY KEY (id), 
    CONSTRAINT fk_package_tags_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
    CONSTRAINT fk_package_tags_package_id FOREIGN KEY(package_id) REFERENCES packages (id) ON DELETE CASCADE
);

CREATE INDEX ix_package_tags_package_id ON package_tags (package_id);

CREATE UNIQUE INDEX ix_package_tags_project_id_name_tag ON package_tags (project_id, name, tag);

ALTER TABLE access_tokens ADD COLUMN last_used_at TEXT COLLATE "C";

ALTER TABLE package_files ADD COLUMN metadata TEXT COLLATE "C";

CREATE INDEX ix_package_files_project_id_sha256 ON package_files (project_id, sha256);

ALTER TABLE packages ADD COLUMN yanked_reason TEXT COLLATE "C";

CREATE INDEX ix_packages_npm_name ON packages (name) WHERE package_type = 'npm';

