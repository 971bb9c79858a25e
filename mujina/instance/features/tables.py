"""Features that are tried out by some before they are everybody's."""

from mujina.kernel.db.schema import table, text

feature_gates = table(
    "feature_gates",
    text("name", key=True),
    text("gate", key=True),  # boolean | percentage_of_time | groups | actors; known: somebody spoke of it
    text("value", key=True),  # true, a number, the name of a group of people, User:1
)
