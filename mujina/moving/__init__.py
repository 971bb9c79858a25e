"""Moving in from other forges."""
