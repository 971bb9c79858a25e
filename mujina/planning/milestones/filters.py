"""Lists of milestones, and of what has a milestone: their parameters as conditions."""

from typing import LiteralString

from mujina.kernel.db.sql.selection import Selection, Sql, matching
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters, compared
from mujina.planning.milestones.params import ListMilestones


def apply_filters(selection: Selection, query: ListMilestones) -> Selection:
    """Apply the filters of the query."""
    return filters.apply_filters(selection, query, _FILTERS)


def _on_day(name: LiteralString, day: str) -> Sql:
    """Milestones that have begun and are not over on this day; one without dates does not match."""
    return Sql(
        f"""coalesce(ms.start_on, ms.due_on) IS NOT NULL AND coalesce(ms.start_on, :{name}) <= :{name}
            AND coalesce(ms.due_on, :{name}) >= :{name}""",
        **{name: day},
    )


_FILTERS: Filters = {
    "state": lambda name, state: None if state == "all" else Sql(f"ms.state = :{name}", **{name: state}),
    "iids": compared("ms.iid", "IN"),
    "title": compared("ms.title"),
    "search": lambda _, words: matching(words, "ms.title_folded", "ms.description_folded"),
    "updated_after": compared("ms.updated_at", ">="),
    "updated_before": compared("ms.updated_at", "<="),
    "containing_date": _on_day,
}


KEYWORDS = frozenset(
    {"No Milestone", "No+Milestone", "None", "Any Milestone", "Any", "#upcoming", "#started", "Upcoming", "Started"}
)
"""The values of the parameter that may be no titles."""


def by_milestone(column: LiteralString, title: str, projects: LiteralString) -> Sql:
    """Rows whose milestone (`column`) has this title: one of `projects` or of a group.

    `No Milestone` or `None`: without a milestone; `Any`: with one; `#upcoming` and `#started`: by its dates.
    """
    match title:
        case "No Milestone" | "No+Milestone" | "None":
            return Sql(f"{column} IS NULL")
        case "Any Milestone" | "Any":
            return Sql(f"{column} IS NOT NULL")
        case "#upcoming":
            return Sql(f"{column} IN ({_UPCOMING})")
        case "#started":
            return Sql(f"{column} IN ({_STARTED})")
        case _:
            return Sql(titled(column, projects), milestone=title)


def titled(column: LiteralString, projects: LiteralString = "IN :project_ids") -> LiteralString:
    """Whether the milestone has the title `:milestone`."""
    return f"""{column} IN (SELECT ms.id FROM milestones ms
        WHERE ms.title = :milestone AND (ms.project_id IS NULL OR ms.project_id {projects}))"""


# The next milestone to be due in each project and in each group.
_UPCOMING: LiteralString = """
    SELECT ms.id FROM milestones ms WHERE ms.state = 'active' AND ms.due_on > :today AND NOT EXISTS (
        SELECT 1 FROM milestones sooner WHERE sooner.state = 'active' AND sooner.due_on > :today
        AND sooner.due_on < ms.due_on AND sooner.project_id IS NOT DISTINCT FROM ms.project_id
        AND sooner.group_id IS NOT DISTINCT FROM ms.group_id)"""
_STARTED: LiteralString = """
    SELECT ms.id FROM milestones ms
    WHERE ms.state = 'active' AND ms.start_on IS NOT NULL AND ms.start_on <= :today"""
