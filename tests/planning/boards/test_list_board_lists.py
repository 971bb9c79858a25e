def test_a_list_goes_with_its_label(cast, lists, three):
    cast.reporter.delete(f"/projects/{cast.private.id}/labels?name=doing")
    assert [one["label"]["name"] for one in cast.guest.get(lists).json] == ["to do", "done"]
