"""The settings of an instance: one frozen struct, each field with its description and its default.

`configuration.py` fills it from file, environment and flags; `docs/operating.md` prints it as a table.
"""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from mujina.directory_settings import Choice, Directory, File, Interval, Words
from mujina.kernel.text.name_servers import parse_name_server
from mujina.kernel.text.server_urls import check_server_url

# Each kind of value with what is expected of it: the title ends the error message.
Folder = Annotated[Path, Meta(title="the path of a folder")]
Host = Annotated[str, Meta(title="an address or name of this machine, such as 0.0.0.0", min_length=1)]
Port = Annotated[int, Meta(title="a port number from 0 to 65535", ge=0, le=65_535)]
Processes = Annotated[int, Meta(title="a number of processes from 1 to 64", ge=1, le=64)]
Seconds = Annotated[int, Meta(title="a number of seconds from 1 to 3600", ge=1, le=3_600)]
Count = Annotated[int, Meta(title="a whole number from 1 to 1000000", ge=1, le=1_000_000)]
Kilobytes = Annotated[int, Meta(title="a number of kilobytes from 8 to 1000000", ge=8, le=1_000_000)]
Secret = Annotated[str, Meta(title="at least 8 characters", min_length=8, extra={"secret": True})]
Version = Annotated[
    str,
    Meta(
        title="a version such as 10.5.0-ee", pattern=r"^[0-9]+\.[0-9]+\.[0-9]+(-[A-Za-z0-9._]+)?(?!\n)$", max_length=64
    ),
]
DatabaseUrl = Annotated[
    str,
    Meta(
        title="sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME",
        pattern=r"^(sqlite:///|postgres(ql)?://).+",
        extra={"secret": True},
    ),
]
PoolerUrl = Annotated[
    str,
    Meta(title="postgresql://USER:PASSWORD@HOST:6432/NAME", pattern=r"^postgres(ql)?://.+", extra={"secret": True}),
]
StorageUrl = Annotated[
    str, Meta(title="s3://BUCKET/PREFIX, gs://…, az://… or file:///PATH", pattern=r"^(s3|gs|az|file)://.+")
]
WebUrl = Annotated[
    str,
    Meta(
        title="http:// or https:// and a host, with nothing after it",
        pattern=r"^https?://[^/?#@\s]+$",
        extra={"check": check_server_url},
    ),
]
SshUrl = Annotated[
    str,
    Meta(
        title="ssh:// and a host, with its port unless that is 22",
        pattern=r"^ssh://(git@)?([\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d+)?$",
        extra={"check": check_server_url},
    ),
]
SmtpUrl = Annotated[
    str,
    Meta(
        title="smtp://USER:PASSWORD@HOST:PORT or smtps://…",
        pattern=r"^smtps?://[^/\s]+$",
        extra={"secret": True, "check": check_server_url},
    ),
]
Sender = Annotated[str, Meta(title="an address such as Mujina <mujina@example.org>", pattern=r"^[^\r\n]+@[^\r\n]+$")]
Networks = Annotated[
    tuple[str, ...], Meta(title="a list of addresses and networks such as 10.0.0.0/8", extra={"each": ip_network})
]
NameServers = Annotated[
    tuple[str, ...],
    Meta(
        title="a list of addresses such as 10.0.0.2, 127.0.0.1:5353 or [2001:db8::1]:53",
        extra={"each": parse_name_server},
    ),
]
Level = Annotated[Literal["debug", "info", "warning", "error"], Meta(title="debug, info, warning or error")]
Format = Annotated[Literal["auto", "json", "console"], Meta(title="auto, json or console")]
Jobs = Annotated[Literal["background", "inline"], Meta(title="background or inline")]
Edition = Literal["core", "standard", "ultimate"]
EditionName = Annotated[Edition, Meta(title="core, standard or ultimate")]
Directories = Annotated[tuple[Directory, ...], Meta(title="tables such as [ldap.main]")]


def says(sentence: str) -> Meta:
    """The description of a setting."""
    return Meta(description=sentence)


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings; it is passed to the code that needs one."""

    # Where things are
    data: Annotated[Folder, says("Folder of the database, the files and the instance key.")] = Path("data")
    database_url: Annotated[
        DatabaseUrl | None, says("Database: SQLite or PostgreSQL. Unset: SQLite in the data folder.")
    ] = None
    database_pooler_url: Annotated[
        PoolerUrl | None,
        says("PgBouncer in front of `database_url`, with transaction pooling: requests and jobs go through it."),
    ] = None
    storage_url: Annotated[
        StorageUrl | None, says("Where uploaded files are kept. Unset: the folder `files` in the data folder.")
    ] = None
    external_url: Annotated[
        WebUrl | None,
        says("Address at which users reach this instance. Unset: the `Host` of each request; in mails, host and port."),
    ] = None

    # Listeners
    host: Annotated[Host, says("Address to listen on.")] = "127.0.0.1"
    port: Annotated[Port, says("Port of HTTP; 0 takes any free one and prints it.")] = 8080
    ssh_port: Annotated[Port, says("Port of SSH; 0 takes any free one and prints it.")] = 2222
    ssh_external_url: Annotated[
        SshUrl | None,
        says(
            "Address at which users reach git over SSH, if a container or a firewall gives it another port or host. "
            "Unset: the host of `external_url`, and `ssh_port`."
        ),
    ] = None

    # Sites
    pages_port: Annotated[
        Port | None, says("Port at which sites are served over HTTP; 0 takes any free one. Unset: no sites are served.")
    ] = None
    pages_url: Annotated[
        WebUrl | None,
        says(
            "Address of sites: the site of `group/project` is at `group` below its host, so DNS must have a name for `*` "
            "there. It must not be the host of `external_url`. Unset: `/group/project/` on `pages_port`, public sites only."
        ),
    ] = None
    pages_tls_port: Annotated[
        Port | None,
        says("Port of HTTPS for sites, each domain with its own certificate; 0 takes any free one. Unset: none."),
    ] = None
    pages_tls_certificate: Annotated[
        File | None, says("File of the certificate chain for the names below `pages_url`, with `pages_tls_port`.")
    ] = None
    pages_tls_key: Annotated[File | None, says("File of the key of `pages_tls_certificate`.")] = None
    dns_servers: Annotated[
        NameServers,
        says(
            "Name servers that are asked who owns a domain, such as `10.0.0.2` or `127.0.0.1:5353`. Unset: the system's."
        ),
    ] = ()

    # Processes
    workers: Annotated[
        Processes, says("Processes that answer HTTP. With 1, the same process also runs jobs and schedules.")
    ] = 1
    jobs: Annotated[
        Jobs, says("`inline` runs jobs before the response to the request that enqueued them: for test suites.")
    ] = "background"

    # First start
    root_password: Annotated[
        Secret | None,
        says("Password of the administrator `root` created at first start. Unset: generated, shown once."),
    ] = None
    root_token: Annotated[
        Secret | None, says("Personal access token of `root` (scopes api, sudo) created at first start. Unset: none.")
    ] = None

    instance_key: Annotated[
        Secret | None,
        says("Key that encrypts stored secrets. Unset: generated at first start, kept in the data folder."),
    ] = None
    backup_passphrase: Annotated[
        Secret | None, says("Passphrase of encrypted backups. Unset: `mujina backup` and `mujina restore` ask for it.")
    ] = None

    # Features
    edition: Annotated[
        EditionName,
        says(
            "Features that the API offers. `ultimate`: all. `standard`: no epics. `core`: also no push rules, weights, "
            "second assignees, LDAP group links or replication. A lower edition hides data and deletes none."
        ),
    ] = "ultimate"

    artifacts: Annotated[Choice, says("Whether CI jobs may store artifacts.")] = True
    remote_includes: Annotated[
        Choice, says("Whether CI files may include files of other servers (`include:remote`), which are then called.")
    ] = False

    # Limits
    max_body_megabytes: Annotated[Count, says("Largest body of an API request.")] = 10
    max_push_megabytes: Annotated[Count, says("Largest push over git, and largest pack of an import.")] = 5_000
    max_archive_megabytes: Annotated[
        Count, says("Largest archive of a project or group, and largest sum of what is in it.")
    ] = 20_000
    max_trace_megabytes: Annotated[Count, says("Largest trace of a CI job; a job that prints more fails.")] = 100
    max_header_kilobytes: Annotated[Count, says("Largest request line and headers together.")] = 64
    max_connections: Annotated[
        Count,
        says(
            "Open connections of one process at each port; more wait, unaccepted, for one to close (SSH: are closed)."
        ),
    ] = 8_192
    header_seconds: Annotated[
        Seconds,
        says("A connection that has not sent a whole request head, or signed in over SSH, for this long is closed."),
    ] = 30
    password_kilobytes: Annotated[
        Kilobytes, says("Memory to check one password: more makes guessing more expensive. Test suites set 64.")
    ] = 19_456
    max_failed_logins: Annotated[
        Count | None,
        says(
            "Failed sign-ins allowed from one address (IPv6: one /64 network) in ten minutes; "
            "further ones get 429 until these have passed. "
            "Unset: no limit. Behind a proxy set `trusted_proxies` too, or all requests come from one address."
        ),
    ] = None
    max_api_requests: Annotated[
        Count | None,
        says("Requests of the API that a user may send in a minute; further ones get 429. Unset: no limit."),
    ] = None
    max_anonymous_api_requests: Annotated[
        Count | None, says("The same for an address (IPv6: one /64 network) without a valid credential.")
    ] = None
    max_git_requests: Annotated[
        Count | None, says("Requests of git and LFS, and commands over SSH, of a user or deploy key in a minute.")
    ] = None
    max_anonymous_git_requests: Annotated[
        Count | None, says("The same for an address: what everybody may clone, cloned without signing in.")
    ] = None
    max_searches: Annotated[Count | None, says("Searches of a user in a minute, in pages and the API.")] = None
    max_anonymous_searches: Annotated[Count | None, says("The same for an address without signing in.")] = None
    max_raw_files: Annotated[
        Count | None, says("Raw files and snippets that a user may read in a minute, in pages and the API.")
    ] = None
    max_anonymous_raw_files: Annotated[Count | None, says("The same for an address without signing in.")] = None
    max_notes: Annotated[Count | None, says("Comments that a user may write in a minute, in pages and the API.")] = None
    external_images: Annotated[
        Choice,
        says(
            "Show pictures of other sites, such as badges, in texts: those sites learn who reads them. Otherwise they are links."
        ),
    ] = False
    highlighting_cache_megabytes: Annotated[
        Count, says("Space in the data folder for highlighted source code, which is computed again when it is removed.")
    ] = 256
    grace_seconds: Annotated[
        Seconds, says("Time that running requests and jobs have to finish when the server stops.")
    ] = 25

    # The outside
    trusted_proxies: Annotated[
        Networks,
        says("Addresses and networks of reverse proxies: the client's address is read from their `X-Forwarded-For`."),
    ] = ()
    outbound_allow: Annotated[
        Words,
        says(
            "Hosts, networks and `host:port` pairs in private ranges that imports, mirrors and hooks may call. "
            "A name is called only if all of its addresses may be; listing the name covers them."
        ),
    ] = ()
    metrics_allow: Annotated[Networks, says("Addresses and networks that may read `/-/metrics`.")] = (
        "127.0.0.0/8",
        "::1",
    )
    primary_ca_file: Annotated[
        File | None,
        says("On a secondary: file of certificates to trust at the primary instead of those of the system."),
    ] = None
    smtp_url: Annotated[
        SmtpUrl | None, says("Server that takes our mail. Unset: mail is kept in the data folder, see `mujina mail`.")
    ] = None
    mail_from: Annotated[Sender, says("Sender of our mail.")] = "Mujina <mujina@localhost>"
    api_version_text: Annotated[
        Version,
        says(
            "What `GET /version` tells clients. From 13 on (`17.11.0-ee` suits clients of today), issues, users, projects and "
            "namespaces have the fields that such clients expect, see [compatibility](compatibility.md)."
        ),
    ] = "10.5.0-ee"

    # Directories
    ldap: Annotated[
        Directories, says("Directories by which users sign in: a table `[ldap.ID]` for each, see below.")
    ] = ()
    ldap_user_sync: Annotated[Interval, says("Seconds between two checks of all users against their directories.")] = (
        86_400
    )
    ldap_group_sync: Annotated[
        Interval, says("Seconds between two synchronizations of all linked groups with their directories.")
    ] = 3_600
    allow_group_owners_to_manage_ldap: Annotated[
        Choice, says("`false`: only administrators link groups to a directory and override levels that it sets.")
    ] = True

    # Logs
    log_format: Annotated[Format, says("`auto`: lines for people on a terminal, JSON elsewhere.")] = "auto"
    access_log: Annotated[
        Choice,
        says("Write a line for every request and SSH command. `false`: only for requests that take over a second."),
    ] = True
    log_level: Annotated[Level, says("The least severe line that is written.")] = "info"

    @property
    def database(self) -> str:
        """The address of the database that is used."""
        return self.database_url or f"sqlite:///{self.data}/mujina.db"

    @property
    def sqlite_file(self) -> Path | None:
        """The file of the database, if it is one."""
        scheme, _, path = self.database.partition(":///")
        return Path(path) if scheme == "sqlite" else None

    @property
    def local_url(self) -> str:
        """The address of this instance on this machine."""
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(self.host, self.host)  # noqa: S104 - not bound to
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address of this instance as clients are told, without a slash at the end."""
        return self.external_url or self.local_url

    @property
    def serves_sites(self) -> bool:
        """Whether the sites of projects have an address."""
        return self.pages_port is not None or self.pages_url is not None

    @property
    def ssh_address(self) -> tuple[int, str | None]:
        """The port and the host of git over SSH as clients are told; None: the host of the web address."""
        if self.ssh_external_url is None:
            return self.ssh_port, None
        host, colon, port = self.ssh_external_url.removeprefix("ssh://").removeprefix("git@").rpartition(":")
        if colon and not port.endswith("]"):
            return int(port), host
        return 22, f"{host}{colon}{port}"

    def __repr__(self) -> str:
        """Shows no values: a struct with secrets may end up in a log or a traceback."""
        return "Settings(…)"
