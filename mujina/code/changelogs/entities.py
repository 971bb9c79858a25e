"""Changelogs as responses show them."""

import msgspec


class Changelog(msgspec.Struct):
    notes: str
