"""Where in a diff a discussion is."""

import msgspec

INVALID_POSITION = {"position": ["is invalid"]}
INVALID_LINE = {"line_code": ["can't be blank", "must be a valid line code"]}


class TextPosition(msgspec.Struct, kw_only=True, frozen=True, tag_field="position_type", tag="text"):
    """A line: an added one has only a new number, a removed one only an old number, an unchanged one both."""

    base_sha: str
    start_sha: str
    head_sha: str
    old_path: str
    new_path: str
    old_line: int | None
    new_line: int | None


class ImagePosition(msgspec.Struct, kw_only=True, frozen=True, tag_field="position_type", tag="image"):
    """A point of an image."""

    base_sha: str
    start_sha: str
    head_sha: str
    old_path: str
    new_path: str
    width: int
    height: int
    x: int
    y: int


Position = TextPosition | ImagePosition

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Position).decode
