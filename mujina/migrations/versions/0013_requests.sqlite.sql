PRAGMA legacy_alter_table = ON;

CREATE TABLE issue_positions (
	issue_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_issue_positions PRIMARY KEY (issue_id), 
	CONSTRAINT fk_issue_positions_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE
)
 STRICT;

ALTER TABLE issue_links ADD COLUMN link_type TEXT DEFAULT 'relates_to' NOT NULL;

PRAGMA legacy_alter_table = OFF;

