"""POST /projects/:id/labels/:label_id/subscribe and /unsubscribe."""


def test_each_is_done_once(cast, label):
    bug = label("bug")
    path = f"/projects/{cast.private.id}/labels/{bug['id']}"
    assert cast.guest.post(f"{path}/unsubscribe").status == 304
    subscribed = cast.guest.post(f"{path}/subscribe")
    assert (subscribed.status, subscribed.json["subscribed"]) == (201, True)
    again = cast.guest.post(f"/projects/{cast.private.id}/labels/bug/subscribe")
    assert (again.status, again.body) == (304, b"")
    assert cast.reporter.get(path).json["subscribed"] is False
    assert cast.guest.post(f"{path}/unsubscribe").json["subscribed"] is False
    assert cast.guest.post(f"{path}/unsubscribe").status == 304


def test_a_label_that_is_not_there(cast):
    answer = cast.guest.post(f"/projects/{cast.private.id}/labels/nowhere/subscribe")
    assert (answer.status, answer.json) == (404, {"message": "404 Label Not Found"})
    assert cast.stranger.post(f"/projects/{cast.private.id}/labels/bug/subscribe").status == 404
    assert cast.anonymous.post(f"/projects/{cast.public.id}/labels/bug/unsubscribe").status == 401


def test_a_label_of_the_group(cast, label):
    wide = label("wide", of="team")
    assert cast.guest.post(f"/groups/{cast.team.id}/labels/{wide['id']}/subscribe").json["subscribed"] is True
    assert cast.guest.get(f"/projects/{cast.private.id}/labels/wide").json["subscribed"] is True
    assert cast.guest.post(f"/groups/{cast.team.id}/labels/wide/unsubscribe").json["subscribed"] is False
