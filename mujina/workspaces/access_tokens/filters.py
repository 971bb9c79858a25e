"""The conditions that the parameters of lists of access tokens become."""

from mujina.accounts.credentials.filters import TOKEN_FILTERS
from mujina.kernel import clock
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.lists.filters import apply_filters
from mujina.workspaces.access_tokens.params import ListAccessTokens
from mujina.workspaces.access_tokens.rules import access_tokens_of
from mujina.workspaces.owners.rules import Owner


def selected(owner: Owner, query: ListAccessTokens) -> Selection:
    """The tokens of the project or group that match."""
    return apply_filters(access_tokens_of(owner).bind(today=clock.today()), query, TOKEN_FILTERS)
