"""Fields and types of the objects that the test's Gitea serves, as its published API description has them.

A field that the description does not have, or a value of another type, is a mistake of the test.
"""

import re
from typing import Any

TYPES: dict[str, type] = {"i": int, "s": str, "b": bool, "l": list, "o": dict}
"""A `?` behind the type: it may be null. Fields of other names than these are not served."""

WORK = "id:i number:i title:s user:o? state:s body:s? created_at:s updated_at:s closed_at:s? labels:l assignees:l? milestone:o?"
GITEA = {
    r"/repos/team/app": "id:i name:s full_name:s owner:o description:s? private:b default_branch:s has_issues:b has_wiki:b "
    "created_at:s updated_at:s archived:b topics:l internal:b",
    r"/orgs/team/repos": "id:i name:s full_name:s owner:o description:s? private:b default_branch:s has_issues:b has_wiki:b "
    "created_at:s updated_at:s archived:b topics:l internal:b",
    r".*/labels": "id:i name:s color:s description:s?",
    r".*/issues/\d+/comments": "id:i user:o? body:s created_at:s updated_at:s",
    r".*/reactions": "user:o? content:s created_at:s",
    r".*/hooks": "id:i config:o events:l active:b created_at:s",
    r".*/releases": "id:i tag_name:s name:s? body:s? draft:b created_at:s published_at:s? author:o assets:l",
    r".*/(?:members|collaborators)": "id:i login:s",
    r".*/actions/secrets": "name:s created_at:s",
    r"/version": "version:s",
    r"/orgs/team": "id:i name:s full_name:s description:s visibility:s",
    r".*/milestones": "id:i title:s state:s created_at:s updated_at:s due_on:s?",
    r".*/issues": f"{WORK} comments:i is_locked:b due_date:s? assets:l pull_request:o?",
    r".*/pulls": f"{WORK} comments:i merged_at:s? draft:b head:o base:o requested_reviewers:l? merge_base:s "
    "merged_by:o? merge_commit_sha:s?",
    r".*/reviews": "id:i user:o state:s body:s commit_id:s submitted_at:s comments_count:i",
    r".*/reviews/\d+/comments": "id:i user:o resolver:o? body:s created_at:s updated_at:s path:s diff_hunk:s position:i "
    "original_position:i pull_request_review_id:i",
    r".*/dependencies": "id:i",
    r".*/permission": "permission:s",
    r".*/teams": "id:i name:s permission:s includes_all_repositories:b units_map:o",
    r".*/branch_protections": "rule_name:s branch_name:s enable_push:b enable_push_whitelist:b push_whitelist_usernames:l",
    r".*/tag_protections": "name_pattern:s whitelist_usernames:l",
    r"/users/search": "data:l",
}


def check(path: str, answer: Any) -> None:
    """Every object of the answer has only fields of the description, of their types."""
    fields = {
        name: kind
        for pattern, text in GITEA.items()
        if re.fullmatch(pattern, path)
        for name, _, kind in (field.partition(":") for field in text.split())
    }
    assert fields, f"{path} is not described"
    for item in answer if isinstance(answer, list | tuple) else [answer]:
        for name, value in item.items():
            kind = fields.get(name, "")
            assert kind, f"{path} has no field {name}"
            fits = isinstance(value, TYPES[kind[0]]) or (value is None and kind.endswith("?"))
            assert fits, f"{path}: {name} is {value!r}"
