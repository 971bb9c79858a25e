"""POST /markdown."""

import re

from tests.harness.cases import Case, Has, cases

HREF = re.compile(r'href="([^"]*)"')


@cases([
    Case("anonymous", "POST /markdown", 401, params={"text": "*a*"}),
    Case("guest", "POST /markdown", 400, Has(error="text is missing")),
    Case("guest", "POST /markdown", 201, {"html": "<p><em>a</em> #1</p>\n"}, {"text": "*a* #1"}),
    Case("stranger", "POST /markdown", 404, {"message": "404 Project Not Found"},
         {"text": "a", "project": "company/department/team/private"}),
])  # fmt: skip
def test_rendering_requires_a_caller_who_reads_the_project(case, cast):
    case.holds(cast)


def render(person, project, text):
    answer = person.post("/markdown", text=text, project=project.path, gfm=True)
    assert answer.status == 201
    return answer.json["html"]


def test_every_kind_of_reference_becomes_a_link(cast, commit_in):
    project, owner = cast.private, cast.owner
    here = f"/projects/{project.id}"
    owner.post(f"{here}/labels", name="two words", color="#112233", description="Of two")
    owner.post(f"{here}/milestones", title="v1")
    snippet = owner.post(f"{here}/snippets", title="S", file_name="a.py", code="x", visibility="private").json["id"]
    sha = commit_in(project)
    owner.post(f"{here}/merge_requests", title="Change", source_branch="change", target_branch="master")
    owner.post(f"/groups/{cast.team.id}/epics", title="Epic")
    path = project.path
    cast.database.statements = 0
    html = render(
        owner, project,
        f'#{cast.open} {path}#{cast.confidential} !1 &1 @{cast.guest.username} @{cast.team.path} ~"two words" %v1 '
        f"${snippet} {sha[:8]} `#{cast.open}` #999 me@example.org http://mujina.test/{path}/issues/{cast.open}#note_3",
    )  # fmt: skip
    assert HREF.findall(html) == [
        f"/{path}/issues/{cast.open}",
        f"/{path}/issues/{cast.confidential}",
        f"/{path}/merge_requests/1",
        f"/groups/{cast.team.path}/-/epics/1",
        f"/{cast.guest.username}",
        f"/groups/{cast.team.path}",
        f"/{path}/issues?label_name[]=two%20words",
        f"/{path}/milestones/1",
        f"/{path}/snippets/{snippet}",
        f"/{path}/commit/{sha}",
        "mailto:me@example.org",
        f"/{path}/issues/{cast.open}#note_3",
    ]
    assert 'fill="#112233"' in html
    assert f"<code>#{cast.open}</code> #999" in html


def test_references_that_the_reader_may_not_see_stay_plain_text(cast, commit_in):
    sha = commit_in(cast.private)
    text = f"#{cast.confidential} {cast.private.path}#{cast.open} {cast.private.path}@{sha} #999"
    assert render(cast.stranger, cast.public, text) == f"<p>{text}</p>\n"
    mine = render(cast.owner, cast.public, text)
    assert len(HREF.findall(mine)) == 3
    assert render(cast.guest, cast.private, sha) == f"<p>{sha}</p>\n"


def test_references_cost_one_statement_whatever_their_number(cast):
    counts = []
    for text in (f"#{cast.open}", f"#{cast.open} !1 &1 ~a %b $1 @root abcdef1 " * 50):
        before = cast.database.statements
        render(cast.owner, cast.private, text)
        counts.append(cast.database.statements - before)
    assert counts[0] == counts[1]
