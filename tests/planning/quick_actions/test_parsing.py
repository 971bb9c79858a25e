from datetime import date

import pytest

from mujina.planning.quick_actions import dates
from mujina.planning.quick_actions.parsing import parse

KNOWN = {"close", "label", "title"}


def split(text):
    parsed = parse(text, KNOWN)
    return parsed.text, [(command.name, command.argument) for command in parsed.commands]


@pytest.mark.parametrize(
    ("text", "left", "commands"),
    [
        ("/close", "", [("close", "")]),
        ("hello\n/close\nthere", "hello\nthere", [("close", "")]),
        ("/label ~bug  \n/title New title", "", [("label", "~bug"), ("title", "New title")]),
        ("/Close\n/LABEL ~Bug", "", [("close", ""), ("label", "~Bug")]),
        ("hello /close", "hello /close", []),
        ("/unknown x\n/close", "/unknown x", [("close", "")]),
        ("/usr/bin/close", "/usr/bin/close", []),
        ("```\n/close\n```", "```\n/close\n```", []),
        ("~~~\n/close\n```\n/close\n~~~", "~~~\n/close\n```\n/close\n~~~", []),
        ("```\n/close", "```\n/close", []),
        ("<pre>\n/close\n\n/close\n</pre>\n/close", "<pre>\n/close\n\n/close\n</pre>", [("close", "")]),
        ("> /close", "> /close", []),
        ("<!--\n/close\n\n/close\n-->", "<!--\n/close\n\n/close\n-->", []),
        ("<!-- Label it:\n/label ~bug -->\n/close", "<!-- Label it:\n/label ~bug -->", [("close", "")]),
        ("<!--\n/close", "<!--\n/close", []),
        ("<!--\n```\n-->\n/close", "<!--\n```\n-->", [("close", "")]),
        ("```\n<!--\n```\n/close", "```\n<!--\n```", [("close", "")]),
        ("> <!--\n/close", "> <!--", [("close", "")]),
        ("a <!-- b\n/close\n--> c", "a <!-- b\n/close\n--> c", []),
        ("a <!-- b\n/close\n\n-->", "a <!-- b\n/close\n\n-->", []),
        ("a <!-- b\n/close", "a <!-- b", [("close", "")]),
        ("`<!--` begins and\n/close\n`-->` ends it", "`<!--` begins and\n`-->` ends it", [("close", "")]),
        ("<!-- a --> <!-- b\n/close\n-->", "<!-- a --> <!-- b\n/close\n-->", []),
        ("<!-- a -->/close", "<!-- a -->/close", []),
        ("<!-->\n/close", "<!-->", [("close", "")]),
        ("/label ~bug <!-- or ~feature -->", "", [("label", "~bug")]),
        (" /close", " /close", []),
        ("  spaces stay  ", "  spaces stay  ", []),
        ("/shrug who knows", "who knows ¯\\_(ツ)_/¯", []),
        ("/tableflip", "(╯°□°)╯︵ ┻━┻", []),
        ("/cc @guest", "/cc @guest", []),
        ("x\r\n/close\r\n", "x", [("close", "")]),
    ],
)
def test_a_command_is_a_line_of_its_own(text, left, commands):
    assert split(text) == (left, commands)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2018-03-01", "2018-03-01"),
        ("today", "2018-02-14"),
        ("Tomorrow", "2018-02-15"),
        ("in 2 days", "2018-02-16"),
        ("3 weeks from now", "2018-03-07"),
        ("in a month", "2018-03-14"),
        ("next week", "2018-02-21"),
        ("next month", "2018-03-14"),
        ("friday", "2018-02-16"),
        ("next wed", "2018-02-21"),
        ("March 1st", "2018-03-01"),
        ("1 January", "2019-01-01"),
        ("Dec 31, 2020", "2020-12-31"),
        ("12/31/2026", "2026-12-31"),
        ("31/12/2026", "2026-12-31"),
        ("2027-1-5", "2027-01-05"),
        ("2027/01/05", "2027-01-05"),
        ("tomorrow at 5pm", "2018-02-15"),
        ("in 2 days at 17:30", "2018-02-16"),
        ("March 1, 10 am", "2018-03-01"),
        ("2018-03-01 10:00", "2018-03-01"),
        ("13/13/2026", None),
        ("at 5pm", None),
        ("the 12th of never", None),
        ("2018-02-30", None),
        ("February 30", None),
        ("in 9999 years", None),
        ("", None),
    ],
)
def test_dates_are_written_in_many_ways(text, meant):
    found = dates.parse_date(text, date(2018, 2, 14))
    assert (found and found.isoformat()) == meant
