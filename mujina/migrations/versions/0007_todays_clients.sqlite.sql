ALTER TABLE protected_branches ADD COLUMN allow_force_push INTEGER DEFAULT FALSE NOT NULL;
