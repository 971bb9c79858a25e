"""No secret shows in the listing of a backup, in its output, or in the list of processes."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.backups.small_instance import KEY, make_instance
from tests.harness.running import ROOT

PASSPHRASE = "the passphrase of this very test"


def command_lines() -> str:
    """Those of all processes, as every user of the machine sees them."""
    lines = ""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            lines += path.read_bytes().decode(errors="replace")
    return lines


def test_no_secret_shows_in_output_or_in_the_list_of_processes(tmp_path: Path, sqlite_schema: str):
    instance = make_instance(tmp_path, sqlite_schema)
    (instance.data / "mujina.toml").write_text("smtp_url = 'smtp://me:word-of-the-mailer@127.0.0.1'\n")
    shown = ""
    target, data, restored = str(instance.target), str(instance.data), str(instance.restored)
    for arguments in (
        ("backup", target, "--encrypt", "--data", data),
        ("restore", target, "--data", restored),
    ):
        program = subprocess.Popen(
            [sys.executable, "-m", "mujina", *arguments],
            cwd=ROOT, env=os.environ | {"MUJINA_BACKUP_PASSPHRASE": PASSPHRASE},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        while program.poll() is None:
            shown += command_lines()
            time.sleep(0.1)
        shown += program.communicate()[0]
        assert program.returncode == 0, shown
    listed = instance.read("list", MUJINA_BACKUP_PASSPHRASE=PASSPHRASE)
    assert listed.code == 0, listed.err
    shown += listed.out + listed.err
    assert "Backed up as " in shown
    assert "Restored the set " in shown
    assert f"--data\0{restored}" in shown
    for secret in (PASSPHRASE, KEY, "word-of-the-mailer"):
        assert secret not in shown
