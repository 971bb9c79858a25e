"""PostgreSQL under Patroni with etcd, behind HAProxy: Debian's packages, two members, on loopback."""

import json
import os
import pwd
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import psycopg

from tests.soak.cluster import answers, free_port

MEMBERS = ("one", "two")
POSTGRES = "/usr/lib/postgresql/15/bin"
_DCS = {
    "ttl": 20, "loop_wait": 2, "retry_timeout": 3, "maximum_lag_on_failover": 1_048_576, "synchronous_mode": True,
    "primary_start_timeout": 0,
    "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 120, "wal_log_hints": "on"}},
}  # fmt: skip
"""What all members agree on. With the synchronous mode, a promoted member has everything that was confirmed."""
_HAPROXY = """
global
    log stderr format raw local0
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen postgres
    bind 127.0.0.1:%d
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
%s
"""


class PatroniCluster:
    """It runs as nobody, because PostgreSQL does not run as root."""

    def __init__(self, place: Path) -> None:
        self._place = place
        place.mkdir()
        self._nobody = pwd.getpwnam("nobody")
        os.chown(place, self._nobody.pw_uid, self._nobody.pw_gid)
        for folder in (place, *place.parents[:2]):
            folder.chmod(0o755)
        self._etcd_port, self._peer_port, self.port = free_port(), free_port(), free_port()
        self._ports = {name: (free_port(), free_port()) for name in MEMBERS}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Returns when the primary accepts writes and its standby has all of them."""
        client, peer = f"http://127.0.0.1:{self._etcd_port}", f"http://127.0.0.1:{self._peer_port}"
        self._run(
            "etcd", "etcd", "--data-dir", str(self._place / "etcd"), "--listen-client-urls", client, "--advertise-client-urls",
            client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
        )  # fmt: skip
        while not answers(f"{client}/health"):
            time.sleep(0.1)
        for name in MEMBERS:
            self.start_member(name)
        checks = [f"    server {name} 127.0.0.1:{port} check port {rest}" for name, (port, rest) in self._ports.items()]
        (self._place / "haproxy.cfg").write_text(_HAPROXY % (self.port, "\n".join(checks)))
        self._run("haproxy", "/usr/sbin/haproxy", "-db", "-f", str(self._place / "haproxy.cfg"))
        self.wait_for_standby()

    def start_member(self, name: str) -> None:
        port, rest = self._ports[name]
        config = {
            "scope": "soak", "name": name, "restapi": {"listen": f"127.0.0.1:{rest}", "connect_address": f"127.0.0.1:{rest}"},
            "etcd3": {"host": f"127.0.0.1:{self._etcd_port}"},
            "bootstrap": {
                "dcs": _DCS, "initdb": [{"encoding": "UTF8"}, {"locale": "C"}],
                "pg_hba": [
                    "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust", "local all all trust",
                ],
            },
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}", "data_dir": str(self._place / name),
                "bin_dir": POSTGRES, "remove_data_directory_on_diverged_timelines": True,
                "authentication": {
                    "superuser": {"username": "postgres"}, "replication": {"username": "replicator"},
                    "rewind": {"username": "postgres"},
                },
                "parameters": {"unix_socket_directories": str(self._place)},
            },
        }  # fmt: skip
        (self._place / f"{name}.yaml").write_text(json.dumps(config))
        self._run(name, "/usr/bin/patroni", str(self._place / f"{name}.yaml"))

    def wait_for_standby(self) -> None:
        """Until Patroni would promote the standby, because the primary confirms nothing that it does not have."""
        ends = time.monotonic() + 180
        while time.monotonic() < ends:
            if "sync_standby" in self._roles() and self._accepts_sessions():
                return
            time.sleep(0.3)
        raise TimeoutError("no standby follows synchronously: " + self._log())

    def _roles(self) -> list[str]:
        for _, rest in self._ports.values():
            with suppress(OSError), urlopen(f"http://127.0.0.1:{rest}/cluster", timeout=5) as answer:
                return [member["role"] for member in json.load(answer)["members"]]
        return []

    def _accepts_sessions(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=3).close()
        except psycopg.OperationalError:
            return False
        return True

    def primary(self) -> str:
        for name, (_, rest) in self._ports.items():
            if answers(f"http://127.0.0.1:{rest}/primary"):
                return name
        raise LookupError("there is no primary")

    def kill_member(self, name: str) -> None:
        """Its machine dies: Patroni and PostgreSQL at once."""
        postmaster = int((self._place / name / "postmaster.pid").read_text().split()[0])
        self._processes[name].kill()
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for process in (postmaster, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._processes[name].wait()

    def seconds_until_writable(self) -> float:
        """Until the address of the cluster accepts a write again: the time that the failover itself takes."""
        started = time.monotonic()
        while time.monotonic() - started < 180:
            with suppress(psycopg.Error), psycopg.connect(self.url, connect_timeout=1, autocommit=True) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS probe (id int); INSERT INTO probe VALUES (1)")
                return time.monotonic() - started
            time.sleep(0.1)
        raise TimeoutError("no new primary: " + self._log())

    def close(self) -> None:
        for name in MEMBERS:
            with suppress(OSError, ValueError):
                self.kill_member(name)
        for process in self._processes.values():
            process.kill()
            process.wait()

    def _run(self, name: str, *command: str) -> None:
        become = (f"--reuid={self._nobody.pw_uid}", f"--regid={self._nobody.pw_gid}", "--clear-groups")
        environment = {"PATH": f"{POSTGRES}:/usr/sbin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(self._place)}
        with (self._place / f"{name}.log").open("a") as log:
            self._processes[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *become, *command],
                cwd=self._place, env=environment, stdout=log, stderr=log,
            )  # fmt: skip

    def _log(self) -> str:
        return "\n".join((self._place / f"{name}.log").read_text()[-3_000:] for name in MEMBERS)
