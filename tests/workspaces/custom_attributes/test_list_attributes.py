from types import SimpleNamespace

import pytest

from tests.harness.creation import make_group
from tests.workspaces.custom_attributes.subjects import at, every


@every
def test_attributes_are_listed_by_key(cast, subject):
    here = at(cast, subject)
    for key in ("b", "a", "c"):
        cast.root.put(f"{here}/{key}", value=key.upper())
    answer = cast.root.get(here, per_page=2)
    assert answer.json == [{"key": "a", "value": "A"}, {"key": "b", "value": "B"}]
    assert answer.headers["X-Total"] == "3"


LISTS = [("/users/{guest.id}", "/users"), ("/groups/{team.id}", "/groups"), ("/projects/{private.id}", "/projects")]


@pytest.mark.parametrize(("subject", "listed"), LISTS)
def test_lists_are_narrowed_by_attributes_for_administrators(cast, subject, listed):
    here = at(cast, subject)
    cast.root.put(f"{here}/color", value="blue")
    cast.root.put(f"{here}/size", value="10")

    def found(**attributes):
        return len(cast.root.get(listed, custom_attributes=attributes).json)

    assert found(color="blue") == found(color="blue", size="10") == 1
    assert found(color="red") == found(color="blue", size="11") == found(color="10", size="blue") == 0
    assert found(shape="blue") == 0


@pytest.mark.parametrize(("subject", "listed"), LISTS)
def test_the_filter_by_attributes_is_ignored_for_other_callers(cast, subject, listed):
    cast.root.put(f"{at(cast, subject)}/color", value="blue")
    everything = cast.owner.get(listed).json
    assert cast.owner.get(listed, custom_attributes={"color": "red"}).json == everything


SHOWN = [*LISTS, ("/groups/{subgroup.id}", "/groups/{team.id}/subgroups"),
         ("/projects/{private.id}", "/groups/{team.id}/projects")]  # fmt: skip


@pytest.mark.parametrize(("subject", "listed"), SHOWN)
def test_administrators_see_the_attributes_of_lists_and_of_one_on_request(cast, subject, listed):
    made = make_group(cast.owner, "below", parent_id=cast.team.id) if "subgroup" in subject else None
    names = {**cast.names, "subgroup": SimpleNamespace(**made)} if made else cast.names
    path, listed = subject.format_map(names), listed.format_map(names)
    cast.root.put(f"{path}/custom_attributes/color", value="blue")
    blue = [{"key": "color", "value": "blue"}]
    shown = [each["custom_attributes"] for each in cast.root.get(listed, with_custom_attributes=True).json]
    assert sorted(shown) == [*[[]] * (len(shown) - 1), blue]
    assert cast.root.get(path, with_custom_attributes=True).json["custom_attributes"] == blue
    others = [cast.root.get(path).json, cast.owner.get(path, with_custom_attributes=True).json,
              *cast.root.get(listed).json, *cast.owner.get(listed, with_custom_attributes=True).json]  # fmt: skip
    assert [each for each in others if "custom_attributes" in each] == []


def test_attributes_of_different_kinds_of_subjects_are_separate(cast):
    cast.root.put(f"/projects/{cast.team.id}/custom_attributes/color", value="blue")
    assert cast.root.get("/groups", custom_attributes={"color": "blue"}).json == []
