def test_a_project_without_forks_has_an_empty_list(cast):
    answer = cast.anonymous.get(f"/projects/{cast.public.id}/forks")
    assert (answer.status, answer.json, answer.headers["X-Total"]) == (200, [], "0")


def test_forks_of_a_hidden_project_are_hidden(cast):
    assert cast.stranger.get(f"/projects/{cast.private.id}/forks").status == 404
