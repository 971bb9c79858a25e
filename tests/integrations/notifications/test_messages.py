"""The mail itself: its headers and its two parts."""

import re

from tests.harness.creation import make_group, make_project

HOST = "mujina.test"


def body(mail, kind="plain"):
    return mail.get_body((kind,)).get_content().replace("\r\n", "\n")


def test_mails_of_one_issue_form_a_thread(post):
    cast, here = post.cast, post.here
    cast.owner.put(f"{here}/notification_settings", level="watch")
    made = cast.reporter.post(f"{here}/issues", title="Fire", description="It *burns* <b>here</b>.\n\nBadly.").json
    first = post.taken()["owner"]
    root = f"<issue_{made['id']}@{HOST}>"
    assert (first["Subject"], first["Message-ID"]) == (f"private | Fire (#{made['iid']})", root)
    assert (first["From"], first["To"]) == ("Reporter <forge@example.org>", "owner@example.org")
    assert first["In-Reply-To"] is None
    assert first["References"] is None
    assert first["List-Id"] == f"{cast.private.path} <{cast.private.id}.projects.{HOST}>"
    assert (first["Auto-Submitted"], first["Precedence"]) == ("auto-generated", "bulk")
    assert first["X-Gitlab-Project-Id"] == str(cast.private.id)
    assert first["X-Gitlab-Issue-Iid"] == str(made["iid"])
    url = f"http://{HOST}/{cast.private.path}/issues/{made['iid']}"
    assert body(first).startswith(
        f"Reporter created issue #{made['iid']}\n\nFire\n\nIt *burns* <b>here</b>.\n\nBadly.\n"
    )
    assert url in body(first)
    assert "<p>It <em>burns</em> <b>here</b>.</p>\n<p>Badly.</p>" in body(first, "html")
    assert f'href="{url}"' in body(first, "html")

    issue = f"{here}/issues/{made['iid']}"
    note = cast.reporter.post(f"{issue}/notes", body="More of it").json["id"]
    cast.reporter.put(issue, title="Smoke", state_event="close")
    mails = post.receiver.taken()
    assert len({mail["Message-ID"] for mail in (first, *mails)}) == 3
    for mail in mails:
        assert mail["In-Reply-To"] == mail["References"] == root
        assert mail["Subject"] in (f"Re: private | Fire (#{made['iid']})", f"Re: private | Smoke (#{made['iid']})")
    assert f"{url}#note_{note}" in body(mails[0])
    assert "Reporter closed issue" in body(mails[1])


def test_headers_that_programs_read_are_in_one_line(post):
    """Python would encode a long address as words, which no mail program decodes there."""
    cast = post.cast
    long = make_group(cast.owner, "l" * 90, name="Long", visibility="public")
    project = make_project(cast.owner, "x", path="p" * 90, namespace_id=long["id"], visibility="public")
    cast.owner.put(f"/projects/{project['id']}/notification_settings", level="watch")
    made = cast.reporter.post(f"/projects/{project['id']}/issues", title="Fire").json
    cast.reporter.post(f"/projects/{project['id']}/issues/{made['iid']}/notes", body="More")
    for envelope in post.receiver.mails:
        head = envelope.content.partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")
        lines = dict(line.split(": ", 1) for line in head if not line.startswith((" ", "\t")) and ": " in line)
        assert re.fullmatch(
            r"<http://mujina\.test/sent_notifications/[0-9a-z-]+/unsubscribe>", lines["List-Unsubscribe"]
        )
        assert lines["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert re.fullmatch(rf"l{{90}}/p{{9}} <{project['id']}\.projects\.mujina\.test>", lines["List-Id"])
        assert lines["X-Gitlab-Project-Path"] == project["path_with_namespace"]
        assert re.fullmatch(rf"<issue_{made['id']}(\.[0-9]+)?@mujina\.test>", lines["Message-ID"])
        assert max(map(len, head)) < 998


def test_reasons_that_the_family_knows_have_its_header(post):
    cast, here = post.cast, post.here
    cast.owner.put(f"{here}/notification_settings", level="watch")
    cast.reporter.post(f"{here}/issues", title="Fire", description="@developer", assignee_ids=[cast.master.id])
    mails = post.taken()
    assert {name: mail["X-Gitlab-NotificationReason"] for name, mail in mails.items()} == {
        "owner": None, "developer": "mentioned", "master": "assigned",
    }  # fmt: skip
    assert "because you are assigned." in body(mails["master"])


def test_titles_and_names_cannot_add_headers(post):
    cast, here = post.cast, post.here
    cast.root.put(f"/users/{cast.reporter.id}", name='Eve"\r\nBcc: all@example.org\r\n\r\n, <x@y> é')
    title = "Fire\r\nBcc: all@example.org\r\n\r\nBody é " + "long " * 40
    cast.owner.put(f"{here}/notification_settings", level="watch")
    made = cast.reporter.post(f"{here}/issues", title=title)
    assert made.status == 201, made
    [envelope] = post.receiver.mails
    assert envelope.rcpt_tos == ["owner@example.org"]
    head = envelope.content.partition(b"\r\n\r\n")[0]
    assert not re.search(rb"^bcc", head, re.IGNORECASE | re.MULTILINE)
    mail = post.taken()["owner"]
    assert mail["From"].addresses[0].addr_spec == "forge@example.org"
    assert "Bcc" not in mail
    assert len(mail["Subject"]) <= 220
    assert mail["Subject"].startswith("private | Fire Bcc: all@example.org Body é long")
    assert mail["Subject"].endswith(f"… (#{made.json['iid']})")


def test_html_names_what_its_recipient_may_read_and_runs_nothing(post):
    cast, here = post.cast, post.here
    for person in (cast.guest, cast.developer):
        person.put(f"{here}/notification_settings", level="watch")
    text = f"See #{cast.confidential}, [a](/b) and ![c](/uploads/1/d.png) <script>alert(1)</script><a href='javascript:x'>y</a>"
    made = cast.reporter.post(f"{here}/issues", title="<script>alert(2)</script>", description=text)
    assert made.status == 201, made
    html = {name: body(mail, "html") for name, mail in post.taken().items()}
    target = f'href="http://{HOST}/{cast.private.path}/issues/{cast.confidential}"'
    assert target in html["developer"]
    assert target not in html["guest"]
    assert f"See #{cast.confidential}, " in html["guest"]
    for each in html.values():
        assert "<script" not in each
        assert "javascript:" not in each
        assert not re.search(r' (href|src)="/', each)


def test_html_can_be_disabled_and_a_long_text_is_cut(post):
    cast, here = post.cast, post.here
    cast.root.put("/application/settings", html_emails_enabled=False)
    cast.owner.put(f"{here}/notification_settings", level="watch")
    cast.reporter.post(f"{here}/issues", title="Fire", description="x" * 100_000)
    mail = post.taken()["owner"]
    assert mail.get_content_type() == "text/plain"
    assert 20_000 < len(body(mail)) < 22_000


def test_mail_goes_to_the_confirmed_notification_email_only(post):
    cast, here = post.cast, post.here
    for person in (cast.owner, cast.master, cast.developer):
        person.put(f"{here}/notification_settings", level="watch")
    cast.owner.post("/user/emails", email="more@example.org")
    post.taken()
    post.run("UPDATE emails SET confirmed_at = created_at WHERE email = 'more@example.org'")
    assert cast.owner.put("/notification_settings", notification_email="more@example.org").status == 200
    post.run("UPDATE users SET confirmed_at = NULL WHERE id = :id", id=cast.master.id)
    post.run("UPDATE users SET email = 'x@directory.invalid' WHERE id = :id", id=cast.developer.id)
    cast.reporter.post(f"{here}/issues", title="Fire")
    assert post.taken().keys() == {"more"}


def test_a_moved_issue_names_its_new_place_to_those_who_may_read_it(post):
    cast = post.cast
    made = cast.stranger.post(f"/projects/{cast.public.id}/issues", title="Fire", description="@guest").json
    post.taken()
    cast.root.delete(f"/projects/{cast.private.id}/members/{cast.guest.id}")
    cast.owner.post(f"/projects/{cast.public.id}/issues/{made['iid']}/move", to_project_id=cast.private.id)
    cast.root.post(f"/projects/{cast.private.id}/members", user_id=cast.stranger.id, access_level=10)
    mails = post.receiver.taken()
    moved = {mail["To"]: body(mail) for mail in mails if "moved" in body(mail)}
    assert "It was moved to another project." in moved["stranger@example.org"]
    assert cast.private.path not in moved["stranger@example.org"]
    assert moved.keys() == {"stranger@example.org", "guest@example.org"}
