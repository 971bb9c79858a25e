CREATE TABLE moved_objects (
    source TEXT COLLATE "C" NOT NULL, 
    kind TEXT COLLATE "C" NOT NULL, 
    source_id TEXT COLLATE "C" NOT NULL, 
    object_id BIGINT NOT NULL, 
    fingerprint TEXT COLLATE "C" DEFAULT '' NOT NULL, 
    project_id BIGINT, 
    group_id BIGINT, 
    user_id BIGINT, 
    CONSTRAINT pk_moved_objects PRIMARY KEY (source, kind, source_id), 
    CONSTRAINT fk_moved_objects_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
    CONSTRAINT fk_moved_objects_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
    CONSTRAINT fk_moved_objects_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_moved_objects_group_id ON moved_objects (group_id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_moved_objects_project_id ON moved_objects (project_id) WHERE project_id IS NOT NULL;

CREATE INDEX ix_moved_objects_user_id ON moved_objects (user_id) WHERE user_id IS NOT NULL;

