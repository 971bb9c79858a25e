CREATE TABLE group_shares (
    id BIGSERIAL NOT NULL, 
    shared_group_id BIGINT NOT NULL, 
    group_id BIGINT NOT NULL, 
    cap BIGINT NOT NULL, 
    expires_on TEXT COLLATE "C" NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_group_shares PRIMARY KEY (id), 
    CONSTRAINT fk_group_shares_shared_group_id FOREIGN KEY(shared_group_id) REFERENCES groups (id) ON DELETE CASCADE, 
    CONSTRAINT fk_group_shares_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
);

CREATE INDEX ix_group_shares_group_id_shared_group_id_cap_expires_on ON group_shares (group_id, shared_group_id, cap, expires_on);

CREATE UNIQUE INDEX ix_group_shares_shared_group_id_group_id ON group_shares (shared_group_id, group_id);

