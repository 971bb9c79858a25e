"""What a refused form says: the field by its label, the value that was entered, and what to do."""

from html import unescape
from html.parser import HTMLParser
from time import thread_time

import pytest

from mujina.kernel.html.field_titles import titles_in
from mujina.kernel.html.form_problems import sentence_of
from tests.web.page_checks import ParsedPage

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


def problems(answer):
    assert answer.status == 422, answer.status
    return [unescape(node.text(strip=True)) for node in ParsedPage(answer.text).tree.css("#problems li")]


@one_engine
def test_complaints_name_the_label_the_value_and_the_remedy(browse, cast):
    owner, place = browse("owner"), f"/{cast.private.path}"
    cases = [
        ("/projects", {"name": "x", "path": "badges"}, "Project slug: “badges” is a reserved name. Choose another."),
        ("/projects", {"name": "x", "path": "a b"}, "Project slug can contain only", "You entered “a b”."),
        ("/projects", {"name": ""}, "Project name can't be blank"),
        ("/groups", {"name": "x", "path": "admin"}, "“admin” is a reserved name. Choose another."),
        ("/profile/keys", {"key": {"title": "x", "key": "ssh-rsa nonsense"}}, "Public key is invalid. Paste the whole public key"),
        (f"{place}/issues", {"issue": {"title": ""}}, "Title can't be blank"),
        (f"{place}/issues", {"issue": {"title": "x", "assignees": "no-one-here"}},
         "Assignees: “no-one-here” is not a username here."),
        (f"{place}/issues", {"issue": {"title": "x", "milestone": "never"}}, "Milestone: “never” is not a milestone here."),
        (f"{place}/issues", {"issue": {"title": "x", "due_date": "soon"}}, "Due date", "“soon” is not valid."),
        (f"{place}/labels", {"label": {"title": "bug", "color": "reddish"}}, "valid color code. You entered “reddish”."),
        (f"{place}/labels", {"label": {"title": "bug", "color": "must"}}, "must be a valid color code. You entered “must”."),
    ]  # fmt: skip
    owner.open("/projects/new")
    wrong = []
    for path, fields, *expected in cases:
        found = " ".join(problems(owner.send(path, **fields)))
        wrong += [(path, fields, words, found) for words in expected if words not in found]
    assert wrong == []


@one_engine
def test_complaints_of_forms_without_macros_name_the_label_too(browse):
    owner = browse("owner")
    owner.open("/profile")
    answer = owner.send_files("/profile/avatar", {"user[avatar]": ("me.png", b"no image")})
    assert problems(answer) == ["Image is in no known format. Choose a PNG, JPEG, GIF, WebP, BMP or TIFF file."]
    owner.open("/profile/emails")
    answer = owner.send("/profile/emails", email={"email": "nonsense"})
    assert problems(answer) == ["Email: “nonsense” is not valid. Enter an address such as name@example.org."]
    owner.open("/profile/password/edit")
    password = {"current_password": "x", "password": "y" * 12, "password_confirmation": "z"}
    assert all("password " in each for each in problems(owner.send("/profile/password/edit", user=password)))


def test_entered_texts_cost_next_to_nothing_to_read_titles_from():
    entered = "&lt;" * 100_000
    page = f"""<form action="/sent"><label for="a">Name</label><input id="a" name="name" value="{entered}">
        <label for="b">Text</label><textarea id="b" name="text">{entered}</textarea></form>"""
    assert titles_in(page, "/sent") == {"name": "Name", "text": "Text"}
    reading_all = processor_time(lambda: HTMLParser().feed(page))
    assert processor_time(lambda: titles_in(page, "/sent")) < reading_all / 3


def processor_time(work):
    """Seconds of this thread, at their best of a few times: a busy machine charges it for what others do."""
    times = []
    for _ in range(5):
        start = thread_time()
        work()
        times.append(thread_time() - start)
    return min(times)


def test_titles_are_those_of_the_form_that_was_sent():
    page = """
        <form action="/other"><label for="a">Other name</label><input id="a" name="x[name]"></form>
        <form action="/sent#part"><label for="b">Name<span class="required" aria-hidden="true">*</span></label>
          <input type="hidden" name="x[name]"><input id="b" name="x[name]">
          <label>Password <small>(at least 8)</small> <input name="password"></label>
          <fieldset><legend>Scopes</legend><label><input type="checkbox" name="x[scopes][]"> api</label></fieldset>
          <label class="choice"><input type="checkbox" name="x[safe]"> Confidential</label>
          <select name="level" aria-label="Role"></select></form>"""
    assert titles_in(page, "/sent") == {
        "name": "Name", "password": "Password", "scopes": "Scopes", "safe": "Confidential", "level": "Role",
    }  # fmt: skip
    assert titles_in(page, "/other")["name"] == "Other name"


@pytest.mark.parametrize(
    ("complaint", "sentence"),
    [
        ("can't be blank", "Name can't be blank"),
        ("“x” is a reserved name. Choose another.", "Name: “x” is a reserved name. Choose another."),
        ("only letters", "Name: only letters"),
    ],
)
def test_a_complaint_continues_the_title_only_as_a_sentence(complaint, sentence):
    assert sentence_of("Name", complaint) == sentence


@one_engine
def test_complaints_repeat_no_secret(browse):
    owner = browse("owner")
    owner.open("/projects/new")
    answer = owner.send("/projects", name="x", tab="import", import_url="https://me:hunter2@[broken/x.git")
    assert problems(answer)
    assert "hunter2" not in " ".join(problems(answer))


@one_engine
def test_the_api_says_what_it_said(cast):
    answer = cast.owner.post("/projects", name="x", path="badges")
    assert answer.json == {"message": {"path": ["badges is a reserved name"]}}
    assert cast.owner.post("/user/keys", title="x", key="nonsense").json["message"]["fingerprint"] == [
        "cannot be generated"
    ]


@one_engine
def test_settings_without_an_effect_are_not_offered(browse):
    page = browse("root").open("/admin/application_settings").text
    assert "application_setting[default_project_visibility]" in page
    assert ("no effect" in page, "application_setting[usage_ping_enabled]" in page) == (False, False)


@one_engine
def test_a_failed_import_can_be_retried_or_deleted(browse, cast):
    def fail(url):
        changes = "import_status = 'failed', import_error = 'no such host', import_url = :url"
        cast.run(f"UPDATE projects SET {changes} WHERE id = :id", url=url, id=cast.internal.id)

    place, owner, master = f"/{cast.internal.path}", browse("owner"), browse("master")
    fail(None)
    page = owner.open(place).text
    assert (">Retry" in page, "Delete project" in page) == (False, True)
    assert "no failed import to retry" in owner.send(f"{place}/import/retry").text
    fail("sealed")
    for path in (place, f"{place}/import"):
        page = master.open(path).text
        assert ("/import/retry" in page, "Delete project" in page) == (True, False), path
    assert "/import/retry" not in browse("developer").open(place).text
    assert browse("developer").send(f"{place}/import/retry").status == 403
    assert master.send(f"{place}/import/retry").status == 303
    assert "cannot be decrypted: enter the address again" in master.open(place).text  # it was tried at once
    fail("sealed")
    assert owner.send(f"{place}/remove", confirm_remove=cast.internal.path).status == 303
    assert owner.open(place).status == 404
