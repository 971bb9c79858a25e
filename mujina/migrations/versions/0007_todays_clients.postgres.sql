ALTER TABLE protected_branches ADD COLUMN allow_force_push BOOLEAN DEFAULT FALSE NOT NULL;

CREATE INDEX ix_ssh_keys_md5 ON ssh_keys (md5);

CREATE TABLE user_statuses (
	user_id BIGINT NOT NULL, 
	emoji TEXT COLLATE "C" NOT NULL, 
	message TEXT COLLATE "C" NOT NULL, 
	availability TEXT COLLATE "C" NOT NULL, 
	clear_at TEXT COLLATE "C", 
	CONSTRAINT pk_user_statuses PRIMARY KEY (user_id), 
	CONSTRAINT fk_user_statuses_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE resource_events (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    noteable_kind TEXT COLLATE "C" NOT NULL, 
    noteable_id BIGINT NOT NULL, 
    field TEXT COLLATE "C" NOT NULL, 
    action TEXT COLLATE "C" NOT NULL, 
    user_id BIGINT, 
    label_id BIGINT, 
    milestone_id BIGINT, 
    weight BIGINT, 
    created_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_resource_events PRIMARY KEY (id), 
    CONSTRAINT fk_resource_events_milestone_id FOREIGN KEY(milestone_id) REFERENCES milestones (id) ON DELETE SET NULL, 
    CONSTRAINT fk_resource_events_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL, 
    CONSTRAINT fk_resource_events_label_id FOREIGN KEY(label_id) REFERENCES labels (id) ON DELETE SET NULL, 
    CONSTRAINT fk_resource_events_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_resource_events_label_id ON resource_events (label_id) WHERE label_id IS NOT NULL;

CREATE INDEX ix_resource_events_milestone_id ON resource_events (milestone_id) WHERE milestone_id IS NOT NULL;

CREATE INDEX ix_resource_events_noteable_id_noteable_kind_field_id ON resource_events (noteable_id, noteable_kind, field, id);

CREATE INDEX ix_resource_events_project_id ON resource_events (project_id);

CREATE INDEX ix_resource_events_user_id ON resource_events (user_id) WHERE user_id IS NOT NULL;

