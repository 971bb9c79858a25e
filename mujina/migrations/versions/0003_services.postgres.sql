CREATE TABLE pages_domains (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    domain TEXT COLLATE "C" NOT NULL, 
    certificate TEXT COLLATE "C", 
    key TEXT COLLATE "C", 
    subject TEXT COLLATE "C", 
    expires_at TEXT COLLATE "C", 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_pages_domains PRIMARY KEY (id), 
    CONSTRAINT fk_pages_domains_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_pages_domains_domain ON pages_domains (domain);

CREATE INDEX ix_pages_domains_project_id_id ON pages_domains (project_id, id);

CREATE TABLE services (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    slug TEXT COLLATE "C" NOT NULL, 
    active BOOLEAN DEFAULT FALSE NOT NULL, 
    properties TEXT COLLATE "C" NOT NULL, 
    secrets TEXT COLLATE "C" NOT NULL, 
    events TEXT COLLATE "C" NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_services PRIMARY KEY (id), 
    CONSTRAINT fk_services_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_services_project_id_slug ON services (project_id, slug);

CREATE TABLE chat_accounts (
    id BIGSERIAL NOT NULL, 
    user_id BIGINT NOT NULL, 
    service_id BIGINT NOT NULL, 
    team_id TEXT COLLATE "C" NOT NULL, 
    chat_id TEXT COLLATE "C" NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_chat_accounts PRIMARY KEY (id), 
    CONSTRAINT fk_chat_accounts_service_id FOREIGN KEY(service_id) REFERENCES services (id) ON DELETE CASCADE, 
    CONSTRAINT fk_chat_accounts_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_chat_accounts_service_id_team_id_chat_id ON chat_accounts (service_id, team_id, chat_id);

CREATE INDEX ix_chat_accounts_user_id ON chat_accounts (user_id);

ALTER TABLE hooks ADD COLUMN service_id BIGINT;

ALTER TABLE hooks ADD CONSTRAINT fk_hooks_service_id FOREIGN KEY(service_id) REFERENCES services (id) ON DELETE CASCADE;

CREATE UNIQUE INDEX ix_hooks_service_id ON hooks (service_id) WHERE service_id IS NOT NULL;

