"""Suggestions on the pages of a merge request."""

import pytest

TEXT = "one\ntwo\nthree\n"


@pytest.fixture
def request_with(cast, code):
    """Comment on lines of a request with these texts; the address of its page."""

    def made(*bodies):
        code.branch("lines", text=TEXT)
        request = code.open(source_branch="lines").json
        path = f"/{cast.owner.get(code.path).json['path_with_namespace']}/merge_requests/{request['iid']}"
        for line, body in enumerate(bodies, 1):
            position = {"position_type": "text", **request["diff_refs"], "new_path": "text", "new_line": line}
            sent = cast.guest.post(f"{code.requests}/{request['iid']}/discussions", body=body, position=position)
            assert sent.status == 201, sent
        return path

    return made


def text(cast, code):
    return cast.owner.get(f"{code.path}/repository/files/text/raw", ref="lines").body.decode()


def test_a_suggestion_is_a_diff_with_a_button(browse, cast, code, request_with):
    here = request_with("```suggestion\n<b>1</b>\n```")
    for page in (here, f"{here}/diffs"):
        shown = browse("developer").open(page)
        assert shown.status == 200
        assert "Apply suggestion" in shown.text
        assert "&lt;b&gt;1&lt;/b&gt;" in shown.text
        assert "Apply together" not in shown.text
        assert "Apply suggestion" not in browse("guest").open(page).text
    id_ = cast.value("SELECT s.id FROM suggestions s")
    developer, guest = browse("developer"), browse("guest")
    developer.open(here)
    guest.open(here)
    assert guest.send(f"{here}/suggestions", ids=id_).status == 403
    sent = developer.send(f"{here}/suggestions", **{"ids[]": id_}, target=f"{here}/diffs")
    assert (sent.status, sent.headers["location"]) == (303, f"{here}/diffs")
    assert text(cast, code) == "<b>1</b>\ntwo\nthree\n"
    assert "Applied" in developer.open(here).text
    assert "The suggestion is applied already" in developer.send(f"{here}/suggestions", **{"ids[]": id_}).text


def test_only_who_may_push_to_the_source_branch_is_offered_to_apply(browse, cast, code, request_with):
    here = request_with("```suggestion\n1\n```")
    assert cast.owner.post(f"{code.path}/protected_branches", name="lines").status == 201
    assert "Apply suggestion" not in browse("developer").open(here).text
    assert "Apply suggestion" in browse("master").open(here).text
    assert cast.owner.post(f"{code.path}/archive").status == 201
    for page in (here, f"{here}/diffs"):
        assert "Apply suggestion" not in browse("master").open(page).text


def test_several_are_selected_and_applied_together(browse, cast, code, request_with):
    here = request_with("```suggestion\n1\n```", "```suggestion\n2\n```")
    developer = browse("developer")
    shown = developer.open(here)
    assert shown.text.count("Apply together with others") == 2
    assert "Apply selected suggestions" in shown.text
    ids = [id_ for (id_,) in cast.rows("SELECT s.id FROM suggestions s ORDER BY s.id")]
    assert developer.send(f"{here}/suggestions", ids=ids).status == 303
    assert text(cast, code) == "1\n2\nthree\n"
    assert "No suggestion is selected." in developer.send(f"{here}/suggestions", **{"ids[]": ""}).text


def test_a_thread_on_the_page_suggests_at_once(browse, cast, code, request_with):
    here = request_with()
    refs = cast.guest.get(f"{code.requests}/1").json["diff_refs"]
    fields = {**refs, "position_type": "text", "new_path": "text", "new_line": 2}
    position = {f"position[{name}]": value for name, value in fields.items()}
    developer = browse("developer")
    developer.open(here)
    assert developer.send(f"{here}/discussions", body="```suggestion\nzwei\n```", **position).status == 303
    assert "Apply suggestion" in developer.open(here).text
