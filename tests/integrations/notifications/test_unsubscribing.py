"""Unsubscribing by the link in a mail."""

import re

from tests.harness.client import Raw
from tests.harness.visitor import Visitor

ONE_CLICK = Raw(body=b"List-Unsubscribe=One-Click", type="application/x-www-form-urlencoded")


def link(mail):
    """The path of the link, in the header and in both parts."""
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = re.fullmatch(r"<http://mujina\.test(/\S+)>", mail["List-Unsubscribe"])[1]
    assert all(f"http://mujina.test{path}" in mail.get_body((kind,)).get_content() for kind in ("plain", "html"))
    return path


def test_one_click_ends_the_mail_about_an_issue(post):
    cast, client = post.cast, post.cast.anonymous
    made = cast.reporter.post(f"{post.here}/issues", title="Fire", description="@guest @developer").json
    issue, mails = f"{post.here}/issues/{made['iid']}", post.taken()
    path = link(mails["guest"])
    assert path.startswith("/sent_notifications/")
    assert path != link(mails["developer"])

    visitor = Visitor(client)
    page = visitor.open(path)
    assert page.status == 200
    assert "this issue" in page.text
    assert "Fire" not in page.text
    assert f'action="{path}"' in page.text
    assert cast.guest.get(issue).json["subscribed"] is True  # mail scanners open links

    for _ in range(2):
        answer = client.ask("POST", f"/{path}", ONE_CLICK)
        assert (answer.status, answer.headers.get("Set-Cookie")) == (200, None)
    assert cast.guest.get(issue).json["subscribed"] is False
    cast.reporter.post(f"{issue}/notes", body="@guest and @developer")
    assert post.taken().keys() == {"developer"}
    assert visitor.send(link(mails["developer"]), token=None).status == 200
    assert cast.developer.get(issue).json["subscribed"] is False


def test_mail_about_access_leads_to_no_mail_at_all(post):
    cast = post.cast
    cast.owner.post(f"{post.here}/members", user_id=cast.stranger.id, access_level=20)
    path = link(post.taken()["stranger"])
    assert path.startswith("/unsubscribes/")
    assert Visitor(cast.anonymous).open(path).status == 200
    assert cast.anonymous.ask("POST", f"/{path}", ONE_CLICK).status == 200
    assert cast.stranger.get("/notification_settings").json["level"] == "disabled"


def test_only_signed_links_count(post):
    cast = post.cast
    cast.reporter.post(f"{post.here}/issues", title="Fire", description="@guest")
    path = link(post.taken()["guest"])
    key = path.split("/")[2]
    user_id, kind, id, signature = key.split("-")
    wrong = [
        f"{cast.owner.id}-{kind}-{id}-{signature}", f"{user_id}-{kind}-{int(id) + 1}-{signature}",
        f"{user_id}-everything-0-{signature}", key[:-1], f"{key}0", "x", "%00", "0-issue-0-" + "0" * 32, "é" * 50,
    ]  # fmt: skip
    for bad in wrong:
        for path in (f"/sent_notifications/{bad}/unsubscribe", f"/unsubscribes/{bad}"):
            assert Visitor(cast.anonymous).open(path).status == 404, bad
            assert cast.anonymous.ask("POST", f"/{path}", ONE_CLICK).status == 404, bad
    assert cast.guest.get("/notification_settings").json["level"] == "participating"
    cast.root.delete(f"/users/{cast.guest.id}")
    assert cast.anonymous.ask("POST", f"//sent_notifications/{key}/unsubscribe", ONE_CLICK).status == 404
