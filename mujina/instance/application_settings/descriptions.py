"""A sentence about each application setting, for its page and for the documentation."""

from typing import Final

EFFECTIVE: Final = {
    "signup_enabled": "whether visitors can create an account at `/users/sign_up`, if passwords are accepted there",
    "require_admin_approval_after_user_signup": "whether such an account waits until an administrator approves it",
    "send_user_confirmation_email": (
        "whether such an account waits until its address is confirmed by a mailed link; "
        "users created by administrators always confirm theirs, unless `skip_confirmation` is set"
    ),
    "after_sign_up_text": "plain text shown after signing up",
    "domain_whitelist": "new and changed email addresses must belong to these domains; `*.example.org` includes all subdomains",
    "domain_blacklist_enabled": "whether `domain_blacklist` applies",
    "domain_blacklist": "new and changed email addresses must not belong to these domains",
    "user_default_external": "whether new users are external by default",
    "default_projects_limit": "the number of projects that new users may create",
    "password_authentication_enabled_for_web": "whether users can sign in with a password on the page and in OAuth 2",
    "password_authentication_enabled_for_git": "whether git over HTTP accepts passwords, or only tokens",
    "require_two_factor_authentication": (
        "users must enable two-factor authentication before they can do anything else; "
        "git and OAuth 2 do not accept a password alone"
    ),
    "two_factor_grace_period": "hours that a user has for this, from their first visit to a page",
    "session_expire_delay": "minutes after which an unused session expires",
    "user_oauth_applications": "whether users who are not administrators can register OAuth 2 applications",
    "rsa_key_restriction": "minimum length of RSA keys in bits; 0: any length, -1: forbidden",
    "dsa_key_restriction": "the same for DSA",
    "ecdsa_key_restriction": "the same for ECDSA",
    "ed25519_key_restriction": "the same for ED25519",
    "ecdsa_sk_key_restriction": "the same for ECDSA on a security key",
    "ed25519_sk_key_restriction": "the same for ED25519 on a security key",
    "default_project_visibility": "visibility of new projects, limited by that of their group",
    "default_snippet_visibility": "visibility of new personal snippets",
    "default_group_visibility": "visibility of new groups, limited by that of their parent group",
    "restricted_visibility_levels": (
        "visibility levels that only administrators can give to projects, groups and snippets; "
        "with `public`, anonymous visitors cannot see users"
    ),
    "default_branch_protection": "protection of a new default branch: 0 none, 1 no force-push or deletion, 2 only masters can push",
    "max_attachment_size": "maximum size of an uploaded file in megabytes",
    "max_artifacts_size": "maximum size of a file that a CI job stores, in megabytes",
    "max_package_size": "maximum size of a file of a package, in megabytes",
    "default_artifacts_expire_in": "how long artifacts are kept of which the CI file does not say it, as `30 days`; `0`: for ever",
    "import_sources": (
        "without `git`, importing a repository from a URL is disabled, "
        "and so is moving projects here from another forge in the browser"
    ),
    "shared_runners_enabled": "the value that new projects get",
    "runner_long_poll_seconds": (
        "seconds, 50 at most, that the request of a runner waits for a job; 0: it is answered at once. "
        "A program that runs several runners asks for one after the other, so waiting delays the others"
    ),
    "housekeeping_enabled": "whether repositories are repacked automatically after many pushes",
    "enabled_git_access_protocol": "`ssh` or `http`: git over the other protocol is rejected",
    "home_page_url": "where `/` redirects visitors who are not signed in",
    "after_sign_out_path": "where signing out redirects",
    "sign_in_text": "plain text shown above the sign-in form",
    "help_page_text": "text on the help page",
    "html_emails_enabled": "whether mails contain an HTML part in addition to plain text",
}
"""The effect of each setting that has one."""
STORED: Final = {
    "gravatar_enabled": "no external service is asked for avatars",
    "shared_runners_text": "no page shows it yet",
    "repository_storages": "there is one storage, `default`",
    "repository_checks_enabled": "git checks repositories at every push",
    "help_page_hide_commercial_content": "there is no commercial content",
    "version_check_enabled": "Mujina never looks for new versions",
    "usage_ping_enabled": "Mujina never reports usage",
    "email_author_in_body": "mails are about accounts and have no author",
}
"""Why a setting that clients may store has no effect."""
