"""What happened and where to find it: contribution events and search."""
