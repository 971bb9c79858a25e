"""What administrators decide for the whole instance while it runs."""

from mujina.kernel.db.schema import table, words

# Only what was ever said has a row; the rest is as `params.py` has it.
application_settings = table(
    "application_settings",
    words("name", key=True),
    words("value"),  # JSON
    words("updated_at"),
)
