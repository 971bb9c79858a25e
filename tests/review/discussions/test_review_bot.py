"""The order of calls of a bot that reviews: it compares with the tip of the target branch."""


def test_a_bot_comments_on_the_lines_it_finds(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    tip = code.commit(elsewhere="the target is ahead\n")
    versions = cast.reporter.get(f"{path}/versions").json
    changes = cast.reporter.get(f"{path}/changes").json
    assert [change["new_path"] for change in changes["changes"]] == ["topic"]
    for n in range(3):
        cast.developer.post(f"{path}/discussions", body=f"Question {n}")
    found, page = [], "1"
    while page:
        answer = cast.reporter.get(f"{path}/discussions", per_page=2, page=page)
        found, page = [*found, *answer.json], answer.headers["x-next-page"]
    assert [discussion["notes"][0]["body"] for discussion in found] == [f"Question {n}" for n in range(3)]
    position = {
        "base_sha": tip, "start_sha": tip, "head_sha": versions[0]["head_commit_sha"], "position_type": "text",
        "new_path": "topic", "new_line": 1,
    }  # fmt: skip
    made = cast.reporter.post(f"{path}/discussions", body="Typo", position=position)
    assert made.status == 201, made
    assert {name: made.json["notes"][0]["position"][name] for name in position} == position
    outside = cast.reporter.post(f"{path}/discussions", body="Typo", position={**position, "new_line": 9})
    assert (outside.status, list(outside.json["message"])) == (400, ["line_code"])
    resolved = cast.developer.put(f"{path}/discussions/{made.json['id']}", resolved=True).json
    assert [note["resolved"] for note in resolved["notes"]] == [True]
