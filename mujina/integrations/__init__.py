"""Notifications of other systems: webhooks of projects and groups, system hooks, and their deliveries."""
