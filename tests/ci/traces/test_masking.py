"""Secrets in a trace that arrives in pieces."""

import random

from mujina.ci.traces.masking import WithheldTail, mask, values_of


def masked(pieces, *secrets):
    """What is shown after each piece, and at the end."""
    values, withheld, shown, steps = values_of(secrets), WithheldTail(), b"", []
    for piece in pieces:
        more, withheld = mask(values, withheld, piece)
        shown += more
        steps.append(shown)
    return steps, shown + withheld.final


def test_a_secret_is_hidden_by_as_many_letters():
    assert masked([b"my hunter22-secret is out"], "hunter22-secret")[1] == b"my xxxxxxxxxxxxxxx is out"


def test_a_secret_that_a_piece_ends_inside_never_shows():
    secret = "glcbt-0123456789"
    text = b"a " + secret.encode() + b" b"
    for cut in range(len(text)):
        steps, end = masked([text[:cut], text[cut:]], secret)
        assert end == b"a " + b"x" * len(secret) + b" b"
        assert steps[0] in (b"", b"a", b"a ", b"a " + b"x" * len(secret), b"a " + b"x" * len(secret) + b" ")


def test_what_only_looks_like_a_secret_shows_with_the_next_piece():
    steps, end = masked([b"hunter", b"2 is no secret"], "hunter22-secret")
    assert steps == [b"", b"hunter2 is no secret"]
    assert end == b"hunter2 is no secret"


def test_the_end_of_a_trace_shows_a_few_letters_of_a_secret_and_no_more():
    assert masked([b"a hunte"], "hunter22-secret")[1] == b"a hunte"
    assert masked([b"a hunter22-s"], "hunter22-secret")[1] == b"a xxxxxxxxxx"


def test_secrets_may_overlap_and_be_bytes_of_any_kind():
    assert masked([b"abcdefgh-ijklmnop"], "abcdefgh-ij", "gh-ijklmnop")[1] == b"x" * 17
    assert masked([b"aaaaaaaaa", b"aab"], "aaaaaaaa")[1] == b"x" * 11 + b"b"
    assert masked([b"p\xc3\xa4", b"sswort 1"], "pässwort")[1] == b"xxxxxxxxx 1"


def test_short_values_are_not_hidden():
    assert masked([b"a test passed"], "test", "")[1] == b"a test passed"


def test_any_cut_shows_the_same(thorough):
    choose = random.Random(7)
    for _ in range(2_000 if thorough else 200):
        secrets = ["".join(choose.choices("ab", k=choose.randint(8, 12))) for _ in range(3)]
        text = "".join(choose.choices("ab", k=60)).encode() + b"\n"
        whole = masked([text], *secrets)[1]
        cuts = sorted(choose.choices(range(len(text)), k=6))
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        steps, end = masked(pieces, *secrets)
        assert end == whole
        assert all(whole.startswith(step) for step in steps)
        assert not any(secret.encode() in whole for secret in secrets)
