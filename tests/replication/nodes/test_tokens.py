"""The credential of a node: valid for minutes, and only as its node signed it."""

import pytest

from mujina.kernel import clock
from mujina.replication.nodes import tokens
from mujina.replication.nodes.tokens import InvalidToken

DATA = {"status": True}


def test_a_token_is_valid_for_minutes(monkeypatch):
    now = clock.timestamp()
    token = tokens.sign("secret", DATA)
    for offset, is_valid in ((0, True), (-59, True), (110, True), (-3_600, False), (125, False), (3_600, False)):
        monkeypatch.setattr(clock, "timestamp", lambda offset=offset: now + offset)
        if is_valid:
            assert tokens.verify("secret", token) == DATA
        else:
            with pytest.raises(InvalidToken, match="clocks"):
                tokens.verify("secret", token)


def test_a_token_that_its_node_did_not_sign_so_opens_nothing():
    token = tokens.sign("secret", DATA)
    head, body, signature = token.split(".")
    unsigned = tokens._packed(b'{"alg":"none","typ":"JWT"}')
    longer = tokens.sign("secret", DATA, seconds=601)
    for forged in (f"{unsigned}.{body}.", f"{unsigned}.{body}.{signature}", f"{head}.{body}", f"{head}.{body}.", "", "...",
                   tokens.sign("other", DATA), longer, tokens.sign("secret", [1]), f"{token}é"):  # fmt: skip
        with pytest.raises(InvalidToken):
            tokens.verify("secret", forged)
