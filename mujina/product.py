"""The product: its chapters, in order. Each imports only from those before it."""

from typing import Final

from mujina.accounts import manifest as accounts
from mujina.activity import manifest as activity
from mujina.administration import manifest as administration
from mujina.ci import manifest as ci
from mujina.code import manifest as code
from mujina.instance import manifest as instance
from mujina.integrations import manifest as integrations
from mujina.kernel.product import Product
from mujina.planning import manifest as planning
from mujina.replication import manifest as replication
from mujina.review import manifest as review
from mujina.workspaces import manifest as workspaces

PRODUCT: Final = Product(
    [
        instance.CHAPTER,
        accounts.CHAPTER,
        workspaces.CHAPTER,
        code.CHAPTER,
        planning.CHAPTER,
        review.CHAPTER,
        ci.CHAPTER,
        integrations.CHAPTER,
        activity.CHAPTER,
        replication.CHAPTER,
        administration.CHAPTER,
    ]
)
