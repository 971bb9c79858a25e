"""What the imports of projects brought."""

from mujina.kernel.db.ddl import foreign_key, table, text

import_reports = table(
    "import_reports",
    foreign_key("project_id", "projects", key=True),
    text("report"),  # JSON: what came by now, and what did not
    text("updated_at"),
)
