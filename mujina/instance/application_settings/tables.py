"""What administrators decide for the whole instance while it runs."""

from mujina.kernel.db.schema import table, text

# Only what was ever said has a row; the rest is as `params.py` has it.
application_settings = table(
    "application_settings",
    text("name", key=True),
    text("value"),  # JSON
    text("updated_at"),
)
