ALTER TABLE protected_branches ADD COLUMN allow_force_push BOOLEAN DEFAULT FALSE NOT NULL;

CREATE INDEX ix_ssh_keys_md5 ON ssh_keys (md5);

CREATE TABLE user_statuses (
	user_id BIGINT NOT NULL, 
	emoji TEXT COLLATE "C" NOT NULL, 
	message TEXT COLLATE "C" NOT NULL, 
	availability TEXT COLLATE "C" NOT NULL, 
	clear_at TEXT COLLATE "C", 
	CONSTRAINT pk_user_statuses PRIMARY KEY (user_id), 
	CONSTRAINT fk_user_statuses_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE
);
