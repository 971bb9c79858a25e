ALTER TABLE ssh_keys ADD COLUMN expires_at TEXT COLLATE "C";

UPDATE ssh_keys SET expires_at = (SELECT pk.expires_at FROM public_deploy_keys pk WHERE pk.key_id = ssh_keys.id)
WHERE id IN (SELECT pk.key_id FROM public_deploy_keys pk WHERE pk.expires_at IS NOT NULL);

ALTER TABLE public_deploy_keys DROP COLUMN expires_at;

