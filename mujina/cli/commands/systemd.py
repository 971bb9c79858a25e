"""`mujina service`."""

import pwd
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.settings import Settings

service = App(name="service")
UNIT = Path("/etc/systemd/system/mujina.service")
WRITTEN = "# Written by `mujina service install`; put changes into mujina.service.d/*.conf (`systemctl edit mujina`)."
SECONDS_TO_CLOSE = 10
"""Seconds that a stop may take after the grace period of requests."""


@service.command
def install(
    *,
    user: Annotated[str | None, Parameter(help="User that runs it. Unset: the owner of the data folder.")] = None,
    unit: Annotated[Path, Parameter(help="File to write.")] = UNIT,
    print_only: Annotated[
        bool, Parameter(name="--print", negative="", help="Print the unit, and write nothing.")
    ] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Write a systemd unit that serves this instance with no more rights than it needs."""
    effective = instance.effective()
    settings = effective.settings
    if not settings.data.exists():
        raise CommandError(f"There is no data folder {settings.data}: create it for the user that runs Mujina.")
    text = _unit(settings, user or _owner(settings.data), instance.config)
    if print_only:
        print(text, end="")
    else:
        _write(unit, text)
    for name, source in effective.sources.items():
        if source.startswith("MUJINA_"):
            print(f"mujina: note: the service does not see {source}: put {name} into mujina.toml.", file=sys.stderr)


def _write(unit: Path, text: str) -> None:
    if unit.exists() and WRITTEN not in unit.read_text():
        raise CommandError(
            f"{unit} exists and was not written by this command: remove it, or name another with --unit."
        )
    try:
        unit.write_text(text)
    except OSError as error:
        raise CommandError(f"{unit} cannot be written ({error.strerror}): run this as root, or give --unit.") from None
    print(f"Wrote {unit}. Start it with `systemctl daemon-reload` and `systemctl enable --now {unit.stem}`.")


def _owner(data: Path) -> str:
    owner = data.stat().st_uid
    if owner == 0:
        raise CommandError(
            f"The data folder {data} belongs to root: give it to a user of its own, with `useradd --system mujina` and "
            f"`chown -R mujina {data}`, or name a user with --user."
        )
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return str(owner)


def _unit(settings: Settings, user: str, config: str | None) -> str:
    data = settings.data.absolute()
    command = [sys.executable, "-m", "mujina", "serve", "--data", str(data)]
    if config is not None:
        command += ["--config", str(Path(config).absolute())]
    writable = {str(data)}
    if settings.sqlite_file is not None:
        writable.add(str(settings.sqlite_file.absolute().parent))
    if settings.storage_url and settings.storage_url.startswith("file://"):
        writable.add(settings.storage_url.removeprefix("file://"))
    ports = (settings.port, settings.ssh_port, settings.pages_port, settings.pages_tls_port, 1024)
    low_port = min(port for port in ports if port) < 1024
    return TEMPLATE.format(
        written=WRITTEN,
        command=" ".join(map(_quoted, command)),
        user=user,
        writable=" ".join(map(_quoted, sorted(writable))),
        stop=settings.grace_seconds + SECONDS_TO_CLOSE,
        capabilities="CAP_NET_BIND_SERVICE" if low_port else "",
    )


def _quoted(word: str) -> str:
    """The word as systemd reads it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if escaped != word or any(character.isspace() for character in word) else word


TEMPLATE = """\
{written}
[Unit]
Description=Mujina, a project host
After=network-online.target postgresql.service
Wants=network-online.target

[Service]
Type=exec
ExecStart={command}
User={user}
Restart=on-failure
RestartSec=1
# An upgrade of a large database takes its time.
TimeoutStartSec=infinity
TimeoutStopSec={stop}
KillMode=mixed
LimitNOFILE=65536
# Every request is a line: journald would drop what it takes for a flood.
LogRateLimitIntervalSec=0

UMask=0077
ReadWritePaths={writable}
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
NoNewPrivileges=yes
CapabilityBoundingSet={capabilities}
AmbientCapabilities={capabilities}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
"""
"""What is not denied has a reason: git compiles patterns at run time (MemoryDenyWriteExecute), we read the memory of the machine
in /proc (ProcSubset), and hooks and mirrors call any address (IPAddressDeny)."""
