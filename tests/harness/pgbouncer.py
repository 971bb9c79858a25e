"""A real PgBouncer with transaction pooling, in front of a PostgreSQL that listens in a folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

PORT = 6432


class PgBouncer:
    """`sessions` are those with the server, which all clients of a database share. It listens in a folder of its own."""

    def __init__(self, server: str, sessions: int = 3, **settings: str) -> None:
        self._server = conninfo_to_dict(server)
        self.home = Path(tempfile.mkdtemp(prefix="mujina-pgbouncer-"))
        self._settings = {
            "listen_port": str(PORT), "unix_socket_dir": str(self.home), "auth_type": "any", "pool_mode": "transaction",
            "default_pool_size": str(sessions), "max_client_conn": "500", "logfile": str(self.home / "log"),
            "server_login_retry": "0.5", "query_wait_timeout": "5", "server_connect_timeout": "3",
        } | settings  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.home}&port={PORT}"

    def start(self) -> None:
        """Returns when it answers."""
        place = f"host={self._server['host']} port={self._server.get('port', 5432)} user=postgres"
        lines = [f"{name} = {value}" for name, value in self._settings.items()]
        (self.home / "pgbouncer.ini").write_text("\n".join(["[databases]", f"* = {place}", "[pgbouncer]", *lines, ""]))
        # It does not run as root, and ends with this process, however that ends.
        become = []
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.home, nobody.pw_uid, nobody.pw_gid)
            become = [f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin") or "pgbouncer"
        command = ["setpriv", "--pdeathsig", "KILL", *become, program, "-q", str(self.home / "pgbouncer.ini")]
        self._process = subprocess.Popen(command, cwd=self.home)
        while not self._answers():
            assert self._process.poll() is None, (self.home / "log").read_text()
            time.sleep(0.02)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.home)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True
