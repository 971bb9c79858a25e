"""The release of the published client that many programs still pin."""

import subprocess
import sys
from pathlib import Path

RUNNERS = Path(sys.prefix) / "runners" / "bin" / "python"
CASES = Path(__file__).with_name("older_python_gitlab.py")


def test_the_cases_of_todays_clients_by_python_gitlab_6(running_server):
    assert RUNNERS.exists(), "make .venv/runners/installed"
    command = [str(RUNNERS), str(CASES), running_server.url, running_server.token]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("6.")
