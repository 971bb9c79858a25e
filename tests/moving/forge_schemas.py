"""Fields and types of the objects that the test's forges serve, as Gitea's and GitHub's published API descriptions have them.

A field that a description does not have, or a value of another type, is a mistake of the test.
"""

import re
from collections.abc import Mapping
from typing import Any

TYPES: dict[str, type] = {"i": int, "s": str, "b": bool, "l": list, "o": dict}
"""A `?` behind the type: it may be null. Fields of other names than these are not served."""

WORK = "id:i number:i title:s user:o? state:s body:s? created_at:s updated_at:s closed_at:s? labels:l assignees:l? milestone:o?"
SHARED = {
    r"/repos/team/app": "id:i name:s full_name:s owner:o description:s? private:b default_branch:s has_issues:b has_wiki:b "
    "created_at:s updated_at:s archived:b topics:l",
    r"/orgs/team/repos": "id:i name:s full_name:s owner:o description:s? private:b default_branch:s has_issues:b has_wiki:b "
    "created_at:s updated_at:s archived:b topics:l",
    r".*/labels": "id:i name:s color:s description:s?",
    r".*/issues/\d+/comments": "id:i user:o? body:s created_at:s updated_at:s",
    r".*/reactions": "user:o? content:s created_at:s",
    r".*/hooks": "id:i config:o events:l active:b created_at:s",
    r".*/releases": "id:i tag_name:s name:s? body:s? draft:b created_at:s published_at:s? author:o assets:l",
    r".*/(?:members|collaborators)": "id:i login:s",
    r".*/actions/secrets": "name:s created_at:s",
}
GITEA = {
    r"/version": "version:s",
    r"/repos/team/app": "internal:b",
    r"/orgs/team/repos": "internal:b",
    r"/orgs/team": "id:i name:s full_name:s description:s visibility:s",
    r".*/milestones": "id:i title:s state:s created_at:s updated_at:s due_on:s?",
    r".*/issues": f"{WORK} comments:i is_locked:b due_date:s? assets:l pull_request:o?",
    r".*/pulls": f"{WORK} comments:i merged_at:s? draft:b head:o base:o requested_reviewers:l? merge_base:s merged_by:o? merge_commit_sha:s?",
    r".*/reviews": "id:i user:o state:s body:s commit_id:s submitted_at:s comments_count:i",
    r".*/reviews/\d+/comments": "id:i user:o resolver:o? body:s created_at:s updated_at:s path:s diff_hunk:s position:i "
    "original_position:i pull_request_review_id:i",
    r".*/dependencies": "id:i",
    r".*/permission": "permission:s",
    r".*/teams": "id:i name:s permission:s includes_all_repositories:b units_map:o",
    r".*/branch_protections": "rule_name:s branch_name:s enable_push:b enable_push_whitelist:b push_whitelist_usernames:l",
    r".*/tag_protections": "name_pattern:s whitelist_usernames:l",
    r".*/reactions": "id:i",  # Gitea gives none: it is ignored
    r"/users/search": "data:l",
}
GITHUB = {
    r"/meta": "verifiable_password_authentication:b",
    r"/orgs/team": "id:i login:s name:s description:s? default_repository_permission:s?",
    r".*/milestones": "id:i number:i title:s state:s created_at:s updated_at:s due_on:s?",
    r".*/issues": f"{WORK} comments:i reactions:o pull_request:o",
    r".*/pulls": f"{WORK} merged_at:s? draft:b head:o base:o requested_reviewers:l? merge_commit_sha:s?",
    r".*/pulls/\d+": f"{WORK} merged_at:s? draft:b head:o base:o requested_reviewers:l? merged_by:o? merge_commit_sha:s?",
    r".*/issues/\d+/comments": "reactions:o",
    r".*/reviews": "id:i user:o? state:s body:s commit_id:s? submitted_at:s?",
    r".*/pulls/\d+/comments": "id:i user:o body:s created_at:s updated_at:s path:s diff_hunk:s commit_id:s original_commit_id:s "
    "original_line:i side:s in_reply_to_id:i reactions:o",
    r".*/reactions": "id:i",
    r".*/collaborators": "role_name:s",
    r".*/teams": "id:i name:s slug:s permission:s",
    r".*/branches": "name:s protected:b",
    r".*/protection": "required_pull_request_reviews:o allow_force_pushes:o",
    r".*/actions/secrets": "total_count:i secrets:l",
    r"/user/\d+": "id:i login:s name:s? email:s?",
}


def check(path: str, answer: Any, dialect: Mapping[str, str]) -> None:
    """Every object of the answer has only fields of the description, of their types."""
    fields = {
        name: kind
        for described in (SHARED, dialect)
        for pattern, text in described.items()
        if re.fullmatch(pattern, path)
        for name, _, kind in (field.partition(":") for field in text.split())
    }
    assert fields, f"{path} is not described"
    for item in answer if isinstance(answer, list) else [answer]:
        for name, value in item.items():
            kind = fields.get(name, "")
            assert kind, f"{path} has no field {name}"
            fits = isinstance(value, TYPES[kind[0]]) or (value is None and kind.endswith("?"))
            assert fits, f"{path}: {name} is {value!r}"
