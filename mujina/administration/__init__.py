"""What administrators see and do: the state of the instance, its users, its work in the background."""
