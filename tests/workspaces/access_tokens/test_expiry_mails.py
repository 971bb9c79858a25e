"""Mails about tokens that expire soon."""

from datetime import timedelta

from mujina.kernel import clock
from mujina.workspaces.access_tokens.tasks import _announce


def test_each_token_is_announced_once(cast):
    soon, later = "2999-01-01", "2999-12-31"
    made = cast.master.post(f"/projects/{cast.private.id}/access_tokens", name="x", scopes=["api"], expires_at=later)
    cast.root.post(f"/users/{cast.guest.id}/personal_access_tokens", name="x", scopes=["api"], expires_at=soon)
    assert cast.transact(_announce) == 0
    cast.run("UPDATE access_tokens SET expires_on = :day WHERE expires_on < '3000'", day=_in_three_days())
    assert cast.transact(_announce) == 2
    assert cast.transact(_announce) == 0
    mails = cast.rows("SELECT m.kind, m.user_id FROM mails m ORDER BY m.kind")
    assert [tuple(mail) for mail in mails] == [
        ("bot_token_expiring", cast.master.id), ("token_expiring", cast.guest.id),
    ]  # fmt: skip
    assert made.status == 201


def _in_three_days():
    return clock.later(timedelta(days=3))[:10]
