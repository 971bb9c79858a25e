CREATE TABLE release_documents (
    id INTEGER NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    shape INTEGER,
    shared_epoch INTEGER,
    project_epoch INTEGER,
    body TEXT
) STRICT;

CREATE TRIGGER release_documents_changed AFTER UPDATE ON releases WHEN TRUE BEGIN INSERT INTO release_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER release_documents_gone AFTER DELETE ON releases WHEN TRUE BEGIN DELETE FROM release_documents WHERE id = OLD.id; END;

CREATE TRIGGER release_documents_release_links_come AFTER INSERT ON release_links WHEN TRUE BEGIN INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER release_documents_release_links_gone AFTER DELETE ON release_links WHEN TRUE BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER release_documents_release_links_changed AFTER UPDATE ON release_links WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER release_documents_release_milestones_come AFTER INSERT ON release_milestones WHEN TRUE BEGIN INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER release_documents_release_milestones_gone AFTER DELETE ON release_milestones WHEN TRUE BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER release_documents_release_milestones_changed AFTER UPDATE ON release_milestones WHEN (TRUE) OR (TRUE) BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; END;

CREATE TRIGGER document_epochs_projects_path AFTER UPDATE OF path, default_branch ON projects WHEN (OLD.path, OLD.default_branch) IS NOT (NEW.path, NEW.default_branch) BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; END;

