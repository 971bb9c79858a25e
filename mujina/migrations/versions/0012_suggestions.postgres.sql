CREATE TABLE suggestions (
    id BIGSERIAL NOT NULL, 
    note_id BIGINT NOT NULL, 
    lines_above BIGINT NOT NULL, 
    lines_below BIGINT NOT NULL, 
    head_sha TEXT COLLATE "C" NOT NULL, 
    path TEXT COLLATE "C" NOT NULL, 
    from_line BIGINT NOT NULL, 
    to_line BIGINT NOT NULL, 
    from_content TEXT COLLATE "C" NOT NULL, 
    to_content TEXT COLLATE "C" NOT NULL, 
    outdated BOOLEAN DEFAULT FALSE NOT NULL, 
    push_id BIGINT, 
    commit_sha TEXT COLLATE "C", 
    CONSTRAINT pk_suggestions PRIMARY KEY (id), 
    CONSTRAINT fk_suggestions_push_id FOREIGN KEY(push_id) REFERENCES pushes (id) ON DELETE SET NULL, 
    CONSTRAINT fk_suggestions_note_id FOREIGN KEY(note_id) REFERENCES notes (id) ON DELETE CASCADE
);

CREATE INDEX ix_suggestions_note_id_id ON suggestions (note_id, id);

CREATE INDEX ix_suggestions_push_id ON suggestions (push_id) WHERE push_id IS NOT NULL;

CREATE TABLE code_owner_rules (
    id BIGSERIAL NOT NULL, 
    merge_request_id BIGINT NOT NULL, 
    section TEXT COLLATE "C" NOT NULL, 
    pattern TEXT COLLATE "C" NOT NULL, 
    approvals_required BIGINT NOT NULL, 
    CONSTRAINT pk_code_owner_rules PRIMARY KEY (id), 
    CONSTRAINT fk_code_owner_rules_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE
);

CREATE INDEX ix_code_owner_rules_merge_request_id_id ON code_owner_rules (merge_request_id, id);

CREATE TABLE code_owner_rule_groups (
    code_owner_rule_id BIGINT NOT NULL, 
    group_id BIGINT NOT NULL, 
    CONSTRAINT pk_code_owner_rule_groups PRIMARY KEY (code_owner_rule_id, group_id), 
    CONSTRAINT fk_code_owner_rule_groups_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
    CONSTRAINT fk_code_owner_rule_groups_code_owner_rule_id FOREIGN KEY(code_owner_rule_id) REFERENCES code_owner_rules (id) ON DELETE CASCADE
);

CREATE INDEX ix_code_owner_rule_groups_group_id ON code_owner_rule_groups (group_id);

CREATE TABLE code_owner_rule_users (
    code_owner_rule_id BIGINT NOT NULL, 
    user_id BIGINT NOT NULL, 
    CONSTRAINT pk_code_owner_rule_users PRIMARY KEY (code_owner_rule_id, user_id), 
    CONSTRAINT fk_code_owner_rule_users_code_owner_rule_id FOREIGN KEY(code_owner_rule_id) REFERENCES code_owner_rules (id) ON DELETE CASCADE, 
    CONSTRAINT fk_code_owner_rule_users_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ix_code_owner_rule_users_user_id ON code_owner_rule_users (user_id);

ALTER TABLE protected_branches ADD COLUMN code_owner_approval_required BOOLEAN DEFAULT FALSE NOT NULL;

