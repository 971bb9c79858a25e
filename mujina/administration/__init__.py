"""Pages for administrators: the state of the instance, its users, its background work."""
