PRAGMA legacy_alter_table = ON;

CREATE TABLE import_reports (
	project_id INTEGER NOT NULL, 
	report TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_import_reports PRIMARY KEY (project_id), 
	CONSTRAINT fk_import_reports_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

PRAGMA legacy_alter_table = OFF;

