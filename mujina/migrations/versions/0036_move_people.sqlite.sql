PRAGMA legacy_alter_table = ON;

CREATE TABLE move_people (
	move_id INTEGER NOT NULL, 
	login TEXT NOT NULL, 
	name TEXT NOT NULL, 
	user_id INTEGER, 
	CONSTRAINT pk_move_people PRIMARY KEY (move_id, login), 
	CONSTRAINT fk_move_people_move_id FOREIGN KEY(move_id) REFERENCES moves (id) ON DELETE CASCADE, 
	CONSTRAINT fk_move_people_user_id FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE SET NULL
)
 STRICT;

CREATE INDEX ix_move_people_user_id ON move_people (user_id) WHERE user_id IS NOT NULL;

ALTER TABLE moves ADD COLUMN login TEXT;

PRAGMA legacy_alter_table = OFF;

