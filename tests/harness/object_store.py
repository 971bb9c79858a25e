"""A real object store on loopback: SeaweedFS, with one bucket, and one key that may do everything."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from os import getpid
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tests.harness.mounts import mounting

WEED = Path(sys.executable).with_name("weed")
URL = "s3://mujina"
PORT = 21001
_PORTS = {
    "s3.port": PORT, "s3.port.grpc": 21002, "s3.port.iceberg": 0, "s3.port.lance": 0, "master.port": 21003,
    "master.port.grpc": 21004, "volume.port": 21005, "volume.port.grpc": 21006, "filer.port": 21007, "filer.port.grpc": 21008,
}  # fmt: skip
_OPTIONS = {
    "filer": "true", "s3": "true", "master.telemetry": "false", "master.volumeSizeLimitMB": "64", "volume.max": "100",
    "master.electionTimeout": "500ms", "master.heartbeatInterval": "100ms", "dir": "/mnt", "s3.config": "/mnt/keys.json",
}  # fmt: skip


class ObjectStore:
    """It listens at an address of its own of the loopback network: its many ports are free there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        number = getpid()
        self.host = f"127.{100 + number // 65_536 % 100}.{number // 256 % 256}.{number % 256}"
        self.environment = {
            "AWS_ACCESS_KEY_ID": "mujina-tests",
            "AWS_SECRET_ACCESS_KEY": "key-of-the-object-store",
            "AWS_ENDPOINT_URL": f"http://{self.host}:{PORT}",
            "AWS_REGION": "us-east-1",
            "MUJINA_STORAGE_URL": URL,
        }
        key = {
            "accessKey": self.environment["AWS_ACCESS_KEY_ID"],
            "secretKey": self.environment["AWS_SECRET_ACCESS_KEY"],
        }
        identity = {"name": "mujina", "credentials": [key], "actions": ["Admin", "Read", "Write", "List"]}
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "keys.json").write_text(json.dumps({"identities": [identity]}))

    def start(self) -> None:
        """Returns when it answers."""
        options = _PORTS | _OPTIONS | {"ip": self.host, "ip.bind": self.host}
        # It talks to itself by sockets in /tmp, whose names are the same for each store: this one has a /tmp of its own.
        # It ends with this process, however that ends.
        command = [
            "setpriv", "--pdeathsig", "KILL",
            *mounting(f'exec 3<"{WEED}" && mount --bind "{self.folder}" /mnt && mount -t tmpfs tmpfs /tmp'),
            "/proc/self/fd/3", "-logdir=/mnt", "server", *(f"-{name}={value}" for name, value in options.items()),
        ]  # fmt: skip
        log = self.folder / "log"
        with log.open("w") as out:
            self._process = subprocess.Popen(command, stdout=out, stderr=out)
        while not self._answers():
            if self._process.poll() is not None:
                raise RuntimeError(f"the object store ended before it was ready:\n{log.read_text()}")
            time.sleep(0.05)
        # A folder of the file system below is a bucket; a store that starts again has it.
        made = Request(f"http://{self.host}:{_PORTS['filer.port']}/buckets/mujina/", method="POST")
        try:
            urlopen(made).close()
        except HTTPError as error:
            if error.code != HTTPStatus.CONFLICT:
                raise

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://{self.host}:{PORT}/healthz", timeout=10):
                pass
            with urlopen(f"http://{self.host}:{_PORTS['master.port']}/dir/status", timeout=10) as topology:
                return json.load(topology)["Topology"]["Free"] > 0
        except (URLError, OSError):
            return False


@contextmanager
def object_store(folder: Path) -> Generator[ObjectStore]:
    """A store that runs while the block does, and leaves nothing behind."""
    store = ObjectStore(folder)
    store.start()
    try:
        yield store
    finally:
        store.kill()
        shutil.rmtree(folder)
