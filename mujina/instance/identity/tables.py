"""What the instance knows of itself."""

from mujina.kernel.db.schema import table, words

instance_facts = table(
    "instance_facts",
    words("name", key=True),
    words("value"),
)
