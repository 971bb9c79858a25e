PRAGMA legacy_alter_table = ON;

CREATE TABLE group_shares (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	shared_group_id INTEGER NOT NULL, 
	group_id INTEGER NOT NULL, 
	cap INTEGER NOT NULL, 
	expires_on TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	CONSTRAINT fk_group_shares_shared_group_id FOREIGN KEY(shared_group_id) REFERENCES groups (id) ON DELETE CASCADE, 
	CONSTRAINT fk_group_shares_group_id FOREIGN KEY(group_id) REFERENCES groups (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_group_shares_group_id_shared_group_id_cap_expires_on ON group_shares (group_id, shared_group_id, cap, expires_on);

CREATE UNIQUE INDEX ix_group_shares_shared_group_id_group_id ON group_shares (shared_group_id, group_id);

PRAGMA legacy_alter_table = OFF;

