"""A job called `pages` publishes what its artifacts have below `public/`."""

import io
import struct
import zipfile

import pytest

from mujina.kernel.jobs.queue import enqueue
from tests.ci.sites.conftest import INDEX, SITE, zipped


def test_a_job_that_succeeds_publishes_its_files(site, cast):
    shown = site.publish()
    assert (len(shown["deployments"]), shown["problem"], shown["url"]) == (1, None, None)
    assert cast.value("SELECT d.file_count FROM site_deployments d WHERE d.active") == len(SITE) - 1
    site.open()
    assert site.visitor().see("/").body == INDEX


@pytest.mark.parametrize("outcome", ["failed", "canceled"])
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_job_that_does_not_succeed_publishes_nothing(site, outcome):
    site.runner.upload(zipped(SITE))
    site.runner.finish(outcome)
    site.runner.work()
    assert site.show()["deployments"] == []


def test_a_newer_job_replaces_the_site_and_its_archive(site, cast, stage):
    site.publish()
    [first] = (stage.folder / "files" / "sites").glob("*/*/*")
    site.runner = type(site.runner)(site.ci, cast, stage.folder, "pages", retry=True)
    site.publish({"public/index.html": b"second"})
    assert first.exists(), "a listener may read it still"
    site.runner.pass_time()
    [second] = (stage.folder / "files" / "sites").glob("*/*/*")
    assert first != second
    site.open()
    assert site.visitor().see("/").body == b"second"
    assert site.visitor().see("/about.html").status == 404
    assert cast.value("SELECT count(*) FROM site_files f") == 1


def test_an_older_job_that_ends_later_publishes_nothing(site, cast, stage):
    older = site.runner
    site.ci.commit(more="text")
    site.runner = type(older)(site.ci, cast, stage.folder, "pages")
    site.publish({"public/index.html": b"newer"})
    site.runner = older
    site.publish({"public/index.html": b"older"})
    site.open()
    assert site.visitor().see("/").body == b"newer"


def test_the_site_stays_when_the_artifacts_are_deleted(site, cast):
    site.publish()
    site.open()
    assert cast.owner.delete(f"{site.runner.path}/artifacts").status == 204
    site.runner.work()
    assert site.visitor().see("/about.html").body == b"About us"


def test_a_run_that_was_interrupted_is_repeated(site, cast, stage):
    site.publish()
    cast.run("UPDATE site_deployments SET active = FALSE")
    cast.transact(lambda tx: _publish_again(tx, site.runner.job))
    site.runner.work()
    site.runner.pass_time()
    assert len(site.show()["deployments"]) == 1
    assert len([*(stage.folder / "files" / "sites").glob("*/*/*")]) == 1


async def _publish_again(tx, job):
    await enqueue(tx, "sites.publish", job)


def link(name, target):
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, 0o120777 << 16
    return info, target


def archive_of(*entries):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return data.getvalue()


def overlapping():
    """Two names of the same bytes."""
    data = archive_of(("public/a", b"a" * 100), ("public/b", b"a" * 100))
    directory = data.index(b"PK\x01\x02")
    second = data.index(b"PK\x01\x02", directory + 4)
    return data[: second + 42] + struct.pack("<L", 0) + data[second + 46 :]


REFUSED = [
    (archive_of(("other/index.html", b"x")), "The archive has no folder public/ with files in it."),
    (archive_of(("public/../x", b"x")), "The archive has a path that leads out of it: public/../x"),
    (archive_of(("/public/x", b"x")), "The archive has a path that leads out of it: /public/x"),
    (archive_of(link("public/x", "../../etc/passwd")), "public/x is a link, is encrypted, or is packed in an unknown way."),
    (archive_of(("public/x", bytes(150 * 1024 * 1024))), "The files of the site have 157286400 bytes, too many for an archive of"),
    (overlapping(), "Files of the archive overlap."),
    (b"no archive", "The archive is damaged: there is no directory."),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_an_archive_that_is_not_safe_is_refused_with_a_sentence(site, number):
    archive, sentence = REFUSED[number]
    shown = site.publish(archive=archive)
    assert shown["deployments"] == []
    assert shown["problem"].startswith(sentence)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_refusal_leaves_the_former_site(site, cast, stage):
    site.publish()
    site.runner = type(site.runner)(site.ci, cast, stage.folder, "pages", retry=True)
    shown = site.publish(archive=archive_of(("public/x", b"1"), ("public/x", b"2")))
    assert shown["problem"] == "The archive has two files of one name: public/x"
    assert len(shown["deployments"]) == 1


def test_a_job_without_artifacts_is_refused(site):
    site.runner.finish()
    site.runner.work()
    assert site.show()["problem"].startswith("The job has no artifacts")


def test_unpublishing_removes_the_site_and_its_archive(site, cast, stage):
    site.publish()
    site.open()
    assert cast.stranger.delete(f"{site.ci.path}/pages").status == 404
    assert cast.owner.delete(f"{site.ci.path}/pages").status == 204
    site.runner.pass_time()
    assert site.show()["deployments"] == []
    assert site.visitor().see("/").status != 200
    assert [*(stage.folder / "files" / "sites").glob("*/*/*")] == []


def test_a_deleted_project_leaves_no_archive(site, cast, stage):
    site.publish()
    assert cast.owner.delete(site.ci.path).status == 204
    site.runner.pass_time()
    assert [*(stage.folder / "files" / "sites").glob("*/*/*")] == []
