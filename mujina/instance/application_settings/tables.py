"""Settings that administrators change while the instance runs."""

from mujina.kernel.db.ddl import table, text

# Only settings that were ever changed have a row; the others have the defaults of `params.py`.
application_settings = table(
    "application_settings",
    text("name", key=True),
    text("value"),  # JSON
    text("updated_at"),
)
