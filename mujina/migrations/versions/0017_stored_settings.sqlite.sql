PRAGMA legacy_alter_table = ON;

ALTER TABLE groups ADD COLUMN stored_settings TEXT;

ALTER TABLE projects ADD COLUMN stored_settings TEXT;

PRAGMA legacy_alter_table = OFF;

