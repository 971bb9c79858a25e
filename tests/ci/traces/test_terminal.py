"""Traces as HTML."""

import pytest

from mujina.ci.traces.display.terminal import MAX_DEPTH, Terminal, TerminalState, state_after


def shown(text):
    return str(Terminal("").show(text))


def line(number, content):
    return f'<div id="L{number}"><a href="#L{number}">{number}</a><span>{content}</span></div>'


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("plain", "plain"),
        ('<script>alert(1)</script> & "', "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;"),
        ("\x1b[31mred\x1b[0m back", '<span class="t1">red</span> back'),
        ("\x1b[1;32mok\x1b[22mnext", '<span class="t2 tb">ok</span><span class="t2">next</span>'),
        ("\x1b[97;41mloud\x1b[m.", '<span class="on1">loud</span>.'),
        ("\x1b[38;5;196mred\x1b[39m\x1b[38;2;0;0;250mblue", '<span class="t1">red</span><span class="t4">blue</span>'),
        ("\x1b[38mnothing\x1b[999;48;5mnothing", "nothingnothing"),
        ("10%\r50%\r100%\r", "100%"),
        ("\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07", "link"),
        ("a\x00\x07\x08b\x1b", "ab"),
        ("\x1b[2J\x1b[1;1Hcleared\x1b[K", "cleared"),
        ("abc\u202etxt", "abctxt"),
    ],
)  # fmt: skip
def test_a_line(text, content):
    assert shown(text + "\n") == line(1, content)


def test_a_color_lasts_until_it_is_taken_back():
    assert shown("\x1b[33ma\nb\n") == line(1, '<span class="t3">a</span>') + line(2, '<span class="t3">b</span>')


def test_a_color_lasts_though_the_line_is_written_over():
    assert shown("\x1b[33m10%\r100%\n") == line(1, '<span class="t3">100%</span>')


@pytest.mark.parametrize(
    ("before", "codes"),
    [
        ("plain\n", ""), ("\x1b[33mon\n", "33"), ("\x1b[1;4;97;41mon\n", "1;4;37;41"), ("\x1b[31ma\x1b[0m\n", ""),
        ("\x1b[31ma\x1b[0;32mb\n", "32"), ("\x1b[1;31ma\x1b[m\x1b[3mb\n", "3"), ("\x1b[31ma\x1b[39mb\n", ""),
        ("\x1b[38;5;196m\n", "31"), ("\x1b[31m" + "x" * 300_000, ""),
    ],
)  # fmt: skip
def test_the_look_behind_a_part_is_that_of_the_next_one(before, codes):
    assert state_after(before).codes == codes
    first, second = Terminal(""), Terminal("", state=state_after(before))
    if len(before) < 1_000:
        both = str(first.show(f"{before}next\n"))
        assert str(second.show("next\n")).partition("<span>")[2] == both.rpartition("</a><span>")[2]
        assert second.codes == first.codes == codes


@pytest.mark.parametrize("codes", ["x", "1\n", "1m<b>", "9" * 1_000, "-1"])
def test_a_look_that_is_none_is_plain(codes):
    assert str(Terminal("", 4, TerminalState(codes)).show("a\n")) == line(5, "a")


def test_a_section_goes_on_in_the_next_part():
    state = state_after("section_start:100:build\r\x1b[0K\nsection_start:1:in\r\nx\nsection_end:2:in\r\n")
    assert state.sections == [("build", 100)]
    page = str(Terminal("", state=state).show("more\nsection_end:103:build\r\x1b[0Kafter\n"))
    start = "<details open><summary>build <span>3 s</span></summary>"
    assert page == f"{start}{line(1, 'more')}</details>{line(2, 'after')}"
    assert state_after("section_start:1:a\rsection_start:1:b\rsection_end:2:a\rsection_end:2:c\r").sections == []
    assert len(state_after("".join(f"section_start:1:s{n}\r\n" for n in range(500))).sections) == MAX_DEPTH


def test_sections_fold():
    text = "section_start:100:get_sources\r\x1b[0KFetching\nmore\nsection_end:103:get_sources\r\x1b[0Kafter\n"
    start = "<details open><summary>get sources <span>3 s</span></summary>"
    assert shown(text) == f"{start}{line(1, 'Fetching')}{line(2, 'more')}</details>{line(3, 'after')}"
    assert shown("section_start:1:a[collapsed=true]\r\x1b[0Kx\n").startswith("<details><summary>a</summary>")


def test_sections_that_do_not_match_are_closed():
    text = "section_start:1:a\r\nsection_start:1:b\r\nx\nsection_end:2:a\r\nsection_end:3:c\r\nsection_end:2:b\r\ny\n"
    page = shown(text)
    assert (page.count("<details"), page.count("</details>"), page.count("<div ")) == (2, 2, 2)
    many = shown("".join(f"section_start:1:s{n}\r\n" for n in range(500)))
    assert many.count("<details") == many.count("</details>") == 16
    assert "<summary>x" not in shown('section_start:1:<img src=x>\r\nsection_start:1:"on\r\n')


@pytest.mark.parametrize(
    "text", ["\x1b[" * 30_000, "\x1b[" + "1;" * 30_000, "\x1b]" * 30_000, "section_start:1:" * 4_000, "\r" * 60_000]
)
def test_hostile_text_takes_no_longer_than_other_text(text):
    page = shown(text)
    assert ("\x1b" in page, page.count("<div ")) == (False, 1)
