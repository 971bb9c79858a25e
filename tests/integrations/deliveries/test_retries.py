"""When a delivery is tried again, and when a hook is paused."""

import pytest

from mujina.integrations.deliveries.queue.retries import paused_until, retry_at
from mujina.kernel import clock

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 10), (2, MINUTE), (3, 5 * MINUTE), (4, 30 * MINUTE), (5, HOUR), (28, HOUR)]
)
def test_attempts_follow_with_growing_delays_and_jitter(attempts, seconds):
    delays = [clock.seconds_until(retry_at(attempts)) for _ in range(50)]
    assert 0.8 * seconds - 1 <= min(delays) < max(delays) <= 1.2 * seconds
    assert max(delays) - min(delays) > 0.1 * seconds


def test_after_a_day_a_delivery_is_given_up():
    assert retry_at(29) is None


@pytest.mark.parametrize(
    ("failures", "seconds"),
    [(4, MINUTE), (5, 2 * MINUTE), (10, 64 * MINUTE), (14, 1024 * MINUTE), (15, DAY), (39, DAY)],
)
def test_each_failure_pauses_for_twice_the_time_up_to_a_day(failures, seconds):
    assert seconds - 1 <= clock.seconds_until(paused_until(failures)) <= seconds


def test_few_failures_pause_nothing_and_forty_disable():
    assert [paused_until(failures) for failures in (0, 3, 40, 41)] == [None, None, clock.NEVER, clock.NEVER]
