PRAGMA legacy_alter_table = ON;

CREATE TABLE site_deployments (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	active INTEGER DEFAULT FALSE NOT NULL, 
	problem TEXT, 
	file TEXT, 
	size INTEGER NOT NULL, 
	sha256 TEXT NOT NULL, 
	file_count INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT fk_site_deployments_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_site_deployments_active ON site_deployments (project_id) WHERE active;

CREATE UNIQUE INDEX ix_site_deployments_file ON site_deployments (file);

CREATE UNIQUE INDEX ix_site_deployments_job_id ON site_deployments (job_id);

CREATE INDEX ix_site_deployments_project_id_id ON site_deployments (project_id, id);

CREATE TABLE site_files (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	deployment_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	packed INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	method INTEGER NOT NULL, 
	crc INTEGER NOT NULL, 
	CONSTRAINT fk_site_files_deployment_id FOREIGN KEY(deployment_id) REFERENCES site_deployments (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_site_files_deployment_id_path ON site_files (deployment_id, path);

ALTER TABLE pages_domains ADD COLUMN verified_at TEXT;

ALTER TABLE pages_domains ADD COLUMN checked_at TEXT;

ALTER TABLE pages_domains ADD COLUMN problem TEXT;

ALTER TABLE projects ADD COLUMN pages_access_level TEXT DEFAULT 'enabled' NOT NULL;

PRAGMA legacy_alter_table = OFF;

