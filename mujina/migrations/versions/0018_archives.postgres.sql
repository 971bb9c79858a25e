CREATE TABLE project_archives (
    project_id BIGINT NOT NULL, 
    kind TEXT COLLATE "C" NOT NULL, 
    status TEXT COLLATE "C" NOT NULL, 
    file TEXT COLLATE "C", 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_project_archives PRIMARY KEY (project_id, kind), 
    CONSTRAINT fk_project_archives_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_project_archives_updated_at ON project_archives (updated_at);

