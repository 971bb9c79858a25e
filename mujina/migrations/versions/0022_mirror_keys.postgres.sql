ALTER TABLE remote_mirrors ADD COLUMN auth_method TEXT COLLATE "C" DEFAULT 'password' NOT NULL;

ALTER TABLE remote_mirrors ADD COLUMN private_key TEXT COLLATE "C";

ALTER TABLE remote_mirrors ADD COLUMN public_key TEXT COLLATE "C";

ALTER TABLE remote_mirrors ADD COLUMN host_keys TEXT COLLATE "C" DEFAULT '' NOT NULL;

