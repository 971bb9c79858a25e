CREATE TABLE feature_flag_clients (
    project_id BIGINT NOT NULL, 
    token TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_feature_flag_clients PRIMARY KEY (project_id), 
    CONSTRAINT fk_feature_flag_clients_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE TABLE feature_flags (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    name TEXT COLLATE "C" NOT NULL, 
    description TEXT COLLATE "C", 
    active BOOLEAN DEFAULT FALSE NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_feature_flags PRIMARY KEY (id), 
    CONSTRAINT fk_feature_flags_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_feature_flags_project_id_name ON feature_flags (project_id, name);

CREATE TABLE user_lists (
    id BIGSERIAL NOT NULL, 
    project_id BIGINT NOT NULL, 
    iid BIGINT NOT NULL, 
    name TEXT COLLATE "C" NOT NULL, 
    user_xids TEXT COLLATE "C" NOT NULL, 
    created_at TEXT COLLATE "C" NOT NULL, 
    updated_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_user_lists PRIMARY KEY (id), 
    CONSTRAINT fk_user_lists_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_user_lists_project_id_iid ON user_lists (project_id, iid);

CREATE UNIQUE INDEX ix_user_lists_project_id_name ON user_lists (project_id, name);

CREATE TABLE feature_flag_strategies (
    id BIGSERIAL NOT NULL, 
    flag_id BIGINT NOT NULL, 
    name TEXT COLLATE "C" NOT NULL, 
    parameters TEXT COLLATE "C" NOT NULL, 
    user_list_id BIGINT, 
    CONSTRAINT pk_feature_flag_strategies PRIMARY KEY (id), 
    CONSTRAINT fk_feature_flag_strategies_flag_id FOREIGN KEY(flag_id) REFERENCES feature_flags (id) ON DELETE CASCADE, 
    CONSTRAINT fk_feature_flag_strategies_user_list_id FOREIGN KEY(user_list_id) REFERENCES user_lists (id) ON DELETE CASCADE
);

CREATE INDEX ix_feature_flag_strategies_flag_id ON feature_flag_strategies (flag_id);

CREATE INDEX ix_feature_flag_strategies_user_list_id ON feature_flag_strategies (user_list_id) WHERE user_list_id IS NOT NULL;

CREATE TABLE feature_flag_scopes (
    id BIGSERIAL NOT NULL, 
    strategy_id BIGINT NOT NULL, 
    environment_scope TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_feature_flag_scopes PRIMARY KEY (id), 
    CONSTRAINT fk_feature_flag_scopes_strategy_id FOREIGN KEY(strategy_id) REFERENCES feature_flag_strategies (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX ix_feature_flag_scopes_strategy_id_environment_scope ON feature_flag_scopes (strategy_id, environment_scope);

