"""The instance itself: its identity, application settings, features and broadcast messages."""
