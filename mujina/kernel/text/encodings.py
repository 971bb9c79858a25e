"""Text of unknown encoding. Git stores bytes: what is not UTF-8 is shown in the encoding that explains most of it.

Only what is shown is converted; raw files, patches and git itself have the bytes. A general detector was measured and is
wrong about the most frequent case, a few accents among many ASCII characters: it takes them for Chinese.
"""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Mapping
from typing import Final

from mujina.kernel.text.deferred_patterns import deferred_pattern

UTF_8: Final = "utf-8"
UTF_16: Final = "utf-16"
MAX_SAMPLE: Final = 8 * 1024
"""Bytes that decide: a few milliseconds of work."""
MIN_CONFIDENCE: Final = 0.5
MIN_RUN: Final = 2
"""Words of other scripts have at least this many letters on average; accents stand alone among ASCII letters, or in twos."""
_BEYOND_ASCII = deferred_pattern(r"[^\x00-\x7f]+")
_AMONG_LETTERS = deferred_pattern(r"(?<=[A-Za-z])[^\x00-\x7f]+|(?<![^\x00-\x7f])[^\x00-\x7f]+(?=[A-Za-z])")
"""A match begins where a run does: from each of its characters on, a long run would be searched again."""
_NOT_IN_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_CYRILLIC: Final = "(?<![\u0400-\u045f])[\u0410-\u042f\u0401]|[\u0430-\u044f\u0451]"
"""Letters in lower case, and the first ones of words in upper case: other encodings swap them."""
_JAPANESE: Final = "[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]"
_CHINESE: Final = "[\u3000-\u301f\u4e00-\u9fff\uff01-\uff5e]"
_KANA: Final = deferred_pattern("[\u3040-\u30ff]")
_EXPECTED: Final[Mapping[str, str]] = {
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
    "cp932": _JAPANESE,
    "euc_jp": _JAPANESE,
    "euc_kr": "[\uac00-\ud7a3]",
    "gb18030": _CHINESE,
    "big5": _CHINESE,
}
"""The characters that text in each encoding consists of; the first of two that explain as much is taken. Such large sets take
milliseconds to compile: `re` does it for the first text that is not UTF-8, and keeps the result."""
_FREQUENT: Final = {"gb18030": ("gb2312", range(0xA1, 0xD8)), "big5": ("big5", range(0xA1, 0xC7))}
"""Only the frequent Chinese characters count: the encodings have them at these first bytes."""


def decode_text(data: bytes) -> str:
    """The text; bytes that no encoding explains are replaced."""
    return data.decode(encoding_of(data), "replace")


def decode_patch(data: bytes) -> str:
    """Decodes a patch, in which a line that is UTF-8 stays that: a change may be one of the encoding."""
    encoding = encoding_of(data)
    if encoding == UTF_8:
        return data.decode(UTF_8, "replace")
    return "".join(decode_line(line, encoding) for line in data.splitlines(keepends=True))


def decode_line(line: bytes, encoding: str) -> str:
    """One line of a patch of this encoding."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode(encoding, "replace")


def encoding_of(data: bytes) -> str:
    """UTF-8 if the data are that, or nothing explains them; otherwise what a part of them seems to be."""
    if is_utf_16(data):
        return UTF_16
    try:
        data.decode()
    except UnicodeDecodeError as error:
        # The lines that decide may be far from the start, and a patch may change the encoding.
        start = data.rfind(b"\n", 0, error.start) + 1
        lines = data[start : start + MAX_SAMPLE].split(b"\n")
        return _detect(b"\n".join(line for line in lines if not _is_utf_8(line)))
    return UTF_8


def is_utf_16(data: bytes) -> bool:
    """Whether this is text that says by its first character that it is UTF-16; git takes it for binary."""
    if not data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    try:
        return "\0" not in data.decode(UTF_16)
    except UnicodeDecodeError:
        return False


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _detect(sample: bytes) -> str:
    found = {encoding: _confidence(encoding, sample) for encoding in _EXPECTED}
    best = max(found, key=lambda encoding: found[encoding])
    if found[best] > MIN_CONFIDENCE:
        return best
    runs = _BEYOND_ASCII.findall(sample.decode("latin-1"))
    accents = sum(len(run) <= MIN_RUN for run in runs) > len(runs) * MIN_CONFIDENCE
    return "cp1252" if accents and not _NOT_IN_CP1252.search(sample) else UTF_8


def _confidence(encoding: str, sample: bytes) -> float:
    """Which part of the characters beyond ASCII text of this encoding would have; 0 if the bytes are not valid in it."""
    try:
        text = getincrementaldecoder(encoding)().decode(sample)  # the sample may end within a character
    except UnicodeDecodeError:
        return 0
    runs = _BEYOND_ASCII.findall(text)
    foreign = sum(map(len, runs))
    expected: list[str] = re.findall(_EXPECTED[encoding], text)
    if foreign < MIN_RUN * len(runs) or len(_AMONG_LETTERS.findall(text)) > len(runs) * MIN_CONFIDENCE:
        return 0
    if _EXPECTED[encoding] == _JAPANESE and not _KANA.search(text):
        return 0
    if encoding in _FREQUENT:
        expected = [character for character in expected if _is_frequent(character, *_FREQUENT[encoding])]
    return len(expected) / foreign if foreign else 0


def _is_frequent(character: str, encoding: str, first_bytes: range) -> bool:
    encoded = character.encode(encoding, "ignore")
    return bool(encoded) and encoded[0] in first_bytes
