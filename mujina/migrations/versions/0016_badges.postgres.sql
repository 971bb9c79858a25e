CREATE TABLE badges (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT, 
    group_id BIGINT, 
    name TEXT COLLATE "C", 
    link_url TEXT COLLATE "C" NOT NULL, 
    image_url TEXT COLLATE "C" NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_badges PRIMARY KEY (id), 
    CONSTRAINT fk_badges_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
    CONSTRAINT fk_badges_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_badges_group_id_id ON badges (group_id, id) WHERE group_id IS NOT NULL;

CREATE INDEX ix_badges_project_id_id ON badges (project_id, id) WHERE project_id IS NOT NULL;

