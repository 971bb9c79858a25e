CREATE TABLE import_reports (
    project_id BIGINT NOT NULL, 
    report TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_import_reports PRIMARY KEY (project_id), 
    CONSTRAINT fk_import_reports_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

