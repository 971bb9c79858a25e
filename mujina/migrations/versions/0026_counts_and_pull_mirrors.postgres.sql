CREATE TABLE release_counts (project_id BIGINT NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_release_counts ON release_counts (project_id);

CREATE FUNCTION release_counts_add(BIGINT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE release_counts SET n = n + $2 WHERE ctid = (SELECT c.ctid FROM release_counts c WHERE c.project_id = $1 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM release_counts c WHERE c.project_id = $1 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE release_counts SET n = n + $2 WHERE ctid = shard; ELSE INSERT INTO release_counts (project_id, n) VALUES ($1, $2); END IF; END IF; END';

CREATE FUNCTION release_counts_releases_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM release_counts_add(s.project_id, s.n) FROM (SELECT NEW.project_id, 1 WHERE TRUE AND TRUE) s (project_id, n); RETURN NULL; END';

CREATE TRIGGER release_counts_releases_inserted AFTER INSERT ON releases FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_counts_releases_inserted();

CREATE FUNCTION release_counts_releases_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM release_counts_add(s.project_id, s.n) FROM (SELECT OLD.project_id, -1 WHERE TRUE AND TRUE) s (project_id, n); PERFORM release_counts_add(s.project_id, s.n) FROM (SELECT NEW.project_id, 1 WHERE TRUE AND TRUE) s (project_id, n); RETURN NULL; END';

CREATE TRIGGER release_counts_releases_updated AFTER UPDATE OF project_id ON releases FOR EACH ROW WHEN ((OLD.project_id) IS DISTINCT FROM (NEW.project_id)) EXECUTE FUNCTION release_counts_releases_updated();

CREATE FUNCTION release_counts_releases_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM release_counts_add(s.project_id, s.n) FROM (SELECT OLD.project_id, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE) s (project_id, n); RETURN OLD; END';

CREATE TRIGGER release_counts_releases_deleted BEFORE DELETE ON releases FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_counts_releases_deleted();

CREATE FUNCTION release_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM release_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER release_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_counts_of_projects();

CREATE TABLE package_counts (project_id BIGINT NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_package_counts ON package_counts (project_id);

CREATE FUNCTION package_counts_add(BIGINT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE package_counts SET n = n + $2 WHERE ctid = (SELECT c.ctid FROM package_counts c WHERE c.project_id = $1 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM package_counts c WHERE c.project_id = $1 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE package_counts SET n = n + $2 WHERE ctid = shard; ELSE INSERT INTO package_counts (project_id, n) VALUES ($1, $2); END IF; END IF; END';

CREATE FUNCTION package_counts_packages_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM package_counts_add(s.project_id, s.n) FROM (SELECT NEW.project_id, 1 WHERE TRUE AND TRUE) s (project_id, n); RETURN NULL; END';

CREATE TRIGGER package_counts_packages_inserted AFTER INSERT ON packages FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION package_counts_packages_inserted();

CREATE FUNCTION package_counts_packages_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM package_counts_add(s.project_id, s.n) FROM (SELECT OLD.project_id, -1 WHERE TRUE AND TRUE) s (project_id, n); PERFORM package_counts_add(s.project_id, s.n) FROM (SELECT NEW.project_id, 1 WHERE TRUE AND TRUE) s (project_id, n); RETURN NULL; END';

CREATE TRIGGER package_counts_packages_updated AFTER UPDATE OF project_id ON packages FOR EACH ROW WHEN ((OLD.project_id) IS DISTINCT FROM (NEW.project_id)) EXECUTE FUNCTION package_counts_packages_updated();

CREATE FUNCTION package_counts_packages_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM package_counts_add(s.project_id, s.n) FROM (SELECT OLD.project_id, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE) s (project_id, n); RETURN OLD; END';

CREATE TRIGGER package_counts_packages_deleted BEFORE DELETE ON packages FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION package_counts_packages_deleted();

CREATE FUNCTION package_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM package_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER package_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION package_counts_of_projects();


INSERT INTO release_counts (project_id, n) SELECT project_id, count(*) FROM releases GROUP BY project_id;

INSERT INTO package_counts (project_id, n) SELECT project_id, count(*) FROM packages GROUP BY project_id;

CREATE TABLE import_keys (
    project_id BIGINT NOT NULL, 
    private_key TEXT COLLATE "C", 
    public_key TEXT COLLATE "C", 
    host_keys TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_import_keys PRIMARY KEY (project_id), 
    CONSTRAINT fk_import_keys_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);
