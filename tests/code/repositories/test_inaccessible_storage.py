"""A data folder that belongs to another user, as after a restoration by root, is a fault of the storage: 503, and never 500."""

import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.code.repositories.test_damaged_repository import WRITES
from tests.harness.client import File, Raw

NOBODY = 65534

pytestmark = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@contextmanager
def without_access(folder: Path) -> Generator[None]:
    """Root may read and write everything, and becomes an ordinary user meanwhile."""
    mode = folder.stat().st_mode
    folder.chmod(0)
    try:
        if os.getuid() == 0:
            os.seteuid(NOBODY)
        yield
    finally:
        os.seteuid(os.getuid())
        folder.chmod(mode)


def upload(cast, here):
    return cast.owner.post(f"{here}/uploads", file=File("a.txt", b"text"))


def test_writes_are_unavailable_while_the_server_has_no_access_to_its_data(cast, code, stage):
    here, path = code.path, code.project["path_with_namespace"]
    content = b"large"
    stored = f"//{path}.git/gitlab-lfs/objects/{hashlib.sha256(content).hexdigest()}/{len(content)}"
    assert upload(cast, here).status == 201
    with without_access(stage.folder):
        answers = {
            f"POST {name}": cast.owner.post(f"{here}/{name}", **body)
            for name, body in WRITES.items()
            if "{first}" not in name + str(body)
        }
        answers["upload"] = upload(cast, here)
        answers["package"] = cast.owner.put(f"{here}/packages/generic/a/1/f", Raw(body=b"x", type="text/plain"))
        answers["LFS object"] = cast.owner.put(stored, Raw(body=content, type="application/octet-stream"))
        answers["commits"] = cast.owner.get(f"{here}/repository/commits")
    assert {name: answer for name, answer in answers.items() if answer.status >= 500 and answer.status != 503} == {}
    for name in ("POST repository/commits", "package", "commits"):
        assert (answers[name].status, "no access to its storage" in answers[name].text) == (503, True), answers[name]
    assert code.commit(late="x").status == 201
