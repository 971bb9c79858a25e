"""What tells other systems of events: web hooks of projects and groups, system hooks, and their deliveries."""
