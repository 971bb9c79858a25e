def test_time_is_estimated_and_spent(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    assert cast.guest.get(f"{path}/time_stats").json == {
        "time_estimate": 0, "total_time_spent": 0, "human_time_estimate": None, "human_total_time_spent": None,
    }  # fmt: skip
    estimated = cast.developer.post(f"{path}/time_estimate", duration="3h 30m")
    assert (estimated.status, estimated.json["human_time_estimate"]) == (200, "3h 30m")
    spent = cast.developer.post(f"{path}/add_spent_time", duration="1h")
    assert (spent.status, spent.json["total_time_spent"]) == (201, 3600)
    assert cast.developer.post(f"{path}/add_spent_time", duration="-2h").json == {
        "message": {"time_spent": ["Time to subtract exceeds the total time spent"]}
    }
    assert cast.developer.post(f"{path}/add_spent_time", duration="soon").status == 400
    assert cast.developer.post(f"{path}/time_estimate", duration="soon").status == 400
    cast.developer.post(f"{path}/add_spent_time", duration="-30m")
    assert cast.anonymous.get(path).json["time_stats"]["total_time_spent"] == 1800
    assert cast.developer.post(f"{path}/reset_spent_time").json["total_time_spent"] == 0
    assert cast.developer.post(f"{path}/reset_time_estimate").status == 200
    assert cast.reporter.post(f"{path}/time_estimate", duration="1h").status == 403
    assert cast.stranger.get(f"{code.requests}/9/time_stats").status == 404
    notes = [note["body"] for note in cast.guest.get(f"{path}/notes", sort="asc").json]
    assert notes == [
        "changed time estimate to 3h 30m", "added 1h of time spent", "subtracted 30m of time spent",
        "removed time spent", "removed time estimate",
    ]  # fmt: skip
