"""The product: its chapters, in order. Each imports only from those before it; taking one out deletes its line and folder."""

from typing import Final

from mujina.kernel.product import Product, find_chapter

PRODUCT: Final = Product(
    [
        find_chapter("mujina.instance"),
        find_chapter("mujina.accounts"),
        find_chapter("mujina.workspaces"),
        find_chapter("mujina.code"),
        find_chapter("mujina.planning"),
        find_chapter("mujina.review"),
        find_chapter("mujina.publishing"),
        find_chapter("mujina.ci"),
        find_chapter("mujina.integrations"),
        find_chapter("mujina.activity"),
        find_chapter("mujina.replication"),
        find_chapter("mujina.administration"),
        find_chapter("mujina.moving"),
    ]
)
