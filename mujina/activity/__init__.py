"""Activity: contribution events, and search."""
