"""Continuous integration: the language of CI files and its validation."""
