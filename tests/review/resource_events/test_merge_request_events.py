"""GET P/merge_requests/:iid/resource_label_events and …_state_events."""


def test_labels_and_states_of_a_merge_request_are_events(cast, code):
    made = code.open(labels="one").json
    here = f"{code.requests}/{made['iid']}"
    for change in ({"labels": "two"}, {"state_event": "close"}, {"state_event": "reopen"}):
        assert cast.owner.put(here, **change).status == 200
    assert cast.owner.put(f"{here}/merge").status == 200
    labels = cast.owner.get(f"{here}/resource_label_events").json
    assert sorted((event["action"], event["label"]["name"]) for event in labels) == [
        ("add", "one"), ("add", "two"), ("remove", "one"),
    ]  # fmt: skip
    states = cast.owner.get(f"{here}/resource_state_events").json
    assert [event["state"] for event in states] == ["closed", "reopened", "merged"]
    assert {(event["resource_type"], event["resource_id"]) for event in states} == {("MergeRequest", made["id"])}
    cast.owner.put(code.path, visibility="private")
    assert cast.stranger.get(f"{here}/resource_state_events").status == 404
