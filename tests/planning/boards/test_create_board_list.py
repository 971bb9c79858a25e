def test_a_list_stands_for_a_label(cast, lists, labels):
    made = cast.reporter.post(lists, label_id=labels[0])
    assert made.status == 201
    assert made.json == {
        "id": made.json["id"], "position": 0,
        "label": {"id": labels[0], "name": "to do", "color": "#112233", "description": None},
    }  # fmt: skip
    assert cast.guest.get(f"{lists}/{made.json['id']}").json == made.json
    assert cast.guest.post(lists, label_id=labels[1]).status == 403
    again = cast.reporter.post(lists, label_id=labels[0])
    assert (again.status, again.json) == (400, {"message": {"label": ["has already been taken"]}})


def test_a_label_of_a_group_above_will_do_and_a_foreign_one_will_not(cast, lists):
    above = cast.owner.post(f"/groups/{cast.team.id}/labels", name="ours", color="#112233").json
    assert cast.reporter.post(lists, label_id=above["id"]).status == 201
    assert cast.reporter.post(lists, label_id=999_999).json == {"error": "Label not found!"}
    foreign = cast.reporter.post(f"/projects/{cast.public.id}/labels", name="x", color="#112233").json
    assert cast.reporter.post(lists, label_id=foreign["id"]).status == 400
