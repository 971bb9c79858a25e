"""Repositories and what is in them: pushes, branches, tags, commits, files, protection, LFS, wikis, snippets."""
