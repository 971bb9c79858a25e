ALTER TABLE protected_branches ADD COLUMN allow_force_push INTEGER DEFAULT FALSE NOT NULL;

CREATE INDEX ix_ssh_keys_md5 ON ssh_keys (md5);

CREATE TABLE user_statuses (
	user_id INTEGER NOT NULL PRIMARY KEY, 
	emoji TEXT NOT NULL, 
	message TEXT NOT NULL, 
	availability TEXT NOT NULL, 
	clear_at TEXT, 
	CONSTRAINT fk_user_statuses_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE resource_events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	noteable_kind TEXT NOT NULL, 
	noteable_id INTEGER NOT NULL, 
	field TEXT NOT NULL, 
	action TEXT NOT NULL, 
	user_id INTEGER, 
	label_id INTEGER, 
	milestone_id INTEGER, 
	weight INTEGER, 
	created_at TEXT NOT NULL, 
	CONSTRAINT fk_resource_events_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE SET NULL, 
	CONSTRAINT fk_resource_events_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL, 
	CONSTRAINT fk_resource_events_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE SET NULL, 
	CONSTRAINT fk_resource_events_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_resource_events_label_id ON resource_events (label_id) WHERE label_id IS NOT NULL;

CREATE INDEX ix_resource_events_milestone_id ON resource_events (milestone_id) WHERE milestone_id IS NOT NULL;

CREATE INDEX ix_resource_events_noteable_id_noteable_kind_field_id ON resource_events (noteable_id, noteable_kind, field, id);

CREATE INDEX ix_resource_events_project_id ON resource_events (project_id);

CREATE INDEX ix_resource_events_user_id ON resource_events (user_id) WHERE user_id IS NOT NULL;


