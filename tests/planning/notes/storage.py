"""What is stored around notes."""


def stored(cast):
    """The number of rows of everything that is deleted with what it is about."""
    return {
        "notes": cast.value("SELECT count(*) FROM notes"),
        "awards": cast.value("SELECT count(*) FROM awards"),
        "mentions": cast.value("SELECT count(*) FROM mentions"),
        "subscriptions": cast.value("SELECT count(*) FROM subscriptions"),
        "todos": cast.value("SELECT count(*) FROM todos"),
    }
