"""Work that is done before the first visitor comes."""

import mimetypes

from mujina.planning.awards.emoji import characters
from mujina.product import PRODUCT
from mujina.web.assets import assets
from mujina.web.responses import templates
from mujina.web.warm_up import warm_up


def test_the_first_page_reads_neither_assets_nor_names_of_emoji_nor_types_of_files():
    steps = list(warm_up(PRODUCT))
    assert {assets, characters, templates, mimetypes.init} <= set(steps)
