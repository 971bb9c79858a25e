"""People and how they authenticate: users, email addresses, keys, tokens, sessions, two-factor, OAuth."""
