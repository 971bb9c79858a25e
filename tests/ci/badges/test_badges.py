"""Badges of a project's pipelines."""

import re

import pytest

from mujina.ci.badges.drawing import draw, draw_coverage, draw_status

COVERAGES = {"100.00": "#4c1", "95": "#4c1", "94.99": "#a3c51c", "75.0": "#dfb317", "0": "#e05d44", "-5.00": "#e05d44"}


def test_a_badge_shows_its_value_in_words_and_in_color():
    assert ">passed</text>" in draw_status("success")
    assert "#e05d44" in draw_status("failed")
    assert ">unknown</text>" in draw_status(None)
    assert all(color in draw_coverage(coverage) for coverage, color in COVERAGES.items())
    assert ">94.99%</text>" in draw_coverage("94.99")
    assert "<b>" not in draw("<b>", "<b>", "#fff")


@pytest.fixture
def report(cast):
    """A branch with one commit; report the state of that commit."""
    here = f"/projects/{cast.private.id}"
    action = {"action": "create", "file_path": "a", "content": "a"}
    made = cast.master.post(f"{here}/repository/commits", branch="feature/x", commit_message="x", actions=[action])
    assert made.status == 201, made

    def report(state, **more):
        answer = cast.master.post(f"{here}/statuses/{made.json['id']}", state=state, ref="feature/x", **more)
        assert answer.status == 201, answer

    return report


def words(answer):
    return re.findall(r"<text [^>]*>([^<]*)</text>", answer.body.decode())


def test_badges_of_a_ref_with_slashes(cast, browse, report):
    here = f"/{cast.private.path}/badges/feature/x"
    report("running", coverage=80.5)
    reader = browse("reporter")
    shown = reader.open(f"{here}/pipeline.svg")
    assert (shown.status, shown.headers["content-type"], words(shown)) == (
        200,
        "image/svg+xml",
        ["pipeline", "running"],
    )
    assert "no-store" in shown.headers["cache-control"]
    assert words(reader.open(f"{here}/coverage.svg")) == ["coverage", "unknown"]
    report("success", coverage=80.5)
    assert words(reader.open(f"{here}/build.svg")) == ["pipeline", "passed"]
    assert words(reader.open(f"{here}/coverage.svg")) == ["coverage", "80.50%"]
    assert words(reader.open(f"{here}/coverage.svg?job=none")) == ["coverage", "unknown"]
    assert words(reader.open(f"/{cast.private.path}/badges/none/pipeline.svg")) == ["pipeline", "unknown"]
    assert reader.open(f"{here}/other.svg").status == 404
    assert browse("stranger").open(f"{here}/pipeline.svg").status == 404
    public = browse("anonymous").open(f"/{cast.public.path}/badges/master/pipeline.svg")
    assert words(public) == ["pipeline", "unknown"]
