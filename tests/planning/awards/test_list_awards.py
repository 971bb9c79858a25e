def test_the_oldest_award_comes_first_and_tells_who_gave_it(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    for person, name in ((cast.guest, "tada"), (cast.developer, "rocket")):
        person.post(f"{issue}/award_emoji", name=name)
    answer = cast.reporter.get(f"{issue}/award_emoji")
    assert [(award["name"], award["user"]["username"]) for award in answer.json] == [
        ("tada", "guest"),
        ("rocket", "developer"),
    ]
    first = answer.json[0]
    assert set(first) == {"id", "name", "user", "created_at", "updated_at", "awardable_id", "awardable_type"}
    assert (first["awardable_id"], first["awardable_type"]) == (cast.guest.get(issue).json["id"], "Issue")


def test_awards_come_in_pages(cast):
    awards = f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji"
    for name in ("tada", "rocket", "heart"):
        cast.guest.post(awards, name=name)
    answer = cast.guest.get(awards, per_page=2, page=2)
    assert [award["name"] for award in answer.json] == ["heart"]
    assert answer.headers["X-Total"] == "3"


def test_awards_of_a_hidden_issue_are_hidden(cast):
    awards = f"/projects/{cast.private.id}/issues/{cast.confidential}/award_emoji"
    assert cast.guest.get(awards).json == {"message": "404 Issue Not Found"}
    assert cast.reporter.get(awards).json == []
