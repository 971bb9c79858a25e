from unicodedata import normalize

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mujina.kernel.text.folding import fold, like, slug, words
from tests.harness.any_text import any_text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Root", "rOOT"),
        ("STRASSE", "straße"),
        ("ﬁle", "FILE"),
        ("ｒｏｏｔ", "root"),
        ("Ünï", "U\u0308ni\u0308"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("㎑", "KHZ"),
        ("①", "1"),
    ],
)
def test_names_a_reader_would_call_the_same_fold_to_the_same(one: str, other: str):
    assert fold(one) == fold(other)


def test_accents_tell_names_apart():
    assert fold("resume") != fold("résumé")


@given(any_text())
def test_folding_twice_changes_nothing_more(text: str):
    assert fold(fold(text)) == fold(text)


@given(any_text())
def test_composition_does_not_matter_to_folding(text: str):
    assert fold(normalize("NFD", text)) == fold(text)
    assert fold(normalize("NFC", text)) == fold(text)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Foo Project", "foo-project"),
        ("Ünï Çode", "uni-code"),
        ("  --Hello,   World!-- ", "hello-world"),
        ("snake_case", "snake_case"),
        ("v1.2 / beta", "v1-2-beta"),
        ("Straße Ærø Łódź", "strasse-aero-lodz"),
        ("日本語", ""),
        ("", ""),
    ],
)
def test_a_path_is_made_of_a_name(name: str, path: str):
    assert slug(name) == path


@given(any_text())
def test_the_path_of_a_path_is_that_path(name: str):
    path = slug(name)
    assert slug(path) == path
    assert path.isascii()
    assert not path.startswith("-")
    assert not path.endswith("-")


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("fix login", ("fix", "login")),
        ("  Fix   fix ", ("fix",)),
        ('"exact phrase" wo', ("exact phrase",)),
        ('crash "on start" Linux', ("crash", "linux", "on start")),
        ('say"hello there"now', ('say"hello', 'there"now')),
        ('"unfinished phrase', ('"unfinished', "phrase")),
        ('"ab" cd', ()),
        ("ad", ()),
        ("", ()),
        ("ÉCOLE", ("école",)),
    ],
)
def test_a_search_is_taken_apart_into_words_and_phrases(query: str, wanted: tuple[str, ...]):
    assert words(query) == wanted


@given(st.text(alphabet=r"ab%_\*", max_size=8), st.text(alphabet=r"ab%_\*", max_size=8))
def test_an_escaped_text_is_like_itself_and_nothing_else(text: str, other: str):
    answer = apsw.Connection(":memory:").execute("SELECT ? LIKE ? ESCAPE '\\'", (other, like(text))).get
    assert bool(answer) == (text == other)
