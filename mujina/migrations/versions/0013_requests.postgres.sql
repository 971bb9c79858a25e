CREATE TABLE issue_positions (
    issue_id BIGINT NOT NULL, 
    position BIGINT NOT NULL, 
    CONSTRAINT pk_issue_positions PRIMARY KEY (issue_id), 
    CONSTRAINT fk_issue_positions_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE
);

ALTER TABLE issue_links ADD COLUMN link_type TEXT COLLATE "C" DEFAULT 'relates_to' NOT NULL;

