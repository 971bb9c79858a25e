CREATE INDEX ix_packages_created_at_id ON packages (created_at, id);

CREATE INDEX ix_releases_released_at_id ON releases (released_at, id);

CREATE TABLE package_name_counts (project_id BIGINT NOT NULL, package_type TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_package_name_counts ON package_name_counts (project_id, package_type, name);

CREATE FUNCTION package_name_counts_add(BIGINT, TEXT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE package_name_counts SET n = n + $4 WHERE ctid = (SELECT c.ctid FROM package_name_counts c WHERE c.project_id = $1 AND c.package_type = $2 AND c.name = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM package_name_counts c WHERE c.project_id = $1 AND c.package_type = $2 AND c.name = $3 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE package_name_counts SET n = n + $4 WHERE ctid = shard; ELSE INSERT INTO package_name_counts (project_id, package_type, name, n) VALUES ($1, $2, $3, $4); END IF; END IF; END';

CREATE FUNCTION package_name_counts_packages_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM package_name_counts_add(s.project_id, s.package_type, s.name, s.n) FROM (SELECT NEW.project_id, NEW.package_type, NEW.name, 1 WHERE TRUE AND TRUE) s (project_id, package_type, name, n); RETURN NULL; END';

CREATE TRIGGER package_name_counts_packages_inserted AFTER INSERT ON packages FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION package_name_counts_packages_inserted();

CREATE FUNCTION package_name_counts_packages_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM package_name_counts_add(s.project_id, s.package_type, s.name, s.n) FROM (SELECT OLD.project_id, OLD.package_type, OLD.name, -1 WHERE TRUE AND TRUE) s (project_id, package_type, name, n); PERFORM package_name_counts_add(s.project_id, s.package_type, s.name, s.n) FROM (SELECT NEW.project_id, NEW.package_type, NEW.name, 1 WHERE TRUE AND TRUE) s (project_id, package_type, name, n); RETURN NULL; END';

CREATE TRIGGER package_name_counts_packages_updated AFTER UPDATE OF project_id, package_type, name ON packages FOR EACH ROW WHEN ((OLD.project_id, OLD.package_type, OLD.name) IS DISTINCT FROM (NEW.project_id, NEW.package_type, NEW.name)) EXECUTE FUNCTION package_name_counts_packages_updated();

CREATE FUNCTION package_name_counts_packages_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM package_name_counts_add(s.project_id, s.package_type, s.name, s.n) FROM (SELECT OLD.project_id, OLD.package_type, OLD.name, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE) s (project_id, package_type, name, n); RETURN OLD; END';

CREATE TRIGGER package_name_counts_packages_deleted BEFORE DELETE ON packages FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION package_name_counts_packages_deleted();

CREATE FUNCTION package_name_counts_of_projects() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM package_name_counts WHERE project_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER package_name_counts_of_projects AFTER DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION package_name_counts_of_projects();


INSERT INTO package_name_counts (project_id, package_type, name, n)
SELECT project_id, package_type, name, count(*) FROM packages GROUP BY project_id, package_type, name;
