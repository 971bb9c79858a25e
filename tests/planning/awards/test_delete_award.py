import pytest

from tests.harness.client import Raw


@pytest.fixture
def award(cast):
    """The guest's award on the open issue."""
    awards = f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji"
    return f"{awards}/{cast.guest.post(awards, name='tada').json['id']}"


@pytest.mark.parametrize(
    ("who", "status"),
    [("guest", 204), ("root", 204), ("owner", 401), ("reporter", 401), ("stranger", 404), ("anonymous", 401)],
)
def test_an_award_is_taken_back_by_who_gave_it(cast, award, who, status):
    answer = getattr(cast, who).delete(award)
    assert answer.status == status
    assert cast.guest.get(award).status == (404 if status == 204 else 200)


def test_an_award_taken_back_can_be_given_again(cast, award):
    assert cast.guest.delete(award).status == 204
    assert cast.guest.delete(award).status == 404
    assert cast.guest.post(award.rpartition("/")[0], name="tada").status == 201


def test_an_award_given_since_is_not_taken_back(cast, award):
    old = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2015 03:45:40 GMT"})
    assert cast.guest.delete(award, old).status == 412
