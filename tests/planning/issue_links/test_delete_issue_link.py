from tests.planning.issue_links.relations import link, related


def test_deleting_a_link_answers_with_it(cast, issues):
    made = link(cast.reporter, f"{issues}/{cast.open}", cast.private.id, cast.confidential).json
    (other,) = cast.reporter.get(f"{issues}/{cast.open}/links").json
    path = f"{issues}/{cast.confidential}/links/{other['issue_link_id']}"
    assert cast.guest.delete(path).status == 404
    answer = cast.reporter.delete(path)
    assert (answer.status, answer.json) == (200, made)
    assert related(cast.reporter, f"{issues}/{cast.open}") == []
    assert cast.reporter.delete(path).json == {"message": "404 Issue Link Not Found"}
