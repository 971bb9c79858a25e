PRAGMA legacy_alter_table = ON;

CREATE TABLE badges (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER, 
	group_id INTEGER, 
	name TEXT, 
	link_url TEXT NOT NULL, 
	image_url TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_badges_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_badges_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_badges_group_id_id ON badges (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_badges_project_id_id ON badges (project_id, id) WHERE project_id IS NOT NULL;

PRAGMA legacy_alter_table = OFF;

