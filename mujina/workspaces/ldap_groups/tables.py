"""Links from groups to groups of LDAP directories, and the state of their synchronization."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

ldap_group_links = table(
    "ldap_group_links",
    primary_key(),
    foreign_key("group_id", "groups"),
    text("provider"),
    text("cn"),  # empty: linked by the filter
    text("filter", default=""),  # RFC 4515, of people below the base of the directory; empty: linked by the CN
    integer("group_access"),
    text("created_at"),
    index("group_id", "provider", "cn", "filter", unique=True),
    index("provider"),
)

ldap_group_syncs = table(
    "ldap_group_syncs",
    foreign_key("group_id", "groups", key=True),
    text("status", default="ready"),  # ready | pending | started | failed
    text("error", null=True),  # why the last run failed, or what waits for --confirm
    text("last_sync_at", null=True),  # when the last run started; a run that finds another value was overtaken
    text("last_update_at", null=True),  # when the last run ended
    text("last_successful_update_at", null=True),
)
