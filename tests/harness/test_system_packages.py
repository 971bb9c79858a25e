"""What the tests need from the system is named to an ordinary user, who may not install it."""

import os
import shutil
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "system_packages"
ORDINARY = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
LAST_USER_NAMESPACE = "echo 1 >/proc/sys/user/max_user_namespaces && exec unshare --user --map-user=1000 bash -s"


def look(*command: str, **options) -> tuple[int, str]:
    """The status and the complaint of the script, which is read from a pipe: not every user may read our folder."""
    ended = subprocess.run(
        command, input=SCRIPT.read_text(), cwd="/", capture_output=True, text=True, check=False, **options
    )
    return ended.returncode, ended.stderr


def test_a_missing_package_is_named():
    status, complaint = look(shutil.which("bash"), "-s", env={"PATH": "/nowhere"}, **ORDINARY)
    assert status == 1
    assert complaint == (
        "These packages of the system are missing: "
        "git git-lfs openssh-client gnupg util-linux chromium-headless-shell ldap-utils caddy ruby-gitlab\n"
    )


def test_the_right_to_a_mount_is_named_where_it_is_missing():
    no_mounts = "echo 0 >/proc/sys/user/max_mnt_namespaces && exec bash -s"
    status, complaint = look("unshare", "--user", "--map-root-user", "bash", "-c", no_mounts)
    assert status == 1
    assert complaint.startswith("The tests need root or the right to a user namespace, and in it to a network and to")
    assert complaint.count("\n") == 1


def test_the_right_to_a_user_namespace_is_named_where_it_is_missing():
    status, complaint = look("unshare", "--map-root-user", "bash", "-c", LAST_USER_NAMESPACE)
    assert status == 1
    assert complaint.startswith(
        "The tests need root or the right to a user namespace, and in it to a network and to mounts: unshare"
    )


def test_the_right_to_a_loop_device_is_named_where_it_is_missing_but_the_other_tests_run():
    status, complaint = look("unshare", "--user", "--map-root-user", "bash", "-s")
    assert status == 0
    assert complaint.startswith("The tests of failing disks need root and a loop device, and will fail: mount: ")
    assert complaint.count("\n") == 1
