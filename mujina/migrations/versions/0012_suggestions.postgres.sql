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

