"""Domains at which projects want their sites."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text, timestamps

pages_domains = table(
    "pages_domains",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("domain"),  # in ASCII and lower case
    text("certificate", null=True),  # PEM
    text("key", null=True),  # PEM, encrypted
    text("subject", null=True),  # of the certificate
    text("expires_at", null=True),  # of the certificate
    text("verified_at", null=True),  # when it was last found to belong to the project; NULL: no site is served there
    text("checked_at", null=True),  # when that was last tried
    text("problem", null=True),  # what was wrong then
    *timestamps(),
    index("domain", unique=True),
    index("project_id", "id"),
)
