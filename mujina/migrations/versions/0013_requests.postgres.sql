CREATE TABLE issue_positions (
    issue_id BIGINT NOT NULL, 
    position BIGINT NOT NULL, 
    CONSTRAINT pk_issue_positions PRIMARY KEY (issue_id), 
    CONSTRAINT fk_issue_positions_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE
);

ALTER TABLE issue_links ADD COLUMN link_type TEXT COLLATE "C" DEFAULT 'relates_to' NOT NULL;

CREATE TABLE snippet_files (
    id BIGSERIAL NOT NULL, 
    snippet_id BIGINT NOT NULL, 
    path TEXT COLLATE "C" NOT NULL, 
    content TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_snippet_files PRIMARY KEY (id), 
    CONSTRAINT fk_snippet_files_snippet_id FOREIGN KEY(snippet_id) REFERENCES snippets (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_snippet_files_snippet_id_path ON snippet_files (snippet_id, path);

