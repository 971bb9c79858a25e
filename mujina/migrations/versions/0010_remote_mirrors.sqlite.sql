PRAGMA legacy_alter_table = ON;

CREATE TABLE remote_mirrors (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	user_id INTEGER, 
	url TEXT NOT NULL, 
	enabled INTEGER DEFAULT FALSE NOT NULL, 
	only_protected_branches INTEGER DEFAULT FALSE NOT NULL, 
	keep_divergent_refs INTEGER DEFAULT FALSE NOT NULL, 
	update_status TEXT DEFAULT 'none' NOT NULL, 
	last_update_at TEXT, 
	last_update_started_at TEXT, 
	last_successful_update_at TEXT, 
	last_error TEXT, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_remote_mirrors_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
	CONSTRAINT fk_remote_mirrors_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_remote_mirrors_failed ON remote_mirrors (id) WHERE update_status = 'failed';

CREATE INDEX ix_remote_mirrors_project_id_id ON remote_mirrors (project_id, id);

CREATE INDEX ix_remote_mirrors_user_id ON remote_mirrors (user_id) WHERE user_id IS NOT NULL;

PRAGMA legacy_alter_table = OFF;

