def order(cast, lists):
    found = cast.guest.get(lists).json
    assert [one["position"] for one in found] == list(range(len(found)))
    return [one["label"]["name"] for one in found]
