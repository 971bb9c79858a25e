import pytest


@pytest.fixture
def issues(cast):
    return f"/projects/{cast.private.id}/issues"


def link(person, issue, project_id, iid):
    return person.post(f"{issue}/links", target_project_id=project_id, target_issue_iid=iid)


def related(person, issue):
    answer = person.get(f"{issue}/links")
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [(other["project_id"], other["iid"]) for other in answer.json]


def test_deleting_a_link_answers_with_it(cast, issues):
    made = link(cast.reporter, f"{issues}/{cast.open}", cast.private.id, cast.confidential).json
    (other,) = cast.reporter.get(f"{issues}/{cast.open}/links").json
    path = f"{issues}/{cast.confidential}/links/{other['issue_link_id']}"
    assert cast.guest.delete(path).status == 404
    answer = cast.reporter.delete(path)
    assert (answer.status, answer.json) == (200, made)
    assert related(cast.reporter, f"{issues}/{cast.open}") == []
    assert cast.reporter.delete(path).json == {"message": "404 Issue Link Not Found"}
