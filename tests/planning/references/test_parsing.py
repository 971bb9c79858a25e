import pytest

from mujina.planning.references.parsing import IssueReference, parse, without_code_and_quotes

AT = "https://mujina.test"


def users(text):
    return parse(text, AT).users


def issues(text):
    return [(found.path, found.iid) for found in parse(text, AT).issues]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("thanks @ada", ["ada"]),
        ("@ada, @grace.hopper and @x-y_z.", ["ada", "grace.hopper", "x-y_z"]),
        ("(@ada)", ["ada"]),
        ("@ada and @ada", ["ada"]),
        ("ada@example.org", []),
        ("a/@ada", []),
        ("`@ada` and ``@a`b``", []),
        ("an odd ` tick @ada", ["ada"]),
        ("```\n@ada\n```\n@grace", ["grace"]),
        ("~~~ruby\n@ada\n```\n@x\n~~~\n@grace", ["grace"]),
        ("```\n@ada never closed", []),
        ("> @ada said\n\n@grace", ["grace"]),
        ("<!-- @ada -->@grace", ["grace"]),
        ("<!-->\n\n@grace", ["grace"]),
        ("see <!---> @grace <!-- @ada <!--> @alan", ["grace", "alan"]),
        ("<!--\n@ada\n```\n-->\n@grace", ["grace"]),
        ("```\n<!--\n```\n@grace\n```\n-->\n```", ["grace"]),
        ("`<!--` @grace `-->`", ["grace"]),
        ("a <!-- @ada -->, <!--\n@ada --> @grace", ["grace"]),
    ],
)
def test_people_are_mentioned_outside_of_code_and_quotes(text, found):
    assert users(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@ada look", ["ada"]),
        ("@ada, @grace and @x: look", ["ada", "grace", "x"]),
        ("look @ada", []),
        ("> quoted\n@ada look", ["ada"]),
        ("@ada look @grace", ["ada"]),
    ],
)
def test_users_at_the_start_are_addressed(text, found):
    assert parse(text, AT).addressed == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see #12", [(None, 12)]),
        ("see #12, #13.", [(None, 12), (None, 13)]),
        ("see group/sub/proj#3", [("group/sub/proj", 3)]),
        ("see beside#3", [("beside", 3)]),
        (f"see {AT}/group/proj/issues/4", [("group/proj", 4)]),
        (f"see {AT}/group/proj/-/issues/4#note_7", [("group/proj", 4)]),
        ("see https://elsewhere.test/group/proj/issues/4", []),
        ("`#12`", []),
        ("> #12", []),
        ("a##12 and &#12;", []),
        ("#12a", []),
        ("#" + "9" * 30, []),
    ],
)
def test_issues_are_mentioned_by_number_path_or_address(text, found):
    assert issues(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see !12, !13.", [(None, 12), (None, 13)]),
        ("see group/sub/proj!3 and beside!4", [("group/sub/proj", 3), ("beside", 4)]),
        (f"see {AT}/group/proj/merge_requests/4#note_7", [("group/proj", 4)]),
        (f"see {AT}/group/proj/-/merge_requests/4/diffs", [("group/proj", 4)]),
        ("`!12`\n> !13", []),
        ("wow!!12 ![4](x) !12a #!12", []),
    ],
)
def test_merge_requests_are_mentioned_by_number_path_or_address(text, found):
    assert [(each.path, each.iid) for each in parse(text, AT).merge_requests] == found


def test_a_single_name_is_a_project_of_the_same_namespace():
    assert parse("beside#3", AT).issues == [IssueReference("beside", 3, sibling=True)]


def test_words_in_code_and_quotes_are_left_out():
    assert without_code_and_quotes("a `b` c\n> d\ne") == "a   c\ne"


@pytest.mark.parametrize(
    "part",
    [
        "`",
        "``` ",
        "@a",
        "#1 ",
        "!1",
        "!1 ",
        "a!",
        "a/",
        "<!--",
        "<!--\n",
        "`<!--",
        "<!---->",
        "<pre\n",
        f"{AT}/a",
        "~~~\n",
        "` `` ",
    ],
)
def test_hostile_text_is_parsed_to_its_end(part):
    parse(part * 50_000, AT)
    parse(f"--> {part * 50_000}", AT)
