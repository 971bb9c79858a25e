from tests.planning.issue_links.relations import link, related


def test_a_related_issue_is_shown_as_in_lists_with_its_link(cast, issues):
    link(cast.reporter, f"{issues}/{cast.open}", cast.public.path, cast.open)
    (other,) = cast.reporter.get(f"{issues}/{cast.open}/links").json
    listed = next(
        issue for issue in cast.reporter.get(f"/projects/{cast.public.id}/issues").json if issue["iid"] == cast.open
    )
    at = other["link_created_at"]
    own = {
        "issue_link_id": other["issue_link_id"],
        "link_type": "relates_to",
        "link_created_at": at,
        "link_updated_at": at,
    }
    assert other == listed | own


def test_a_link_to_what_one_may_not_read_is_not_there(cast, issues):
    here = f"/projects/{cast.public.id}/issues/{cast.open}"
    link(cast.reporter, here, cast.private.id, cast.open)
    link(cast.reporter, here, cast.public.id, cast.confidential)
    assert related(cast.stranger, here) == []
    assert related(cast.guest, here) == [(cast.private.id, cast.open)]
    assert len(related(cast.reporter, here)) == 2
