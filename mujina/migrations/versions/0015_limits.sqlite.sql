CREATE TABLE limit_counters (
	"key" TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	counted_at TEXT NOT NULL, 
	CONSTRAINT pk_limit_counters PRIMARY KEY ("key")
)
 STRICT;

CREATE INDEX ix_limit_counters_counted_at ON limit_counters (counted_at);

INSERT INTO limit_counters (key, number, counted_at) SELECT claimed, failures, failed_at FROM failed_logins;

DROP INDEX ix_failed_logins_failed_at;

DROP TABLE failed_logins;

