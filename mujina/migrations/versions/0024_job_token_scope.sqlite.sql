PRAGMA legacy_alter_table = ON;

CREATE TABLE job_token_allowlist (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	allowed_project_id INTEGER, 
	allowed_group_id INTEGER, 
	CONSTRAINT fk_job_token_allowlist_allowed_group_id FOREIGN KEY(allowed_group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_job_token_allowlist_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
	CONSTRAINT fk_job_token_allowlist_allowed_project_id FOREIGN KEY(allowed_project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_job_token_allowlist_allowed_group_id ON job_token_allowlist (allowed_group_id) WHERE allowed_group_id IS NOT NULL;

CREATE INDEX ix_job_token_allowlist_allowed_project_id ON job_token_allowlist (allowed_project_id) WHERE allowed_project_id IS NOT NULL;

CREATE UNIQUE INDEX ix_job_token_allowlist_project_id_allowed_group_id ON job_token_allowlist (project_id, allowed_group_id);

CREATE UNIQUE INDEX ix_job_token_allowlist_project_id_allowed_project_id ON job_token_allowlist (project_id, allowed_project_id);

CREATE TABLE job_token_limits (
	project_id INTEGER NOT NULL, 
	CONSTRAINT pk_job_token_limits PRIMARY KEY (project_id), 
	CONSTRAINT fk_job_token_limits_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

PRAGMA legacy_alter_table = OFF;

