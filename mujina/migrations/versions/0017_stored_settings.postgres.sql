ALTER TABLE groups ADD COLUMN stored_settings TEXT COLLATE "C";

ALTER TABLE projects ADD COLUMN stored_settings TEXT COLLATE "C";

