PRAGMA legacy_alter_table = ON;

CREATE TABLE topics (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	name_folded TEXT NOT NULL, 
	title TEXT NOT NULL, 
	description TEXT, 
	curated INTEGER DEFAULT FALSE NOT NULL, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL
)
 STRICT;

CREATE UNIQUE INDEX ix_topics_name ON topics (name);

CREATE TABLE project_topics (
	project_id INTEGER NOT NULL, 
	topic_id INTEGER NOT NULL, 
	CONSTRAINT pk_project_topics PRIMARY KEY (project_id, topic_id), 
	CONSTRAINT fk_project_topics_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE, 
	CONSTRAINT fk_project_topics_topic_id FOREIGN KEY(topic_id) REFERENCES topics (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_project_topics_topic_id_project_id ON project_topics (topic_id, project_id);

PRAGMA legacy_alter_table = OFF;

CREATE TABLE topic_counts (topic_id INTEGER NOT NULL, visibility TEXT NOT NULL, n INTEGER NOT NULL, CONSTRAINT pk_topic_counts PRIMARY KEY (topic_id, visibility)) STRICT, WITHOUT ROWID;

CREATE TRIGGER topic_counts_project_topics_inserted AFTER INSERT ON project_topics WHEN TRUE BEGIN INSERT INTO topic_counts (topic_id, visibility, n) SELECT NEW.topic_id, x.visibility, 1 FROM projects x WHERE TRUE AND x.id = NEW.project_id AND x.deleted_at IS NULL ON CONFLICT (topic_id, visibility) DO UPDATE SET n = topic_counts.n + excluded.n; END;

CREATE TRIGGER topic_counts_project_topics_deleted BEFORE DELETE ON project_topics WHEN TRUE BEGIN INSERT INTO topic_counts (topic_id, visibility, n) SELECT OLD.topic_id, x.visibility, -1 FROM projects x WHERE EXISTS (SELECT 1 FROM topics o WHERE o.id = OLD.topic_id) AND x.id = OLD.project_id AND x.deleted_at IS NULL ON CONFLICT (topic_id, visibility) DO UPDATE SET n = topic_counts.n + excluded.n; END;

CREATE TRIGGER topic_counts_projects_updated AFTER UPDATE OF visibility, deleted_at ON projects WHEN (OLD.visibility, OLD.deleted_at) IS NOT (NEW.visibility, NEW.deleted_at) BEGIN INSERT INTO topic_counts (topic_id, visibility, n) SELECT x.topic_id, OLD.visibility, -1 FROM project_topics x WHERE TRUE AND x.project_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (topic_id, visibility) DO UPDATE SET n = topic_counts.n + excluded.n; INSERT INTO topic_counts (topic_id, visibility, n) SELECT x.topic_id, NEW.visibility, 1 FROM project_topics x WHERE TRUE AND x.project_id = NEW.id AND NEW.deleted_at IS NULL ON CONFLICT (topic_id, visibility) DO UPDATE SET n = topic_counts.n + excluded.n; END;

CREATE TRIGGER topic_counts_projects_deleted BEFORE DELETE ON projects WHEN TRUE BEGIN INSERT INTO topic_counts (topic_id, visibility, n) SELECT x.topic_id, OLD.visibility, -1 FROM project_topics x WHERE EXISTS (SELECT 1 FROM topics o WHERE o.id = x.topic_id) AND x.project_id = OLD.id AND OLD.deleted_at IS NULL ON CONFLICT (topic_id, visibility) DO UPDATE SET n = topic_counts.n + excluded.n; END;

CREATE TRIGGER topic_counts_of_topics AFTER DELETE ON topics WHEN TRUE BEGIN DELETE FROM topic_counts WHERE topic_id = OLD.id AND TRUE; END;

INSERT INTO topics (name, name_folded, title, created_at, updated_at)
    WITH RECURSIVE lines (created_at, tag, rest) AS (
        SELECT created_at, '', tag_list || char(10) FROM projects WHERE tag_list <> ''
        UNION ALL
        SELECT created_at, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1)
        FROM lines WHERE rest <> '')
    SELECT tag, lower(tag), tag, min(created_at), min(created_at) FROM lines WHERE tag <> '' GROUP BY tag ORDER BY tag;

INSERT INTO project_topics (project_id, topic_id)
    WITH RECURSIVE lines (project_id, tag, rest) AS (
        SELECT id, '', tag_list || char(10) FROM projects WHERE tag_list <> ''
        UNION ALL
        SELECT project_id, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1)
        FROM lines WHERE rest <> '')
    SELECT DISTINCT lines.project_id, topics.id FROM lines JOIN topics ON topics.name = lines.tag;

PRAGMA legacy_alter_table = ON;

CREATE TABLE public_deploy_keys (
	key_id INTEGER NOT NULL, 
	expires_at TEXT, 
	CONSTRAINT pk_public_deploy_keys PRIMARY KEY (key_id), 
	CONSTRAINT fk_public_deploy_keys_key_id FOREIGN KEY(key_id) REFERENCES ssh_keys (id) ON DELETE CASCADE
)
 STRICT;

PRAGMA legacy_alter_table = OFF;

