PRAGMA legacy_alter_table = ON;

CREATE TABLE project_archives (
	project_id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	status TEXT NOT NULL, 
	file TEXT, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_project_archives PRIMARY KEY (project_id, kind), 
	CONSTRAINT fk_project_archives_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_project_archives_updated_at ON project_archives (updated_at);

PRAGMA legacy_alter_table = OFF;

