"""The rows of lists of issues and of merge requests, each written here and nowhere else.

In Python instead of a template: a page has twenty of them, each made of two dozen expressions, and Jinja would take three
times as long, which is more than reading the issues takes. Every text of a user passes `escape`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape

from mujina.accounts.users.entities import UserRef
from mujina.kernel.urls import reference_at
from mujina.planning.issue_lists.entities import IssueList
from mujina.planning.issue_lists.facts import IssueFacts
from mujina.planning.issues.views import Issue
from mujina.planning.labels.entities import LabelChip
from mujina.rendering.html import Html
from mujina.review.merge_requests.lists import ListedRequests, RequestFacts
from mujina.review.merge_requests.views import MergeRequest
from mujina.web.elements import avatar, chip, icon, label, status
from mujina.web.formats import day, local, plural, query_value, time, url_path


def issues(
    listed: IssueList, labels: Mapping[str, LabelChip], here: str, today: str, *, wide: bool, chosen: bool
) -> Html:
    """`here`: the address of the list; `wide`: of several projects; `chosen`: for the form below that edits many."""
    tags = {title: _tag(found, here) for title, found in labels.items()}
    facts = listed.facts
    return Html(
        "\n".join([
            _issue(issue, facts.get(issue.id, _NO_FACTS), tags, today, wide, chosen) for issue in listed.paged.items
        ])
    )  # fmt: skip


def merge_requests(listed: ListedRequests, here: str, *, wide: bool, chosen: bool) -> Html:
    """Renders the rows of merge requests."""
    return Html(
        "\n".join([
            _merge_request(each, facts, [_tag(one, here) for one in listed.labels.get(each.id, ())], wide, chosen)
            for each in listed.paged.items
            if (facts := listed.facts.get(each.id))  # it may have been deleted a moment ago
        ])
    )  # fmt: skip


_NO_FACTS = IssueFacts()


def _issue(issue: Issue, fact: IssueFacts, tags: Mapping[str, Html], today: str, wide: bool, chosen: bool) -> str:
    address, is_open = local(issue.web_url), issue.state == "opened"
    number = reference_at(address, "#") if wide else f"#{issue.iid}"
    marks = [chip("Confidential", "lock", "warn")] if issue.confidential else []
    meta = _opened(number, issue.created_at, issue.author)
    if issue.milestone:
        meta += f"<span>{icon('milestone')} {escape(issue.milestone.title)}</span>"
    if issue.due_date:
        late = is_open and issue.due_date < today
        date = f'<time datetime="{escape(issue.due_date)}">{day(issue.due_date)}</time>'
        look, word = (' class="overdue"', ", overdue") if late else ("", "")
        meta += f"<span{look}>{icon('calendar')} due {date}{word}</span>"
    if fact.tasks:
        meta += _tasks(fact.completed_tasks, fact.tasks)
    if fact.requests:
        meta += f"<span>{icon('git-pull-request')} {plural(fact.requests, 'merge request')}</span>"
    tail = _people(issue.assignees) + _comments(issue.user_notes_count)
    if isinstance(issue.weight, int):
        tail += f'<span>{icon("weight")} {issue.weight}<span class="sr"> weight</span></span>'
    picture = icon("circle-dot", "open") if is_open else icon("circle-check", "closed")
    marks += [tags[title] for title in issue.labels if title in tags]
    return _row(issue.iid, "#" if chosen else "", picture, issue.title, address, marks, meta, tail)


_LOOKS = {"merged": ("git-merge", "merged"), "closed": ("git-pull-request-closed", "closed")}


def _merge_request(each: MergeRequest, fact: RequestFacts, tags: list[Html], wide: bool, chosen: bool) -> str:
    name, kind = _LOOKS.get(each.state, ("git-pull-request-draft" if each.draft else "git-pull-request", "open"))
    meta = _opened(each.references.full if wide else each.reference, each.created_at, each.author)
    if each.target_branch != fact.default_branch:
        meta += f"<span>{icon('git-branch')} {escape(each.target_branch)}</span>"
    if each.milestone:
        meta += f"<span>{icon('milestone')} {escape(each.milestone.title)}</span>"
    if fact.required:
        meta += f'<span>{icon("check")} {fact.approvals} of {fact.required}<span class="sr"> approvals</span></span>'
    if fact.threads:
        meta += f"<span>{plural(fact.threads, 'unresolved thread')}</span>"
    if tasks := each.task_completion_status.count:
        meta += _tasks(each.task_completion_status.completed_count, tasks)
    tail = status(fact.status) + _people(each.assignees) + _comments(each.user_notes_count)
    marks = [chip("Draft", "", "warn"), *tags] if each.draft else tags
    address = local(each.web_url)
    return _row(each.iid, "!" if chosen else "", icon(name, kind), fact.shown_title, address, marks, meta, tail)


def _row(
    iid: int, sign: str, picture: Html, title: str, address: str, marks: Sequence[Html], meta: str, tail: str
) -> str:  # fmt: skip
    """`sign`: before the number, if the row can be chosen for the form below; `tail`: what stands at its right end."""
    box = (
        f'<label class="pick"><input type="checkbox" form="bulk" name="iids[]" value="{iid}">'
        f'<span class="sr">Choose {sign}{iid}</span></label>'
        if sign
        else ""
    )
    end = f'<div class="row-tail">{tail}</div>' if tail else ""
    return (
        f'<li class="row">{box}{picture}<div class="row-main"><a class="row-title" href="{escape(address)}">'
        f'{escape(title)}</a> {" ".join(marks)}<div class="meta">{meta}</div></div>{end}</li>'
    )


def _opened(reference: str, moment: str, author: UserRef) -> str:
    return f"<span>{escape(reference)} opened {time(moment)} by {_person(author.username, author.name)}</span>"


def _tasks(completed: int, count: int) -> str:
    return f"<span>{icon('list-checks')} {completed:,} of {plural(count, 'task')}</span>"


@lru_cache(1024)
def _person(username: str, name: str) -> str:
    return f'<a href="/{escape(url_path(username))}">{escape(name)}</a>'


def _tag(found: LabelChip, here: str) -> Html:
    return label(found.title, found.color, f"{here}?label_name={query_value(found.title)}", found.description)


def _people(assignees: Sequence[UserRef]) -> str:
    people = "".join([
        avatar(person.id, person.name, local(person.avatar_url), 20, shown=False) for person in assignees
    ])  # fmt: skip
    return f'<span class="avatars">{people}</span>' if people else ""


def _comments(number: int) -> str:
    return f'<span>{icon("message-square")} {number:,}<span class="sr"> comments</span></span>' if number else ""
