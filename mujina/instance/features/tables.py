"""Feature flags: for whom a feature is on."""

from mujina.kernel.db.ddl import table, text

feature_gates = table(
    "feature_gates",
    text("name", key=True),
    text("gate", key=True),  # boolean | percentage_of_time | groups | actors; known: the feature was set at some time
    text("value", key=True),  # true, a number, the name of a group of users, User:1
)
