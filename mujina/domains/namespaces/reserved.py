"""Words that cannot be paths: something of ours answers there."""

TOP_LEVEL = frozenset(
    ["-", ".well-known", "404.html", "422.html", "500.html", "502.html", "503.html", "abuse_reports", "admin", "api", "apple-touch-icon.png", "apple-touch-icon-precomposed.png", "assets", "autocomplete", "ci", "dashboard", "deploy.html", "explore", "favicon.ico", "files", "groups", "header_logo_dark.png", "header_logo_light.png", "health_check", "help", "import", "invites", "jwt", "koding", "notification_settings", "oauth", "profile", "projects", "public", "robots.txt", "s", "search", "sent_notifications", "slash-command-logo.png", "snippets", "u", "unsubscribes", "uploads", "users"]
)

BELOW_A_GROUP = frozenset(
    ["-", "badges", "blame", "blob", "builds", "commits", "create", "create_dir", "edit", "environments", "files", "find_file", "gitlab-lfs", "info", "new", "preview", "raw", "refs", "tree", "update", "wikis"]
)
