"""The settings of the whole instance with their default values."""

from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from mujina.kernel.http.params import UNSET, Params, Texts, Unset
from mujina.kernel.permissions.levels import Visibility

FORBIDDEN = -1
"""A key restriction: keys of this type are refused. 0 allows every length; more is the minimum number of bits."""


UNPROTECTED, NO_FORCE, MASTERS_ONLY = 0, 1, 2
"""Protection of default branches: none, against force pushes and deletion, against all pushes except masters'."""


class ApplicationSettings(Params):
    """The settings in force."""

    # Users
    signup_enabled: bool = False
    require_admin_approval_after_user_signup: bool = True
    send_user_confirmation_email: bool = False
    domain_whitelist: Texts = msgspec.field(default_factory=list[str])
    domain_blacklist_enabled: bool = False
    domain_blacklist: Texts = msgspec.field(default_factory=list[str])
    user_default_external: bool = False
    default_projects_limit: int = 100_000
    password_authentication_enabled_for_web: bool = True
    password_authentication_enabled_for_git: bool = True
    require_two_factor_authentication: bool = False
    two_factor_grace_period: int = 48
    session_expire_delay: int = 10_080
    gravatar_enabled: bool = False
    user_oauth_applications: bool = True

    # Keys
    rsa_key_restriction: int = 2048
    dsa_key_restriction: int = FORBIDDEN
    ecdsa_key_restriction: int = 0
    ed25519_key_restriction: int = 0
    ecdsa_sk_key_restriction: int = 0
    ed25519_sk_key_restriction: int = 0

    # Projects and groups
    default_project_visibility: Visibility = "private"
    default_snippet_visibility: Visibility = "private"
    default_group_visibility: Visibility = "private"
    restricted_visibility_levels: Texts = msgspec.field(default_factory=list[str])
    default_branch_protection: Literal[0, 1, 2] = 2
    max_attachment_size: int = 10
    import_sources: Texts = msgspec.field(default_factory=lambda: ["git"])
    shared_runners_enabled: bool = True
    max_artifacts_size: int = 100
    max_package_size: int = 5000
    default_artifacts_expire_in: str = "30 days"
    runner_long_poll_seconds: int = 0
    repository_storages: Texts = msgspec.field(default_factory=lambda: ["default"])
    repository_checks_enabled: bool = False
    housekeeping_enabled: bool = True
    enabled_git_access_protocol: Literal["ssh", "http"] | None = None

    # Texts
    home_page_url: str | None = None
    after_sign_out_path: str | None = None
    after_sign_up_text: str | None = None
    sign_in_text: str | None = None
    help_page_text: str | None = None
    shared_runners_text: str | None = None
    help_page_hide_commercial_content: bool = False
    version_check_enabled: bool = False
    usage_ping_enabled: bool = False
    email_author_in_body: bool = False
    html_emails_enabled: bool = True

    @property
    def registration_open(self) -> bool:
        """Whether visitors can create an account: one without a sign-in by password would be useless."""
        return self.signup_enabled and self.password_authentication_enabled_for_web

    def allows_email(self, email: str) -> bool:
        """Whether users may have an address of this domain: on the whitelist, unless that is empty, and not on the blacklist."""
        domain = _canonical(email.rpartition("@")[2])
        allowed = not self.domain_whitelist or _matches_any(self.domain_whitelist, domain)
        return allowed and not (self.domain_blacklist_enabled and _matches_any(self.domain_blacklist, domain))

    def forbids(self, visibility: Visibility) -> bool:
        """Whether only administrators may make something this visible."""
        return visibility in self.restricted_visibility_levels


def _matches_any(domains: list[str], domain: str) -> bool:
    """Whether the domain is listed; `*.example.org` matches every subdomain of `example.org`."""
    return any(fnmatchcase(domain, _canonical(listed)) for listed in domains)


def _canonical(domain: str) -> str:
    """The domain as mail servers compare it: in ASCII and lower case, without the last dot; unchanged if it has no such form."""
    name = domain.strip().lower().rstrip(".")
    try:
        return name.encode("idna").decode()
    except UnicodeError:
        return name


class EditApplicationSettings(ApplicationSettings):
    """Each setting, some of them under their former or later names too."""

    signin_enabled: bool | Unset = UNSET
    password_authentication_enabled: bool | Unset = UNSET
    domain_allowlist: Texts | Unset = UNSET
    domain_denylist_enabled: bool | Unset = UNSET
    domain_denylist: Texts | Unset = UNSET


class AddLicense(Params):
    license: str
