CREATE TABLE import_reports (
    project_id BIGINT NOT NULL, 
    report TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_import_reports PRIMARY KEY (project_id), 
    CONSTRAINT fk_import_reports_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE moves (
    id BIGSERIAL NOT NULL, 
    user_id BIGINT NOT NULL, 
    address TEXT COLLATE "C" NOT NULL, 
    kind TEXT COLLATE "C", 
    token TEXT COLLATE "C", 
    status TEXT COLLATE "C" NOT NULL, 
    error TEXT COLLATE "C", 
    namespace_id BIGINT, 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_moves PRIMARY KEY (id), 
    CONSTRAINT fk_moves_namespace_id FOREIGN KEY(namespace_id) REFERENCES namespaces (id) ON DELETE SET NULL, 
    CONSTRAINT fk_moves_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_moves_namespace_id ON moves (namespace_id) WHERE namespace_id IS NOT NULL;

CREATE INDEX ix_moves_updated_at ON moves (updated_at) WHERE status IN ('listing', 'listed', 'moving');

CREATE INDEX ix_moves_user_id_id ON moves (user_id, id);

CREATE TABLE move_projects (
    id BIGSERIAL NOT NULL, 
    move_id BIGINT NOT NULL, 
    path TEXT COLLATE "C" NOT NULL, 
    path_folded TEXT COLLATE "C" NOT NULL, 
    status TEXT COLLATE "C" NOT NULL, 
    error TEXT COLLATE "C", 
    project_id BIGINT, 
    CONSTRAINT pk_move_projects PRIMARY KEY (id), 
    CONSTRAINT fk_move_projects_move_id FOREIGN KEY(move_id) REFERENCES moves (id) ON DELETE CASCADE, 
    CONSTRAINT fk_move_projects_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE SET NULL
);

CREATE UNIQUE INDEX ix_move_projects_move_id_path ON move_projects (move_id, path);

CREATE INDEX ix_move_projects_project_id ON move_projects (project_id) WHERE project_id IS NOT NULL;

