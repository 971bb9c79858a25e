"""Links that say which issue blocks which."""

import pytest


@pytest.mark.parametrize("link_type", ["blocks", "is_blocked_by"])
def test_one_issue_blocks_the_other(browse, cast, issues, link_type):
    here, there = f"{issues}/{cast.open}", f"{issues}/{cast.confidential}"
    made = cast.reporter.post(
        f"{here}/links", target_project_id=cast.private.id, target_issue_iid=cast.confidential, link_type=link_type
    )
    assert made.status == 201
    ends = [made.json[end]["iid"] for end in ("source_issue", "target_issue")]
    first = [cast.open, cast.confidential]
    assert (made.json["link_type"], ends) == ("blocks", first if link_type == "blocks" else first[::-1])
    opposite = {"blocks": "is_blocked_by", "is_blocked_by": "blocks"}[link_type]
    [other] = cast.reporter.get(f"{here}/links").json
    assert (other["iid"], other["link_type"]) == (cast.confidential, link_type)
    [other] = cast.reporter.get(f"{there}/links").json
    assert (other["iid"], other["link_type"]) == (cast.open, opposite)
    words = {"blocks": "blocking", "is_blocked_by": "blocked by"}
    bodies = [note["body"] for note in cast.reporter.get(f"{here}/notes").json]
    assert f"marked this issue as {words[link_type]} #{cast.confidential}" in bodies
    page = browse("reporter").open(f"/{cast.private.path}/issues/{cast.open}")
    assert ("blocked by this issue" if link_type == "blocks" else "blocks this issue") in page.text


def test_other_types_are_rejected(cast, issues):
    answer = cast.reporter.post(
        f"{issues}/{cast.open}/links", target_project_id=cast.private.id, target_issue_iid=1, link_type="duplicates"
    )
    assert (answer.status, answer.json) == (400, {"error": "link_type does not have a valid value"})
