"""GET /projects/:id/repository/commits/:sha/merge_requests."""


def listed(person, code, sha, **params):
    answer = person.get(f"{code.path}/repository/commits/{sha}/merge_requests", **params)
    assert answer.status == 200, answer
    assert answer.headers["x-total"] == str(len(answer.json))
    return [request["iid"] for request in answer.json]


def test_the_requests_that_bring_a_commit_are_listed_to_those_who_may_read_them(cast, code):
    second = code.commit("topic", message="Second", second="x")
    assert listed(cast.anonymous, code, second) == []
    code.open(squash=True)
    cast.owner.post(f"{code.path}/repository/branches", branch="later", ref=second)
    code.commit("later", later="x")
    code.open(source_branch="later")
    code.branch("apart", apart="x")
    code.open(source_branch="apart")
    for sha in (code.topic, second):
        assert listed(cast.anonymous, code, sha) == [2, 1]
    assert listed(cast.anonymous, code, "topic") == [2, 1]
    # The commit that all of them start from is brought by none.
    assert listed(cast.anonymous, code, code.first) == []
    merged = cast.master.put(f"{code.requests}/1/merge").json
    for sha in (merged["merge_commit_sha"], merged["squash_commit_sha"], second):
        assert 1 in listed(cast.anonymous, code, sha)
    assert listed(cast.anonymous, code, second, state="merged") == [1]
    assert listed(cast.anonymous, code, second, state="opened") == [2]
    here = f"{code.path}/repository/commits"
    assert cast.anonymous.get(f"{here}/{'0' * 40}/merge_requests").status == 404
    assert cast.anonymous.get(f"{here}/{second}/merge_requests", state="x").status == 400
    cast.owner.put(code.path, merge_requests_enabled=False)
    assert listed(cast.owner, code, second) == []
    cast.owner.put(code.path, merge_requests_enabled=True, visibility="private")
    assert cast.stranger.get(f"{here}/{second}/merge_requests").status == 404
    assert cast.guest.get(f"{here}/{second}/merge_requests").status == 403
