CREATE TABLE site_deployments (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    job_id BIGINT NOT NULL, 
    active BOOLEAN DEFAULT FALSE NOT NULL, 
    problem TEXT COLLATE "C", 
    file TEXT COLLATE "C", 
    size BIGINT NOT NULL, 
    sha256 TEXT COLLATE "C" NOT NULL, 
    file_count BIGINT NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_site_deployments PRIMARY KEY (id), 
    CONSTRAINT fk_site_deployments_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_site_deployments_active ON site_deployments (project_id) WHERE active;

CREATE UNIQUE INDEX ix_site_deployments_file ON site_deployments (file);

CREATE UNIQUE INDEX ix_site_deployments_job_id ON site_deployments (job_id);

CREATE INDEX ix_site_deployments_project_id_id ON site_deployments (project_id, id);

CREATE TABLE site_files (
    id BIGSERIAL NOT NULL, 
    deployment_id BIGINT NOT NULL, 
    path TEXT COLLATE "C" NOT NULL, 
    size BIGINT NOT NULL, 
    packed BIGINT NOT NULL, 
    position BIGINT NOT NULL, 
    method BIGINT NOT NULL, 
    crc BIGINT NOT NULL, 
    CONSTRAINT pk_site_files PRIMARY KEY (id), 
    CONSTRAINT fk_site_files_deployment_id FOREIGN KEY(deployment_id) REFERENCES site_deployments (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_site_files_deployment_id_path ON site_files (deployment_id, path);

ALTER TABLE pages_domains ADD COLUMN verified_at TEXT COLLATE "C";

ALTER TABLE pages_domains ADD COLUMN checked_at TEXT COLLATE "C";

ALTER TABLE pages_domains ADD COLUMN problem TEXT COLLATE "C";

ALTER TABLE projects ADD COLUMN pages_access_level TEXT COLLATE "C" DEFAULT 'enabled' NOT NULL;

