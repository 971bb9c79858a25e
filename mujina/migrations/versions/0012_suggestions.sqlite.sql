PRAGMA legacy_alter_table = ON;

CREATE TABLE suggestions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	note_id INTEGER NOT NULL, 
	lines_above INTEGER NOT NULL, 
	lines_below INTEGER NOT NULL, 
	head_sha TEXT NOT NULL, 
	path TEXT NOT NULL, 
	from_line INTEGER NOT NULL, 
	to_line INTEGER NOT NULL, 
	from_content TEXT NOT NULL, 
	to_content TEXT NOT NULL, 
	outdated INTEGER DEFAULT FALSE NOT NULL, 
	push_id INTEGER, 
	commit_sha TEXT, 
	CONSTRAINT fk_suggestions_push_id FOREIGN KEY(push_id) REFERENCES pushes (id) ON DELETE SET NULL, 
	CONSTRAINT fk_suggestions_note_id FOREIGN KEY(note_id) REFERENCES notes (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_suggestions_note_id_id ON suggestions (note_id, id);

CREATE INDEX ix_suggestions_push_id ON suggestions (push_id) WHERE push_id IS NOT NULL;

PRAGMA legacy_alter_table = OFF;

