def test_languages_by_their_share(cast, code):
    assert cast.owner.get(f"{code.path}/languages").json == {}
    actions = [
        {"action": "create", "file_path": "a.py", "content": "x" * 75},
        {"action": "create", "file_path": "lib/b.rb", "content": "y" * 25},
        {"action": "create", "file_path": "prose.md", "content": "z" * 500},
    ]
    cast.owner.post(f"{code.at}/commits", branch="master", commit_message="More", actions=actions)
    answer = cast.owner.get(f"{code.path}/languages")
    assert (answer.status, answer.json) == (200, {"Python": 75.0, "Ruby": 25.0})


def test_an_empty_repository_is_written_in_nothing(cast, empty):
    assert cast.owner.get(f"{empty.path}/languages").json == {}


def test_only_those_who_read_the_code_learn_its_languages(cast, code):
    assert cast.stranger.get(f"{code.path}/languages").status == 404
    assert cast.anonymous.get(f"{code.path}/languages").status == 404
    assert cast.guest.get(f"/projects/{cast.private.id}/languages").status == 403
