PRAGMA legacy_alter_table = ON;

ALTER TABLE ssh_keys ADD COLUMN expires_at TEXT;

UPDATE ssh_keys SET expires_at = (SELECT pk.expires_at FROM public_deploy_keys pk WHERE pk.key_id = ssh_keys.id)
WHERE id IN (SELECT pk.key_id FROM public_deploy_keys pk WHERE pk.expires_at IS NOT NULL);

CREATE TABLE _alembic_tmp_public_deploy_keys (
	key_id INTEGER NOT NULL, 
	CONSTRAINT pk_public_deploy_keys PRIMARY KEY (key_id), 
	CONSTRAINT fk_public_deploy_keys_key_id FOREIGN KEY(key_id) REFERENCES ssh_keys (id) ON DELETE CASCADE
)
 STRICT;

INSERT INTO _alembic_tmp_public_deploy_keys (key_id) SELECT public_deploy_keys.key_id 
FROM public_deploy_keys;

DROP TABLE public_deploy_keys;

ALTER TABLE _alembic_tmp_public_deploy_keys RENAME TO public_deploy_keys;

PRAGMA legacy_alter_table = OFF;

