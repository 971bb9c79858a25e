ALTER TABLE protected_branches ADD COLUMN allow_force_push BOOLEAN DEFAULT FALSE NOT NULL;
