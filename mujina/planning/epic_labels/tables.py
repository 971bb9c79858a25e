"""Labels of epics: those of the group of the epic and of the groups above."""

from mujina.kernel.db.ddl import index, link_table

epic_labels = link_table("epic_labels", "epic", "label", index("label_id", "epic_id"))
