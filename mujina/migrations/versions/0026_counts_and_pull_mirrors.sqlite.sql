PRAGMA legacy_alter_table = ON;

PRAGMA legacy_alter_table = OFF;

CREATE TABLE release_counts (project_id INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_release_counts PRIMARY KEY (project_id)) STRICT, WITHOUT ROWID;

CREATE TRIGGER release_counts_releases_inserted AFTER INSERT ON releases WHEN TRUE BEGIN INSERT INTO release_counts (project_id, n) SELECT NEW.project_id, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = release_counts.n + excluded.n; END;

CREATE TRIGGER release_counts_releases_updated AFTER UPDATE OF project_id ON releases WHEN (OLD.project_id) IS NOT (NEW.project_id) BEGIN INSERT INTO release_counts (project_id, n) SELECT OLD.project_id, -1 WHERE TRUE AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = release_counts.n + excluded.n; INSERT INTO release_counts (project_id, n) SELECT NEW.project_id, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = release_counts.n + excluded.n; END;

CREATE TRIGGER release_counts_releases_deleted BEFORE DELETE ON releases WHEN TRUE BEGIN INSERT INTO release_counts (project_id, n) SELECT OLD.project_id, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = release_counts.n + excluded.n; END;

CREATE TRIGGER release_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM release_counts WHERE project_id = OLD.id AND TRUE; END;

CREATE TABLE package_counts (project_id INTEGER NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_package_counts PRIMARY KEY (project_id)) STRICT, WITHOUT ROWID;

CREATE TRIGGER package_counts_packages_inserted AFTER INSERT ON packages WHEN TRUE BEGIN INSERT INTO package_counts (project_id, n) SELECT NEW.project_id, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = package_counts.n + excluded.n; END;

CREATE TRIGGER package_counts_packages_updated AFTER UPDATE OF project_id ON packages WHEN (OLD.project_id) IS NOT (NEW.project_id) BEGIN INSERT INTO package_counts (project_id, n) SELECT OLD.project_id, -1 WHERE TRUE AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = package_counts.n + excluded.n; INSERT INTO package_counts (project_id, n) SELECT NEW.project_id, 1 WHERE TRUE AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = package_counts.n + excluded.n; END;

CREATE TRIGGER package_counts_packages_deleted BEFORE DELETE ON packages WHEN TRUE BEGIN INSERT INTO package_counts (project_id, n) SELECT OLD.project_id, -1 WHERE EXISTS (SELECT 1 FROM projects o WHERE o.id = OLD.project_id) AND TRUE ON CONFLICT (project_id) DO UPDATE SET n = package_counts.n + excluded.n; END;

CREATE TRIGGER package_counts_of_projects AFTER DELETE ON projects WHEN TRUE BEGIN DELETE FROM package_counts WHERE project_id = OLD.id AND TRUE; END;


INSERT INTO release_counts (project_id, n) SELECT project_id, count(*) FROM releases GROUP BY project_id;

INSERT INTO package_counts (project_id, n) SELECT project_id, count(*) FROM packages GROUP BY project_id;

CREATE TABLE import_keys (
	project_id INTEGER NOT NULL, 
	private_key TEXT, 
	public_key TEXT, 
	host_keys TEXT NOT NULL, 
	CONSTRAINT pk_import_keys PRIMARY KEY (project_id), 
	CONSTRAINT fk_import_keys_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;
