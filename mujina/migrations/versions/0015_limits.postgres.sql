CREATE TABLE limit_counters (
    key TEXT COLLATE "C" NOT NULL, 
    number BIGINT NOT NULL, 
    counted_at TEXT COLLATE "C" NOT NULL, 
    CONSTRAINT pk_limit_counters PRIMARY KEY (key)
);

CREATE INDEX ix_limit_counters_counted_at ON limit_counters (counted_at);

INSERT INTO limit_counters (key, number, counted_at) SELECT claimed, failures, failed_at FROM failed_logins;

DROP INDEX ix_failed_logins_failed_at;

DROP TABLE failed_logins;

