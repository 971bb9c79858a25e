"""The image of `Containerfile`: small, run by an ordinary user, and healthy."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from tests.harness.running import ROOT

MOST_MEGABYTES: Final = 250
BASE, SUITE = "docker.io/library/debian:13-slim", "trixie"
NOT_IN_SLIM: Final = ("doc", "man", "info", "locale", "groff", "lintian", "linda")
"""Folders of /usr/share that Debian leaves out of its small images."""
OUTSIDE: Final = "/outside"
"""Where the build finds folders of this machine."""
HEALTHY: Final = """
ip link set lo up
{run} mujina serve &
for _ in $(seq 60); do
    sleep 1
    if {run} {health}; then exec {run} mujina doctor; fi
done
exit 1
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """On a disk: the files of tests are in memory, and images are large."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def test_the_container_file_makes_a_small_image_of_a_healthy_server(folder: Path, thorough: bool):
    """The short form reads the file; the long one builds the image, and starts what is in it."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text())
    build, run = (stage.splitlines() for stage in text.split("\nFROM ")[1:])
    assert f"\nARG BASE={BASE}\n" in text
    assert (build[0], run[0]) == ("$BASE AS build", "$BASE")
    assert any("--require-hashes" in line for line in build)
    user = next(line for line in run if line.startswith("USER "))
    assert user == "USER 10001"
    assert run.index('ENTRYPOINT ["mujina"]') > run.index(user)
    assert any(line.startswith("HEALTHCHECK ") and "/-/readiness" in line for line in run)
    copied = {word for line in build if line.startswith("COPY ") for word in line.split()[1:-1]}
    assert all((ROOT / name).exists() for name in copied)
    ignored = (ROOT / ".containerignore").read_text().split()
    assert {f"!{name}" for name in copied} <= set(ignored)
    if thorough:
        check_image(folder)


def check_image(folder: Path) -> None:
    buildah = Buildah(folder)
    make_base(buildah, folder)
    buildah(
        "build", "--isolation", "chroot", "--format", "docker", "--pull-never", "--build-arg", "BASE=localhost/base",
        *pip_volumes(folder), "--tag", "mujina", str(ROOT),
    )  # fmt: skip
    size, unit = buildah("images", "--format", "{{.Size}}", "mujina").split()
    assert (unit, float(size) < MOST_MEGABYTES) == ("MB", True), size
    config = json.loads(buildah("inspect", "--type", "image", "mujina"))["Docker"]["config"]
    assert (config["User"], config["Entrypoint"], config["Cmd"]) == ("10001", ["mujina"], ["serve"])
    check_health(buildah, config["Healthcheck"]["Test"][1:])


class Buildah:
    """Builds without a daemon, without privileges of containers, and in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.environment = os.environ | {"TMPDIR": str(folder)}  # what a run that is killed leaves goes with the folder
        self.command = [
            "buildah", "--root", str(folder / "storage"), "--runroot", str(folder / "run"), "--storage-driver", "vfs",
        ]  # fmt: skip

    def __call__(self, *words: str) -> str:
        ran = subprocess.run([*self.command, *words], env=self.environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout[-2_000:] + ran.stderr[-2_000:]
        return ran.stdout.strip()


def make_base(buildah: Buildah, folder: Path) -> None:
    """What the small image of Debian has, made of its packages: no registry of images is asked."""
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in NOT_IN_SLIM]
    made = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", *excluded, SUITE, folder / "base.tar"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    container = buildah("from", "scratch")
    buildah("add", container, str(folder / "base.tar"), "/")
    buildah("commit", "--rm", container, "base")


def pip_volumes(folder: Path) -> list[str]:
    """How the pip of this machine finds packages, for that of the build: its configuration, and what this names below `OUTSIDE`."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    settings, volumes = dict[str, str](), {f"{folder}/pip.conf": "/etc/pip.conf"}
    for name, value in re.findall(r"^(?:global|:env:)\.([\w-]+)='(.*)'$", listed.stdout, re.MULTILINE):
        settings[name] = re.sub(r"(?<!\S)(file://)?/", rf"\g<1>{OUTSIDE}/", value)
        for path in (Path(word.removeprefix("file://")) for word in value.split()):
            if path.is_absolute() and path.exists():
                mounted = path.parent if path.name == "simple" else path  # the files of an index are beside its list
                volumes[str(mounted)] = f"{OUTSIDE}{mounted}"
    (folder / "pip.conf").write_text("[global]\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()))
    return [word for here, there in volumes.items() for word in ("--volume", f"{here}:{there}:ro")]


def check_health(buildah: Buildah, health: list[str]) -> None:
    """The server of the image is healthy, as the image says how to ask; in a network of its own, where its ports are free."""
    run = shlex.join(
        [*buildah.command, "run", "--isolation", "chroot", buildah("from", "--pull-never", "mujina"), "--"]
    )
    script = HEALTHY.format(run=run, health=shlex.join(health))
    alone = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", script]
    ran = subprocess.run(alone, env=buildah.environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2_000:] + ran.stderr[-2_000:]
