"""The settings of an LDAP directory: one table `[ldap.ID]` for each, every key with its description and default."""

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from mujina.kernel.text.server_urls import check_server_url

Url = Annotated[
    str,
    Meta(
        title="ldap://HOST:PORT or ldaps://HOST:PORT",
        pattern=r"^ldaps?://([A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\])(:\d{1,5})?/?$",
        extra={"check": check_server_url},
    ),
]
Text = Annotated[str, Meta(title="a text")]
Password = Annotated[str, Meta(title="a text", extra={"secret": True})]
Choice = Annotated[bool, Meta(title="true or false")]
Seconds = Annotated[int, Meta(title="a number of seconds from 1 to 300", ge=1, le=300)]
Interval = Annotated[int, Meta(title="a number of seconds from 60 to 604800", ge=60, le=604_800)]
Words = Annotated[tuple[str, ...], Meta(title="a list of words, separated by commas in the environment")]
TlsVersion = Annotated[Literal["1.2", "1.3"], Meta(title="1.2 or 1.3")]
File = Annotated[Path, Meta(title="the path of a file")]


class AttributeNames(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The attributes of an entry from which a user is made; of each list, the first attribute that has a value."""

    username: Annotated[Words, Meta(description="Attributes of the username of a new user.")] = (
        "uid",
        "userid",
        "sAMAccountName",
    )
    email: Annotated[Words, Meta(description="Attributes of the email address.")] = (
        "mail",
        "email",
        "userPrincipalName",
    )
    name: Annotated[Words, Meta(description="Attributes of the name of a new user.")] = ("cn",)
    first_name: Annotated[Words, Meta(description="Attributes of the first name, where there is no name.")] = (
        "givenName",
    )
    last_name: Annotated[Words, Meta(description="Attributes of the last name, where there is no name.")] = ("sn",)


class Directory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One directory. Its provider's name, `ldap` and the id, is stored with identities and links."""

    id: str = ""
    url: Annotated[Url, Meta(description="Address of the server. Required.")]
    label: Annotated[Text, Meta(description="Name on the sign-in page.")] = "LDAP"
    start_tls: Annotated[
        Choice,
        Meta(description="Upgrade an `ldap://` connection to TLS before anything is sent; a failure is an error."),
    ] = False
    verify_tls: Annotated[Choice, Meta(description="Check the name and the chain of the server's certificate.")] = True
    ca_file: Annotated[
        File | None, Meta(description="Certificates of the authorities to trust. Unset: those of the system.")
    ] = None
    tls_min: Annotated[TlsVersion, Meta(description="The oldest version of TLS to accept.")] = "1.2"
    bind_dn: Annotated[Text, Meta(description="Account that searches. Empty: the search is anonymous.")] = ""
    bind_password: Annotated[Password, Meta(description="Password of that account; better in the environment.")] = ""
    timeout: Annotated[Seconds, Meta(description="Longest time of one operation, connecting included.")] = 10
    base: Annotated[Text, Meta(description="Where users are, at any depth. Required.")]
    user_filter: Annotated[
        Text, Meta(description="Filter (RFC 4515) that every user has to match, at sign-in and later.")
    ] = ""
    uid: Annotated[Text, Meta(description="Attribute with which the login is compared.")] = "uid"
    login_strips_domain: Annotated[Choice, Meta(description="Drop everything from the first `@` of the login.")] = False
    attributes: AttributeNames = AttributeNames()
    lowercase_usernames: Annotated[Choice, Meta(description="Create usernames in lower case.")] = False
    block_new_users: Annotated[
        Choice, Meta(description="New users are blocked until an administrator unblocks them.")
    ] = False
    link_by_email: Annotated[
        Choice,
        Meta(
            description="A first sign-in gets the existing account with the same primary email address, unless it is an "
            "administrator's. Set it only if users cannot choose their address in the directory, and not while visitors "
            "can sign up without `send_user_confirmation_email`: they could take the address of another person first."
        ),
    ] = False
    active_directory: Annotated[
        Choice, Meta(description="Read Active Directory's disabled bit, nested groups and member ranges.")
    ] = False
    group_base: Annotated[
        Text, Meta(description="Where groups are. Empty: no group links, `admin_group` or `external_groups`.")
    ] = ""
    nested_groups: Annotated[
        Choice, Meta(description="Members of a group that are groups bring their members, to a depth of 10.")
    ] = False
    admin_group: Annotated[Text, Meta(description="CN of the group whose members are administrators.")] = ""
    external_groups: Annotated[Words, Meta(description="CNs of the groups whose members are external users.")] = ()
    ssh_key_attribute: Annotated[
        Text, Meta(description="Attribute of the users' SSH keys, such as `sshPublicKey`.")
    ] = ""
    check_interval: Annotated[Interval, Meta(description="Time between two checks of a user who is active.")] = 3_600

    @property
    def provider(self) -> str:
        """The name in identities, links and paths."""
        return f"ldap{self.id}"

    @property
    def encrypted(self) -> bool:
        return self.start_tls or self.url.startswith("ldaps:")

    def __repr__(self) -> str:
        """Shows no values: the password may not end up in a log or a traceback."""
        return f"Directory({self.id})"


class DirectoryError(Exception):
    """The directory gave no definite answer: nothing may be concluded from it. The text names no entry and no password."""


class InconclusiveAnswer(DirectoryError):
    """The directory answers, but leaves this one question open; others may be asked."""
