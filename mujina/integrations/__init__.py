"""Notifications of other systems: web hooks of projects and groups, system hooks, and their deliveries."""
