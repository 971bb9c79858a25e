"""The push rule of a project, applied to the commits and files that a push adds to the repository."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from mujina.accounts.users.sign_in.addresses import known_addresses
from mujina.adapters.git.reading import history
from mujina.adapters.git.reading.history import NewCommit, NewFile
from mujina.code.push_rules.rules import PushRuleRow
from mujina.code.pushes.changes import Change
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold
from mujina.kernel.text.patterns import BadPattern, occurs

SECRETS = (
    r"aws/credentials$",
    r"(ssh|config)/(personal|server)_(rsa|dsa|ed\d+|ecdsa)",
    r"id_rsa$",
    r"id_dsa$",
    r"id_ed25519$",
    r"id_ecdsa$",
    r"\.(pem|key)$",
    r"[._]history$",
)
"""Names of files that usually hold credentials."""

MEGABYTE = 1024 * 1024


async def check_commits(
    services: Services,
    rule: PushRuleRow,
    default_branch: str | None,
    changes: Sequence[Change],
    repo_path: Path,
    environment: Mapping[str, str],
    *,
    web: bool,
) -> str | None:
    """How these changes break the push rule; None if they do not."""
    try:
        if (problem := _check_names(rule, default_branch, changes, web=web)) is not None:
            return problem
        news = [change.new for change in changes if not change.deletes]
        of_commits = rule.commit_message_regex or rule.author_email_regex or rule.member_check
        of_files = rule.file_name_regex or rule.prevent_secrets or rule.max_file_size
        if not news or not (of_commits or of_files):
            return None
        problem = await _check_tags(changes, repo_path, environment)
        if problem is None and of_commits:
            problem = await _check_commits(services, rule, history.new_commits(repo_path, news, environment))
        if problem is None and of_files:
            problem = await _check_files(rule, repo_path, news, environment)
    except BadPattern as bad:
        return f"A push rule of this project cannot be used: {bad}"
    return problem


def _check_names(rule: PushRuleRow, default_branch: str | None, changes: Sequence[Change], *, web: bool) -> str | None:
    pattern = rule.branch_name_regex
    for change in changes:
        # Compat: tags may still be deleted through the API and on pages.
        if change.tag is not None and change.deletes and rule.deny_delete_tag and not web:
            return "You cannot delete a tag"
        if not pattern or change.branch is None or change.deletes or change.branch == default_branch:
            continue
        if not occurs(pattern, change.branch):
            return f"Branch name does not follow the pattern '{pattern}'"
    return None


async def _check_tags(changes: Sequence[Change], repo_path: Path, environment: Mapping[str, str]) -> str | None:
    """A tag may point to a tree or a blob, which no commit contains and no rule would see."""
    tags = [change for change in changes if change.tag is not None and not change.deletes]
    if not tags or await history.are_of_commits(repo_path, [change.new for change in tags], environment):
        return None
    return "A tag leads to no commit, which the push rules of this project cannot judge"


async def _check_commits(services: Services, rule: PushRuleRow, commits: history.NewCommits) -> str | None:
    authors: dict[str, str] = {}
    async with aclosing(commits):
        async for commit in commits:
            if (problem := _check_commit(rule, commit)) is not None:
                return problem
            authors.setdefault(fold(commit.author_email), commit.author_email)
    if rule.member_check and authors:
        async with services.database.reading() as tx:
            known = await known_addresses(tx, list(authors))
        for address, spelled in authors.items():
            if address not in known:
                return f"Author '{spelled}' is not a member of team"
    return None


def _check_commit(rule: PushRuleRow, commit: NewCommit) -> str | None:
    if rule.commit_message_regex and not occurs(rule.commit_message_regex, commit.message):
        return f"Commit message does not follow the pattern '{rule.commit_message_regex}'"
    pattern = rule.author_email_regex
    if pattern and not occurs(pattern, commit.author_email):
        return f"Author's email '{commit.author_email}' does not follow the pattern '{pattern}'"
    if pattern and not occurs(pattern, commit.committer_email):
        return f"Committer's email '{commit.committer_email}' does not follow the pattern '{pattern}'"
    return None


async def _check_files(
    rule: PushRuleRow, repo_path: Path, news: Sequence[str], environment: Mapping[str, str]
) -> str | None:
    patterns = [pattern for pattern in (rule.file_name_regex, *(SECRETS if rule.prevent_secrets else ())) if pattern]
    largest = rule.max_file_size * MEGABYTE
    too_large = await history.blobs_above(repo_path, news, largest, environment) if largest else frozenset[str]()
    if not patterns and not too_large:
        return None
    async with aclosing(history.new_files(repo_path, news, environment)) as files:
        async for file in files:
            if (problem := _check_file(rule, patterns, too_large, file)) is not None:
                return problem
    return None


def _check_file(rule: PushRuleRow, patterns: Sequence[str], too_large: frozenset[str], file: NewFile) -> str | None:
    if file.added:
        for pattern in patterns:
            if occurs(pattern, file.path):
                return f"File name {file.path} was blacklisted by the pattern {pattern}."
    if file.blob in too_large:
        return f'File "{file.path}" is larger than the allowed size of {rule.max_file_size} MB'
    return None
