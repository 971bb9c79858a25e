"""Calls over real sockets, in a network namespace that holds nothing but loopback: see `outbound_on_loopback.py`,
and `hooks_on_loopback.py` for hooks end to end.
"""

from pathlib import Path

from tests.harness.loopback import run_on_loopback

STORIES = Path(__file__).with_name("outbound_on_loopback.py")
HOOKS = Path(__file__).parents[1] / "integrations" / "deliveries" / "hooks_on_loopback.py"

ADDRESS = "ip address add 3aaa::1/128 dev lo"
"""It is public by its form and belongs to nobody."""


def test_calls_reach_only_what_the_guard_lets_through():
    run_on_loopback(STORIES, HOOKS, setup=ADDRESS)
