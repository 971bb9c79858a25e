CREATE TABLE topics (
    id BIGSERIAL NOT NULL, 
    name TEXT COLLATE "C" NOT NULL, 
    name_folded TEXT COLLATE "C" NOT NULL, 
    title TEXT COLLATE "C" NOT NULL, 
    description TEXT COLLATE "C", 
    curated BOOLEAN DEFAULT FALSE NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_topics PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_topics_name ON topics (name);

CREATE TABLE project_topics (
    project_id BIGINT NOT NULL, 
    topic_id BIGINT NOT NULL, 
    CONSTRAINT pk_project_topics PRIMARY KEY (project_id, topic_id), 
    CONSTRAINT fk_project_topics_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
    CONSTRAINT fk_project_topics_topic_id FOREIGN KEY(topic_id) REFERENCES topics (id) ON DELETE CASCADE
);

CREATE INDEX ix_project_topics_topic_id_project_id ON project_topics (topic_id, project_id);

CREATE TABLE topic_counts (topic_id BIGINT NOT NULL, visibility TEXT COLLATE "C" NOT NULL, n BIGINT NOT NULL);

CREATE INDEX ix_topic_counts ON topic_counts (topic_id, visibility);

CREATE FUNCTION topic_counts_add(BIGINT, TEXT, BIGINT) RETURNS void LANGUAGE plpgsql AS 'DECLARE shard tid; BEGIN UPDATE topic_counts SET n = n + $3 WHERE ctid = (SELECT c.ctid FROM topic_counts c WHERE c.topic_id = $1 AND c.visibility = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF NOT FOUND THEN shard := (SELECT c.ctid FROM topic_counts c WHERE c.topic_id = $1 AND c.visibility = $2 LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED); IF shard IS NOT NULL THEN UPDATE topic_counts SET n = n + $3 WHERE ctid = shard; ELSE INSERT INTO topic_counts (topic_id, visibility, n) VALUES ($1, $2, $3); END IF; END IF; END';

CREATE FUNCTION topic_counts_project_topics_inserted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM topic_counts_add(s.topic_id, s.visibility, s.n) FROM (SELECT NEW.topic_id, x.visibility, 1 FROM projects x WHERE TRUE AND x.id = NEW.project_id AND x.deleted_at IS NULL FOR SHARE) s (topic_id, visibility, n); RETURN NULL; END';

CREATE TRIGGER topic_counts_project_topics_inserted AFTER INSERT ON project_topics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION topic_counts_project_topics_inserted();

CREATE FUNCTION topic_counts_project_topics_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM topic_counts_add(s.topic_id, s.visibility, s.n) FROM (SELECT OLD.topic_id, x.visibility, -1 FROM projects x WHERE EXISTS (SELECT 1 FROM topics o WHERE o.id = OLD.topic_id) AND x.id = OLD.project_id AND x.deleted_at IS NULL FOR SHARE) s (topic_id, visibility, n); RETURN OLD; END';

CREATE TRIGGER topic_counts_project_topics_deleted BEFORE DELETE ON project_topics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION topic_counts_project_topics_deleted();

CREATE FUNCTION topic_counts_projects_updated() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM topic_counts_add(s.topic_id, s.visibility, s.n) FROM (SELECT x.topic_id, OLD.visibility, -1 FROM project_topics x WHERE TRUE AND x.project_id = OLD.id AND OLD.deleted_at IS NULL) s (topic_id, visibility, n); PERFORM topic_counts_add(s.topic_id, s.visibility, s.n) FROM (SELECT x.topic_id, NEW.visibility, 1 FROM project_topics x WHERE TRUE AND x.project_id = NEW.id AND NEW.deleted_at IS NULL) s (topic_id, visibility, n); RETURN NULL; END';

CREATE TRIGGER topic_counts_projects_updated AFTER UPDATE OF visibility, deleted_at ON projects FOR EACH ROW WHEN ((OLD.visibility, OLD.deleted_at) IS DISTINCT FROM (NEW.visibility, NEW.deleted_at)) EXECUTE FUNCTION topic_counts_projects_updated();

CREATE FUNCTION topic_counts_projects_deleted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM topic_counts_add(s.topic_id, s.visibility, s.n) FROM (SELECT x.topic_id, OLD.visibility, -1 FROM project_topics x WHERE EXISTS (SELECT 1 FROM topics o WHERE o.id = x.topic_id) AND x.project_id = OLD.id AND OLD.deleted_at IS NULL) s (topic_id, visibility, n); RETURN OLD; END';

CREATE TRIGGER topic_counts_projects_deleted BEFORE DELETE ON projects FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION topic_counts_projects_deleted();

CREATE FUNCTION topic_counts_of_topics() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM topic_counts WHERE topic_id = OLD.id AND TRUE; RETURN NULL; END';

CREATE TRIGGER topic_counts_of_topics AFTER DELETE ON topics FOR EACH ROW WHEN (TRUE) EXECUTE FUNCTION topic_counts_of_topics();

INSERT INTO topics (name, name_folded, title, created_at, updated_at)
    SELECT tag, lower(tag), tag, min(projects.created_at), min(projects.created_at)
    FROM projects, unnest(string_to_array(tag_list, chr(10))) tag WHERE tag <> '' GROUP BY tag ORDER BY tag;

INSERT INTO project_topics (project_id, topic_id)
    SELECT DISTINCT projects.id, topics.id
    FROM projects, unnest(string_to_array(tag_list, chr(10))) tag JOIN topics ON topics.name = tag;

CREATE TABLE public_deploy_keys (
    key_id BIGINT NOT NULL, 
    expires_at TEXT COLLATE "C", 
    CONSTRAINT pk_public_deploy_keys PRIMARY KEY (key_id), 
    CONSTRAINT fk_public_deploy_keys_key_id FOREIGN KEY(key_id) REFERENCES ssh_keys (id) ON DELETE CASCADE
);

