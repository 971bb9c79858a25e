CREATE TABLE release_documents (
    id BIGINT NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    shape BIGINT,
    shared_epoch BIGINT,
    project_epoch BIGINT,
    body TEXT COLLATE "C"
);

CREATE FUNCTION release_documents_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) VALUES (NEW.id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_changed AFTER UPDATE ON releases DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_documents_changed();

CREATE FUNCTION release_documents_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM release_documents WHERE id = OLD.id; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_gone AFTER DELETE ON releases DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_documents_gone();

CREATE FUNCTION release_documents_release_links_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_release_links_come AFTER INSERT ON release_links DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_documents_release_links_come();

CREATE FUNCTION release_documents_release_links_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_release_links_gone AFTER DELETE ON release_links DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_documents_release_links_gone();

CREATE FUNCTION release_documents_release_links_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_release_links_changed AFTER UPDATE ON release_links DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION release_documents_release_links_changed();

CREATE FUNCTION release_documents_release_milestones_come() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_release_milestones_come AFTER INSERT ON release_milestones DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_documents_release_milestones_come();

CREATE FUNCTION release_documents_release_milestones_gone() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_release_milestones_gone AFTER DELETE ON release_milestones DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION release_documents_release_milestones_gone();

CREATE FUNCTION release_documents_release_milestones_changed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO release_documents (id, version) SELECT releases.id, 1 FROM releases WHERE releases.id = OLD.release_id ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; INSERT INTO release_documents (id, version) VALUES (NEW.release_id, 1) ON CONFLICT (id) DO UPDATE SET version = release_documents.version + 1, body = NULL; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER release_documents_release_milestones_changed AFTER UPDATE ON release_milestones DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((TRUE) OR (TRUE)) EXECUTE FUNCTION release_documents_release_milestones_changed();

CREATE FUNCTION document_epochs_projects_path() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO document_epochs (id, n) VALUES (coalesce(OLD.id, 0), 1) ON CONFLICT (id) DO UPDATE SET n = document_epochs.n + 1; RETURN NULL; END';

CREATE CONSTRAINT TRIGGER document_epochs_projects_path AFTER UPDATE OF path, default_branch ON projects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((OLD.path, OLD.default_branch) IS DISTINCT FROM (NEW.path, NEW.default_branch)) EXECUTE FUNCTION document_epochs_projects_path();

