"""A project whose job `pages` runs, and visitors of its site."""

import io
import zipfile
from dataclasses import dataclass

import msgspec
import pytest

from mujina.app import sites
from tests.ci.pipelines.conftest import Ci
from tests.ci.running_jobs import Runner
from tests.harness.client import Client, Raw

FILE = "pages: {script: make, artifacts: {paths: [public]}}\n"
HOST = "sites.test"
INDEX = b"<h1>Welcome</h1>"
SITE = {
    "public/index.html": INDEX, "public/404.html": b"<h1>Lost</h1>", "public/about.html": b"About us",
    "public/docs/index.html": b"Documents", "public/app.js": b"let a = 1;" * 200, "public/\u00fcber.txt": b"text",
    "public/data.bin": bytes(range(256)) * 4, "public/style.css": b"p {}", "public/style.css.br": b"as brotli",
    "public/style.css.gz": b"as gzip", "private/secret.txt": b"no",
}  # fmt: skip


def zipped(files, method=zipfile.ZIP_DEFLATED):
    """The archive that a runner makes of these files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


class PagesCi(Ci):
    def __init__(self, cast):
        super().__init__(cast)
        self.file(FILE)


@pytest.fixture
def begins_with():
    return {"ci": PagesCi}


class Sites:
    """The runner of the job, and those who visit what it publishes."""

    def __init__(self, ci, cast, folder):
        self.ci, self.cast, self.folder = ci, cast, folder
        self.runner = Runner(ci, cast, folder, "pages")
        self.namespace, self.path = cast.owner.get(ci.path).json["path_with_namespace"].split("/", 1)

    def publish(self, files=None, archive=None, **upload):
        """The job has uploaded these files and has succeeded."""
        archive = zipped(SITE if files is None else files) if archive is None else archive
        assert self.runner.upload(archive, **upload).status == 201
        self.runner.finish()
        self.runner.work()
        return self.show()

    def show(self):
        return self.cast.owner.get(f"{self.ci.path}/pages").json

    def open(self, access="public"):
        assert self.cast.owner.patch(f"{self.ci.path}/pages", pages_access_level=access).status == 200

    def services(self, **settings):
        services = self.runner.services
        given = settings or {"pages_url": f"http://{HOST}"}
        return msgspec.structs.replace(services, settings=msgspec.structs.replace(services.settings, **given))

    def visitor(self, host=None, **settings):
        """A browser at the host of the namespace; paths are below the project."""
        app = sites(self.services(**settings))
        return Visitor(app, self.cast.root.loop, host=host or f"{self.namespace}.{HOST}", root=f"/{self.path}")


@dataclass(frozen=True)
class Visitor(Client):
    root: str = ""

    def see(self, path, *, root=None, **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.get(f"/{self.root if root is None else root}{path}", Raw(headers=sent))


@pytest.fixture
def site(ci, cast, stage):
    return Sites(ci, cast, stage.folder)
