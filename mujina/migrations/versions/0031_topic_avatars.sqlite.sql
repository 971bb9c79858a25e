PRAGMA legacy_alter_table = ON;

ALTER TABLE topics ADD COLUMN avatar TEXT;

ALTER TABLE topics ADD COLUMN avatar_key TEXT;

PRAGMA legacy_alter_table = OFF;

