CREATE TABLE remote_mirrors (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    user_id BIGINT, 
    url TEXT COLLATE "C" NOT NULL, 
    enabled BOOLEAN DEFAULT FALSE NOT NULL, 
    only_protected_branches BOOLEAN DEFAULT FALSE NOT NULL, 
    keep_divergent_refs BOOLEAN DEFAULT FALSE NOT NULL, 
    update_status TEXT COLLATE "C" DEFAULT 'none' NOT NULL, 
    last_update_at TEXT COLLATE "C", 
    last_update_started_at TEXT COLLATE "C", 
    last_successful_update_at TEXT COLLATE "C", 
    last_error TEXT COLLATE "C", 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_remote_mirrors PRIMARY KEY (id), 
    CONSTRAINT fk_remote_mirrors_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
    CONSTRAINT fk_remote_mirrors_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX ix_remote_mirrors_failed ON remote_mirrors (id) WHERE update_status = 'failed';

CREATE INDEX ix_remote_mirrors_project_id_id ON remote_mirrors (project_id, id);

CREATE INDEX ix_remote_mirrors_user_id ON remote_mirrors (user_id) WHERE user_id IS NOT NULL;

