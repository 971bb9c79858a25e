"""Continuous integration: pipelines, their jobs, and the runners that work for them."""
