PRAGMA legacy_alter_table = ON;

CREATE TABLE import_reports (
	project_id INTEGER NOT NULL, 
	report TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT pk_import_reports PRIMARY KEY (project_id), 
	CONSTRAINT fk_import_reports_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE moves (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	user_id INTEGER NOT NULL, 
	address TEXT NOT NULL, 
	kind TEXT, 
	token TEXT, 
	status TEXT NOT NULL, 
	error TEXT, 
	namespace_id INTEGER, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_moves_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE SET NULL, 
	CONSTRAINT fk_moves_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_moves_namespace_id ON moves (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE INDEX ix_moves_updated_at ON moves (updated_at) WHERE status IN ('listing', 'listed', 'moving');

CREATE INDEX ix_moves_user_id_id ON moves (user_id, id);

CREATE TABLE move_projects (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	move_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	path_folded TEXT NOT NULL, 
	status TEXT NOT NULL, 
	error TEXT, 
	project_id INTEGER, 
	CONSTRAINT fk_move_projects_move_id FOREIGN KEY(move_id) REFERENCES moves (id) ON DELETE CASCADE, 
	CONSTRAINT fk_move_projects_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE SET NULL
)
 STRICT;

CREATE UNIQUE INDEX ix_move_projects_move_id_path ON move_projects (move_id, path);

CREATE INDEX ix_move_projects_project_id ON move_projects (project_id) WHERE project_id IS NOT NULL;

PRAGMA legacy_alter_table = OFF;

