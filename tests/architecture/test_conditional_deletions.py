"""Requests that delete something heed `If-Unmodified-Since`."""

from typing import Final

import pytest

from tests.harness.client import Raw
from tests.harness.composed import ROUTES

LONG_AGO: Final = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
UNCONDITIONAL: Final = frozenset({
    # The family ignores the header here.
    "/user/gpg_keys/:key_id",
    "/users/:id/gpg_keys/:key_id",
    "/users/:id/custom_attributes/:key",
    "/groups/:id/custom_attributes/:key",
    "/projects/:id/custom_attributes/:key",
    "/projects/:id/push_rule",
    "/groups/:id/ldap_group_links/:cn",
    "/groups/:id/ldap_group_links/:provider/:cn",
    "/groups/:id/members/:user_id/override",
    # Relations and entries of lists, whose age is not stored.
    "/users/:id/identities/:provider",
    "/projects/:id/fork",
    "/groups/:id/-/epics/:epic_iid/issues/:epic_issue_id",
    "/groups/:id/epics/:epic_iid/issues/:epic_issue_id",
    "/projects/:id/job_token_scope/allowlist/:target_project_id",
    "/projects/:id/job_token_scope/groups_allowlist/:target_group_id",
    "/projects/:id/pipeline_schedules/:schedule_id/variables/:key",
    # Contents of something that stays.
    "/projects/:id/repository/merged_branches",
    "/projects/:id/repository/files/:file_path",
    "/projects/:id/jobs/:job_id/artifacts",
    "/projects/:id/artifacts",
    "/projects/:id/pages",
    "/projects/:id/packages/:package_id/yank",
    # The revision in the path, or the name of a tag, says what the client saw.
    "/projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag",
    "/projects/:id/packages/npm/*package_name/-/*file_name/-rev/:revision",
    "/projects/:id/packages/npm/*package_name/-rev/:revision",
})  # fmt: skip


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_nothing_that_changed_since_the_client_looked_is_deleted(world):
    deletions = {route.path: route for route in ROUTES if route.verb == "DELETE"}
    assert deletions.keys() >= UNCONDITIONAL
    conditional = [route for path, route in deletions.items() if path not in UNCONDITIONAL]
    heedless = [
        route.path
        for route in world.visit(conditional)
        if all(world.ask(who, route, world.params(route), raw=LONG_AGO).status != 412 for who in world.cast.people)
    ]
    assert heedless == []
