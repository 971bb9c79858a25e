PRAGMA legacy_alter_table = ON;

CREATE TABLE feature_flag_clients (
	project_id INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	CONSTRAINT pk_feature_flag_clients PRIMARY KEY (project_id), 
	CONSTRAINT fk_feature_flag_clients_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE TABLE feature_flags (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	description TEXT, 
	active INTEGER DEFAULT FALSE NOT NULL, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_feature_flags_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_feature_flags_project_id_name ON feature_flags (project_id, name);

CREATE TABLE user_lists (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	project_id INTEGER NOT NULL, 
	iid INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	user_xids TEXT NOT NULL, 
	created_at TEXT NOT NULL, 
	updated_at TEXT NOT NULL, 
	CONSTRAINT fk_user_lists_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_user_lists_project_id_iid ON user_lists (project_id, iid);

CREATE UNIQUE INDEX ix_user_lists_project_id_name ON user_lists (project_id, name);

CREATE TABLE feature_flag_strategies (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	flag_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	parameters TEXT NOT NULL, 
	user_list_id INTEGER, 
	CONSTRAINT fk_feature_flag_strategies_flag_id FOREIGN KEY(flag_id) REFERENCES feature_flags (id) ON DELETE CASCADE, 
	CONSTRAINT fk_feature_flag_strategies_user_list_id FOREIGN KEY(user_list_id) REFERENCES user_lists (id) ON DELETE CASCADE
)
 STRICT;

CREATE INDEX ix_feature_flag_strategies_flag_id ON feature_flag_strategies (flag_id);

CREATE INDEX ix_feature_flag_strategies_user_list_id ON feature_flag_strategies (user_list_id) WHERE user_list_id IS NOT NULL;

CREATE TABLE feature_flag_scopes (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	strategy_id INTEGER NOT NULL, 
	environment_scope TEXT NOT NULL, 
	CONSTRAINT fk_feature_flag_scopes_strategy_id FOREIGN KEY(strategy_id) REFERENCES feature_flag_strategies (id) ON DELETE CASCADE
)
 STRICT;

CREATE UNIQUE INDEX ix_feature_flag_scopes_strategy_id_environment_scope ON feature_flag_scopes (strategy_id, environment_scope);

PRAGMA legacy_alter_table = OFF;

