CREATE INDEX ix_packages_created_at_id ON packages (created_at, id);

CREATE INDEX ix_releases_released_at_id ON releases (released_at, id);

CREATE TABLE package_name_counts (project_id INTEGER NOT NULL, package_type TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_package_name_counts PRIMARY KEY (project_id, package_type, name)) STRICT, WITHOUT ROWID;

CREATE TRIGGER package_name_counts_packages_inserted AFTER INSERT ON packages WHEN TRUE BEGIN INSERT INTO package_name_counts (project_id, package_type, name, n) SELECT NEW.project_id, NEW.package_type, NEW.name, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id, package_type, name) DO UPDATE SET n = package_name_counts.n + excluded.n; END;

CREATE TRIGGER package_name_counts_packages_updated AFTER UPDATE OF project_id, package_type, name ON packages WHEN (OLD.project_id, OLD.package_type, OLD.name) IS NOT (NEW.project_id, NEW.package_type, NEW.name) BEGIN INSERT INTO package_name_counts (project_id, package_type, name, n) SELECT OLD.project_id, OLD.package_type, OLD.name, -1 WHERE TRUE AND TRUE ON CONFLICT (project_id, package_type, name) DO UPDATE SET n = package_name_counts.n + excluded.n; INSERT INTO package_name_counts (project_id, package_type, name, n) SELECT NEW.project_id, NEW.package_type, NEW.name, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id, package_type, name) DO UPDATE SET n = package_name_counts.n + excluded.n; END;

CREATE TRIGGER package_name_counts_packages_deleted BEFORE DELETE ON packages WHEN TRUE BEGIN INSERT INTO package_name_counts (project_id, package_type, name, n) SELECT OLD.project_id, OLD.package_type, OLD.name, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE ON CONFLICT (project_id, package_type, name) DO UPDATE SET n = package_name_counts.n + excluded.n; END;

CREATE TRIGGER package_name_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM package_name_counts WHERE project_id = OLD.id AND TRUE; END;


INSERT INTO package_name_counts (project_id, package_type, name, n)
SELECT project_id, package_type, name, count(*) FROM packages GROUP BY project_id, package_type, name;
