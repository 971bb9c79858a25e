ALTER TABLE protected_branches ADD COLUMN allow_force_push INTEGER DEFAULT FALSE NOT NULL;

CREATE INDEX ix_ssh_keys_md5 ON ssh_keys (md5);

CREATE TABLE user_statuses (
	user_id INTEGER NOT NULL PRIMARY KEY, 
	emoji TEXT NOT NULL, 
	message TEXT NOT NULL, 
	availability TEXT NOT NULL, 
	clear_at TEXT, 
	CONSTRAINT fk_user_statuses_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
)
 STRICT;
