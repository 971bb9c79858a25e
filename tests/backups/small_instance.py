"""A data folder with something of each kind, made without a server."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mujina.adapters.git.storage import RepositoryStorage
from mujina.adapters.storage_marker import mark
from tests.cli.command import Result, mujina

SECRET = "the text of a file that nobody else reads"
KEY = "c2l4dGVlbiBieXRlcyBhbmQgc2l4dGVlbiBtb3JlISE="
"""An instance key."""


@dataclass
class SmallInstance:
    data: Path
    target: Path
    restored: Path

    def backup(self, *flags: str, **environment: str) -> Result:
        return mujina("backup", str(self.target), *flags, "--data", str(self.data), **environment)

    def read(self, command: str, *flags: str, **environment: str) -> Result:
        """`mujina backup list` or `verify`."""
        return mujina("backup", command, str(self.target), *flags, "--data", str(self.data), **environment)

    def restore(self, *flags: str, **environment: str) -> Result:
        return mujina("restore", str(self.target), *flags, "--data", str(self.restored), **environment)

    def content(self, folder: Path) -> dict[str, bytes]:
        """The files of a data folder, without its database."""
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and not path.name.startswith(("mujina.db", "backup.lock"))
        }


def make_instance(folder: Path, schema: str) -> SmallInstance:
    data = folder / "data"
    data.mkdir(mode=0o700)
    shutil.copyfile(schema.removeprefix("sqlite:///"), data / "mujina.db")
    repositories = RepositoryStorage.of(data)
    mark(repositories.root)
    mark(data / "files")
    repository = repositories.repo_path(1)
    _git("init", "--quiet", "--bare", "--template=", str(repository))
    commit = "commit refs/heads/master\ncommitter A <a@example.org> 1700000000 +0000\ndata 2\nOk\n"
    stream = f"{commit}M 644 inline a\ndata {len(SECRET)}\n{SECRET}\n"
    _git("--git-dir", str(repository), "fast-import", "--quiet", stdin=stream)
    _git("--git-dir", str(repository), "-c", "repack.updateServerInfo=false", "repack", "-q", "-a", "-d")
    (data / "files" / "uploads").mkdir()
    (data / "files" / "uploads" / "a").write_text(SECRET)
    (data / "files" / "uploads" / "large").write_bytes(bytes(range(256)) * 5_000)
    (data / "secrets").mkdir(mode=0o700)
    (data / "secrets" / "instance.key").write_text(KEY)
    (data / "mujina.toml").write_text(f"storage_url = 'file://{data}/files'\nexternal_url = 'https://one.example'\n")
    return SmallInstance(data, folder / "target", folder / "restored")


def _git(*arguments: str, stdin: str = "") -> None:
    subprocess.run(["git", *arguments], check=True, input=stdin, text=True, capture_output=True)
