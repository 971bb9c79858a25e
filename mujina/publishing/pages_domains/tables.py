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
    *timestamps(),
    index("domain", unique=True),
    index("project_id", "id"),
)
