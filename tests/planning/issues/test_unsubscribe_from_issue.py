import pytest

from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)


def test_the_author_is_subscribed_until_they_say_otherwise(cast, issue):
    assert cast.reporter.get(issue).json["subscribed"] is True
    assert cast.reporter.post(f"{issue}/subscribe").status == 304
    assert cast.reporter.post(f"{issue}/unsubscribe").status == 201
    assert cast.reporter.get(issue).json["subscribed"] is False
    assert cast.reporter.post(f"{issue}/unsubscribe").status == 304
    assert cast.reporter.post(f"{issue}/subscribe").status == 201
    assert cast.reporter.get(issue).json["subscribed"] is True


def test_a_word_against_it_outlives_taking_part(cast, issue):
    cast.guest.post(f"{issue}/subscribe")
    cast.guest.post(f"{issue}/unsubscribe")
    cast.guest.post(f"{issue}/notes", body="hello")
    assert cast.guest.get(issue).json["subscribed"] is False


def test_unsubscribing_answers_without_time_weight_and_links(cast, issue):
    answer = cast.reporter.post(f"{issue}/unsubscribe").json
    assert set(cast.reporter.get(issue).json) - set(answer) == {"time_stats", "weight", "_links"}
    assert answer["subscribed"] is False
