import asyncio

import pytest

from mujina.planning.awards.emoji import aliases, canonical
from tests.harness.cases import Case, Has, cases

AT = "POST /projects/{private.id}/issues/{open}/award_emoji"
ROCKET = {"name": "rocket"}


@cases(
    [
        Case("anonymous", "POST /projects/{public.id}/issues/{open}/award_emoji", 401, params=ROCKET),
        Case("stranger", "POST /projects/{public.id}/issues/{open}/award_emoji", 201, params=ROCKET),
        Case("stranger", AT, 404, {"message": "404 Project Not Found"}, ROCKET),
        Case("guest", AT, 201, Has(name="rocket", awardable_type="Issue"), ROCKET, events=["award.given"], statements=8),
        Case("guest", AT, 201, Has(name="thumbsup"), {"name": "+1"}),
        Case("guest", AT, 201, Has(name="thumbsdown"), {"name": "-1"}),
        Case("guest", AT, 201, Has(name="speech_balloon"), {"name": ":speech_balloon:"}),
        Case("reporter", AT, 404, {"message": "404 Award Emoji Not Found"}, {"name": "thumbsup"}, events=[]),
        Case("reporter", AT, 404, {"message": "404 Award Emoji Not Found"}, {"name": "-1"}),
        Case("reporter", AT, 201, params=ROCKET),
        Case("guest", AT, 404, {"message": '404 Award Emoji {:name=>["is not included in the list"]} Not Found'}, {"name": "x y"}),
        Case("guest", AT, 400, Has(error="name is missing")),
        Case("guest", "POST /projects/{private.id}/issues/{confidential}/award_emoji", 404,
             {"message": "404 Issue Not Found"}, ROCKET),
    ]
)  # fmt: skip
def test_readers_of_an_issue_give_it_emoji(case, cast):
    case.holds(cast)


def test_each_user_gives_an_emoji_once(cast):
    awards = f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji"
    assert cast.guest.post(awards, name="rocket").status == 201
    again = cast.guest.post(awards, name="rocket")
    assert again.status == 404
    assert "has already been taken" in again.json["message"]
    assert cast.developer.post(awards, name="rocket").status == 201
    assert cast.guest.post(awards, name="tada").status == 201
    assert cast.guest.get(awards).headers["X-Total"] == "3"


def test_an_emoji_does_not_update_the_issue(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    before = cast.guest.get(issue).json["updated_at"]
    cast.guest.post(f"{issue}/award_emoji", name="rocket")
    assert cast.guest.get(issue).json["updated_at"] == before


def test_issues_are_found_by_the_emoji_the_caller_gave(cast):
    issues = f"/projects/{cast.private.id}/issues"
    cast.guest.post(f"{issues}/{cast.open}/award_emoji", name="+1")
    for name in ("thumbsup", "+1", ":thumbsup:", "Any"):
        assert [found["iid"] for found in cast.guest.get(issues, my_reaction_emoji=name).json] == [cast.open]
        assert cast.master.get(issues, my_reaction_emoji=name).json == []
    others = cast.guest.get(issues, my_reaction_emoji="None").json
    assert cast.open not in [found["iid"] for found in others]
    assert len(others) == len(cast.guest.get(issues).json) - 1
    assert cast.guest.get(issues, my_reaction_emoji="sigh of relief").json == []


def test_every_emoji_has_a_name_fit_for_a_path():
    assert len(set(aliases().values())) > 1_794
    assert all(name == name.lower() and "/" not in name for name in aliases())
    assert all(canonical(name) == name for name in aliases().values())
    assert canonical("no such thing") is None


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("flag_de", "flag_de"), ("de", "flag_de"), ("wave_tone3", "wave_tone3"), ("clock12", "clock12"),
        ("clock130", "clock130"), ("champagne", "champagne"), ("cop", "cop"), ("iphone", "iphone"),
        (":thumbup:", "thumbsup"), ("satisfied", "laughing"), ("car", "red_car"), ("melting_face", "melting_face"),
    ],
)  # fmt: skip
def test_an_alias_is_stored_as_the_canonical_name(cast, name, stored):
    awards = f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji"
    assert cast.guest.post(awards, name=name).json["name"] == stored
    assert "has already been taken" in cast.guest.post(awards, name=stored).json["message"]


@pytest.mark.commits
def test_many_who_award_at_once_lose_nothing(cast, loop):
    awards = f"/projects/{cast.public.id}/issues/{cast.open}/award_emoji"
    people = [cast.guest, cast.developer, cast.stranger, cast.master]
    given = [(person, name) for person in people for name in ("rocket", "tada", "heart", "heart")]

    async def all_at_once():
        return await asyncio.gather(*(person.exchange("POST", awards, params={"name": name}) for person, name in given))

    statuses = [answer.status for answer in loop.run_until_complete(all_at_once())]
    assert sorted(statuses) == [201] * 12 + [404] * 4
    assert cast.guest.get(awards).headers["X-Total"] == "12"
