CREATE TABLE issue_positions (
	issue_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	CONSTRAINT pk_issue_positions PRIMARY KEY (issue_id), 
	CONSTRAINT fk_issue_positions_issue_id FOREIGN KEY(issue_id) REFERENCES issues (id) ON DELETE CASCADE
)
 STRICT;

ALTER TABLE issue_links ADD COLUMN link_type TEXT DEFAULT 'relates_to' NOT NULL;

CREATE TABLE snippet_files (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	snippet_id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	content TEXT NOT NULL, 
	CONSTRAINT fk_snippet_files_snippet_id FOREIGN KEY(snippet_id) REFERENCES snippets (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_snippet_files_snippet_id_path ON snippet_files (snippet_id, path);

