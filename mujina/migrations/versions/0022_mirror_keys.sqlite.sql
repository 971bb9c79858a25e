ALTER TABLE remote_mirrors ADD COLUMN auth_method TEXT DEFAULT 'password' NOT NULL;

ALTER TABLE remote_mirrors ADD COLUMN private_key TEXT;

ALTER TABLE remote_mirrors ADD COLUMN public_key TEXT;

ALTER TABLE remote_mirrors ADD COLUMN host_keys TEXT DEFAULT '' NOT NULL;

