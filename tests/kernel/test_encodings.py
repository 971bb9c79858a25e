"""Text that is not UTF-8 is shown in the encoding that it has."""

import random
from codecs import BOM_UTF16_BE, BOM_UTF16_LE

import pytest

from mujina.kernel.text import encodings
from mujina.kernel.text.encodings import MAX_SAMPLE, decode_patch, decode_text, encoding_of, is_utf_16

TEXTS = [
    ("Größe, Äpfel, naïve café déjà vu\n", "latin-1"),
    ("größe", "latin-1"),
    ("café", "latin-1"),
    ("# Copyright Jörg\nimport os\nprint(1)\n", "latin-1"),
    ("¿Cómo estás? Añadió ¡olé!\n", "latin-1"),
    ("“quoted” – dash… naïve café, 5 €\n", "cp1252"),
    ("Привет, мир! Это русский текст.\n", "cp1251"),
    ("# Инициализация переменных\nx = 1\n", "cp1251"),
    ("Привет, мир! Это русский текст.\n", "koi8_r"),
    ("// 変数を初期化する\nint x = 0;\n// カウンタ\n", "cp932"),
    ("日本語のテキストです。これはテストです。\n", "euc_jp"),
    ("안녕하세요. 이것은 한국어 텍스트입니다.\n", "euc_kr"),
    ("// 初始化变量\nint x = 0;\n", "gb18030"),
    ("這是一個中文文本。用於測試編碼檢測。\n", "big5"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "encoding"), TEXTS, ids=lambda value: value if value.isascii() else "")
def test_text_is_shown_in_its_encoding(text, encoding):
    assert decode_text(text.encode(encoding)) == text
    assert decode_text(text.encode()) == text
    # A few words far from the start, in a file that is longer than what is looked at.
    long = "x = 1\n" * MAX_SAMPLE + text
    assert decode_text(long.encode(encoding)) == long


@pytest.mark.parametrize("text", ["", "Größe\r\nx = 1\n", "日本語\n", "\U0001f9a6"])
def test_utf_16_with_a_byte_order_mark_is_text(text):
    for data in (BOM_UTF16_LE + text.encode("utf-16-le"), BOM_UTF16_BE + text.encode("utf-16-be")):
        assert decode_text(data) == text
        assert is_utf_16(data)
    for other in (text.encode(), text.encode("utf-32"), b"\xff\xfe\0\0\1\0", b"\xff\xfe\0"):
        assert not is_utf_16(other)


def test_text_in_no_known_encoding_keeps_the_bytes_that_are_utf_8():
    noise = random.Random(7).randbytes(4_000)
    assert encoding_of(noise) == "utf-8"
    assert decode_text("ä€".encode() + noise).startswith("ä€")
    assert decode_text(b"") == ""


@pytest.mark.parametrize("data", [b"\xff", "привет".encode("cp1251")], ids=["bytes", "letters"])
def test_the_work_does_not_grow_faster_than_the_text(data, monkeypatch):
    """A line without ASCII characters, so long that squared it would take an hour."""
    monkeypatch.setattr(encodings, "MAX_SAMPLE", 1 << 17)
    assert encoding_of(data * (encodings.MAX_SAMPLE // len(data))) == "cp1251"


def test_a_patch_that_changes_the_encoding_shows_both_sides():
    old, new = b"-gr\xfc\xdfe aus k\xf6ln\n", "+grüße aus köln\n".encode()
    assert decode_patch(old + new) == "-grüße aus köln\n+grüße aus köln\n"
