"""Labels of epics: those of the group of the epic and of the groups above."""

from mujina.kernel.db.schema import foreign_key, index, table

epic_labels = table(
    "epic_labels",
    foreign_key("epic_id", "epics", key=True),
    foreign_key("label_id", "labels", key=True),
    index("label_id", "epic_id"),
)
