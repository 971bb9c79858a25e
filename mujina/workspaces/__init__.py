"""Where work happens and who has access: namespaces, groups, members, projects and what is set on them."""
