"""Lists of milestones: their parameters as conditions."""

from mujina.kernel.db.selection import Selection
from mujina.planning.milestones.params import ListMilestones


def narrow(chosen: Selection, query: ListMilestones) -> None:
    """Apply the filters of the query."""
    if query.state != "all":
        chosen.only("ms.state = :state", state=query.state)
    if query.iids:
        chosen.only("ms.iid IN :iids", iids=query.iids)
    if query.title:
        chosen.only("ms.title = :title", title=query.title)
    if query.search:
        chosen.matching(query.search, "ms.title_folded", "ms.description_folded")
