"""The page of a job with its trace and artifacts."""

import re

import pytest

from mujina.ci.traces.display.windows import WINDOW
from tests.ci.artifacts.test_archives import zipped
from tests.ci.pipelines.conftest import add_members


@pytest.fixture
def here(ci, runner):
    add_members(ci)
    return f"/{ci.cast.owner.get(ci.path).json['path_with_namespace']}/-/jobs/{runner.job}"


def archive():
    return zipped(("out/deep/a b.txt", "content"), ("out/<x>.html", "<script>"), ("../outside", "no"))


def test_the_trace_is_shown_in_colors_and_without_its_unfinished_line(browse, runner, here):
    runner.patch(0, b"\x1b[31mred\x1b[0m\n<b>two\nunfinished")
    page = browse("owner").open(here).text
    assert '<span class="t1">red</span>' in page
    assert ("&lt;b&gt;two" in page, "unfinished" in page, '<noscript><meta http-equiv="refresh"' in page) == (
        True,
        False,
        True,
    )
    runner.finish()
    page = browse("owner").open(here).text
    assert ("unfinished" in page, 'http-equiv="refresh"' in page, 'id="more"' in page) == (True, False, False)


def test_a_page_follows_the_trace_by_its_offset(browse, runner, here):
    runner.patch(0, b"one\ntwo\n")
    reader = browse("owner")
    asked = re.search(r'hx-get="([^"]*)"', reader.open(here).text)[1].replace("&amp;", "&")
    assert asked == f"{here}/trace?offset=8&line=2&codes=&status=running"
    runner.patch(8, b"three\nfo")
    reader.headers = {"HX-Request": "true", "HX-Target": "more"}
    more = reader.open(asked).text
    assert ('<div id="L3">' in more, "three" in more, "two" in more, "fo<" in more, "offset=14&amp;line=3" in more,
            "<html" in more) == (True, True, False, False, True, False)  # fmt: skip
    runner.finish()
    ended = reader.open(asked)
    assert (ended.status, ended.headers["HX-Redirect"]) == (200, here)
    reader.headers = {}
    assert reader.open(asked).status == 302


def test_a_long_trace_is_shown_in_parts(browse, runner, here):
    lines = b"".join(b"line %06d\n" % n for n in range(20_000))
    runner.patch(0, lines)
    runner.finish()
    reader = browse("owner")
    last = reader.open(here)
    assert ("line 019999" in last.text, "line 000000" in last.text, len(last.body) < 30 * WINDOW) == (True, False, True)
    seen = []
    for part in range(-(-len(lines) // WINDOW)):
        seen += re.findall(r"line (\d{6})", reader.open(here, part=part).text)
    assert seen == [f"{n:06d}" for n in range(20_000)]
    assert reader.open(f"{here}/raw").body == lines
    assert reader.open(here, part=10**6).status == 200


def test_colors_and_sections_go_on_in_the_next_part_and_while_the_page_follows(browse, runner, here):
    lines = b"section_start:100:build\r\x1b[0K\x1b[32m\n" + b"".join(b"line %06d\n" % n for n in range(10_000))
    runner.patch(0, lines)
    reader = browse("owner")
    page = reader.open(here, part=1).text
    assert "<details open><summary>build</summary>" in page
    assert re.search(r'<span><span class="t2">line \d{6}</span></span>', page)
    asked = re.search(r'hx-get="([^"]*)"', reader.open(here).text)[1].replace("&amp;", "&")
    runner.patch(len(lines), b"next\x1b[0m\n\x1b[31mlast\nsection_end:160:build\r\x1b[0K\n")
    reader.headers = {"HX-Request": "true", "HX-Target": "more"}
    more = reader.open(asked).text
    assert ('<span class="t2">next</span>' in more, '<span class="t1">last</span>' in more) == (True, True)
    assert "codes=31&amp;" in more
    assert reader.open(asked.replace("codes=32", "codes=%3Cb%3E")).status == 200
    reader.headers = {}
    runner.finish()
    assert "build <span>60 s</span>" in reader.open(here).text


def test_no_other_user_reads_a_trace(browse, ci, runner, here):
    runner.patch(0, b"text\n")
    for path in (here, f"{here}/raw", f"{here}/trace", f"{here}/artifacts/browse", f"{here}/artifacts/download"):
        assert browse("stranger").open(path).status == 404
    ci.cast.owner.put(ci.path, public_jobs=False)
    for path in (here, f"{here}/raw", f"{here}/trace"):
        assert browse("guest").open(path).status == 403


def test_artifacts_are_browsed_downloaded_and_kept(browse, runner, here):
    assert runner.upload(archive(), expire_in="1 week").status == 201
    owner = browse("owner")
    page = owner.open(here).text
    assert ("artifacts.zip" in page, "Keep" in page) == (True, True)
    assert "Keep" not in browse("reporter").open(here).text
    assert ">out</a>" in owner.open(f"{here}/artifacts/browse").text
    folder = owner.open(f"{here}/artifacts/browse/out").text
    assert ("&lt;x&gt;.html" in folder, ">deep</a>" in folder, "outside" in folder) == (True, True, False)
    assert owner.open(f"{here}/artifacts/browse/none").status == 404
    assert owner.open(f"{here}/artifacts/raw/out/deep/a%20b.txt").body == b"content"
    assert owner.open(f"{here}/artifacts/raw/../outside").status == 404
    assert owner.open(f"{here}/artifacts/download").body == archive()
    owner.open(here)
    assert owner.send(f"{here}/artifacts/keep").status == 303
    assert "Keep" not in owner.open(here).text


def test_a_damaged_archive_can_only_be_downloaded(browse, runner, here):
    runner.upload(b"no archive")
    page = browse("owner").open(f"{here}/artifacts/browse")
    assert (page.status, "cannot be read" in page.text) == (200, True)


def test_a_job_is_erased(browse, runner, here):
    runner.patch(0, b"secret words\n")
    owner = browse("owner")
    assert "Erase job" not in owner.open(here).text
    runner.finish()
    assert "Erase job" in owner.open(here).text
    developer = browse("developer")
    assert "Erase job" not in developer.open(here).text
    assert owner.send(f"{here}/erase").status == 303
    page = owner.open(here).text
    assert ("secret words" in page, "This job was erased" in page) == (False, True)
