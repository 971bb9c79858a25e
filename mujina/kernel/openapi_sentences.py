"""What an operation does, as a sentence: from its handler's docstring, or composed from its name and path."""

import inspect
import re

from mujina.kernel.routing import Route

_PLURAL = {"repositories": "repository", "statuses": "status", "branches": "branch", "languages": "language"}
_UNCOUNTED = ("settings", "time", "stats", "everything", "activities", "tree", "diff", "access", "detail", "estimate")
_WHOLE = {
    "show_self": "Show your own account.",
    "show_version": "Show the version of the API.",
    "show_settings": "Show the settings of this instance.",
    "edit_settings": "Change the settings of this instance.",
    "search_everything": "Search everything that you may see.",
    "list_user_activities": "List when each user was last active.",
    "mark_all_todos_as_done": "Mark all your todos as done.",
    "list_todos": "List your todos.",
    "list_snippets": "List your snippets.",
    "list_own_events": "List your own events.",
    "keep_house": "Start housekeeping in the repository of a project.",
    "list_all_deploy_keys": "List the deploy keys of all projects.",
    "list_issues": "List the issues of all projects that you may see.",
    "list_issues_of_project_milestone": "List the issues of a milestone of a project.",
    "list_issues_of_group_milestone": "List the issues of a milestone of a group.",
    "add_issue_spent_time": "Add to the time spent on an issue.",
    "cherry_pick_commit": "Cherry-pick a commit onto a branch.",
    "create_project_for_user": "Create a project in the namespace of a user.",
    "download_archive": "Download an archive of a repository.",
    "download_archive_as": "Download an archive of a repository, in the format that the path names.",
    "list_tree": "List the files and directories of a repository.",
    "list_commit_diff": "List the changes of a commit, file by file.",
    "relate_fork": "Declare that a project is a fork of another.",
    "part_fork": "Remove the relation between a fork and its origin.",
    "protect_branch_simply": "Protect a branch with the usual access levels.",
    "unprotect_branch_simply": "Remove the protection of a branch.",
    "pull_mirror": "Start an update of a mirrored project.",
    "request_access": "Request access to a project or group.",
    "set_commit_status": "Set a status of a commit.",
    "show_license": "Show the license of this instance.",
    "add_license": "Add a license key.",
    "show_notification_settings": "Show your global notification settings.",
    "edit_notification_settings": "Change your global notification settings.",
    "show_one_of_all_members": "Show a member, direct or inherited from a group above.",
    "list_all_members": "List the members, direct and inherited from the groups above.",
    "show_raw_snippet": "Show the content of a snippet as plain text.",
    "show_raw_project_snippet": "Show the content of a snippet of a project as plain text.",
    "show_project_snippet_user_agent_detail": "Show from where a snippet of a project was created.",
    "show_snippet_user_agent_detail": "Show from where a snippet was created.",
    "show_issue_user_agent_detail": "Show from where an issue was created.",
    "transfer_project": "Transfer a project into a group.",
}


def summary_of(route: Route) -> str:
    """A few words, for lists of operations."""
    return route.name.replace("_", " ").capitalize()


def description_of(route: Route) -> str:
    """What it does, then how it answers and who may ask."""
    stated = inspect.getdoc(route.handler) or _WHOLE.get(route.name) or _compose(route)
    sentences = [stated]
    if route.paged:
        sentences.append("The answer is one page of the list.")
    if route.admin:
        sentences.append("Only administrators may do this.")
    elif route.anonymous:
        sentences.append("No token is needed for what is public.")
    return " ".join(sentences)


def _compose(route: Route) -> str:
    verb, *rest = route.name.split("_")
    owner = _owner(route)
    link = ""
    if rest and rest[0] in ("to", "from"):
        link, rest = f"{rest[0]} ", rest[1:]
    own = rest[:1] == ["own"]
    if own:
        rest = rest[1:]
    noun = " ".join(rest)
    if owner and noun.startswith(f"{owner} ") and not noun.startswith((f"{owner} as ", f"{owner} for ")):
        noun = noun.removeprefix(f"{owner} ")
    noun, by, key = noun.partition(" by ")
    subject = f"your own {noun}" if own else f"{_article(verb, noun)}{noun}"
    of = ""
    if owner and not own and not re.search(rf"\b{owner}s?\b", noun):
        of = f" {_preposition(verb, owner)} {_indefinite(owner)}{owner}"
    return f"{verb.capitalize()} {link}{subject}{of}{by}{key}.".replace("gpg", "GPG")


def _preposition(verb: str, owner: str) -> str:
    if verb == "add":
        return "to"
    if verb == "create":
        return "in" if owner in ("project", "group", "board") else "for"
    return "of"


def _owner(route: Route) -> str:
    """The noun whose part the operation is about: `issue` for `/projects/:id/issues/:issue_iid/notes`."""
    parts = route.segments
    nouns = [part for part, after in zip(parts, [*parts[1:], ""], strict=True) if after.startswith(":")]
    if parts[-1].startswith(":"):
        nouns = nouns[:-1]
    return _singular(nouns[-1]).replace("_", " ") if nouns else ""


def _singular(noun: str) -> str:
    return _PLURAL.get(noun) or noun.removesuffix("s")


def _article(verb: str, noun: str) -> str:
    last = noun.rpartition(" ")[2]
    if not noun or noun.startswith("all "):
        return ""
    if noun.endswith("s") or verb in ("list", "search", "compare") or last in _UNCOUNTED:
        return "the " if verb != "search" else _indefinite(noun)
    return _indefinite(noun)


def _indefinite(noun: str) -> str:
    return "an " if noun[:1] in "aeiou" and not noun.startswith("us") else "a "
