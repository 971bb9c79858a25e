"""Replication: secondaries that hold copies of the primary, and what is known about them."""
