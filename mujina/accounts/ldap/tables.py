"""The last runs of the synchronization with directories, for `mujina ldap status`."""

from mujina.kernel.db.ddl import table, text

ldap_runs = table(
    "ldap_runs",
    text("provider", key=True),
    text("kind", key=True),  # users | groups | administrators | external
    text("started_at"),
    text("ended_at"),
    text("outcome"),  # done | failed | waiting
    text("summary"),  # what was done, what failed, or what waits for --confirm
)
