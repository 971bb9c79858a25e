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

CREATE TABLE code_owner_rules (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	merge_request_id INTEGER NOT NULL, 
	section TEXT NOT NULL, 
	pattern TEXT NOT NULL, 
	approvals_required INTEGER NOT NULL, 
	CONSTRAINT fk_code_owner_rules_merge_request_id FOREIGN KEY(merge_request_id) REFERENCES merge_requests (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_code_owner_rules_merge_request_id_id ON code_owner_rules (merge_request_id, id);

CREATE TABLE code_owner_rule_groups (
	code_owner_rule_id INTEGER NOT NULL, 
	group_id INTEGER NOT NULL, 
	CONSTRAINT pk_code_owner_rule_groups PRIMARY KEY (code_owner_rule_id, group_id), 
	CONSTRAINT fk_code_owner_rule_groups_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_code_owner_rule_groups_code_owner_rule_id FOREIGN KEY(code_owner_rule_id) REFERENCES code_owner_rules (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_code_owner_rule_groups_group_id ON code_owner_rule_groups (group_id);

CREATE TABLE code_owner_rule_users (
	code_owner_rule_id INTEGER NOT NULL, 
	user_id INTEGER NOT NULL, 
	CONSTRAINT pk_code_owner_rule_users PRIMARY KEY (code_owner_rule_id, user_id), 
	CONSTRAINT fk_code_owner_rule_users_code_owner_rule_id FOREIGN KEY(code_owner_rule_id) REFERENCES code_owner_rules (id) ON DELETE CASCADE, 
	CONSTRAINT fk_code_owner_rule_users_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_code_owner_rule_users_user_id ON code_owner_rule_users (user_id);

ALTER TABLE protected_branches ADD COLUMN code_owner_approval_required INTEGER DEFAULT FALSE NOT NULL;
