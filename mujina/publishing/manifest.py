"""Everything that this chapter adds to the product."""

from typing import Final

from mujina.kernel.events import REACTIONS, Reactions
from mujina.kernel.product import Chapter
from mujina.planning.storage.files import STORED_FILES
from mujina.publishing.packages.operations import PACKAGE_FILES, remove_project_files
from mujina.publishing.releases.milestones import follow_promotion
from mujina.workspaces.projects.removing.with_owner import PROJECT_FILES

_REACTIONS: Final[Reactions] = {"milestone.promoted": [follow_promotion]}

CHAPTER: Final = Chapter(
    "mujina.publishing",
    REACTIONS.of(_REACTIONS),
    STORED_FILES.of(PACKAGE_FILES),
    PROJECT_FILES.of(remove_project_files),
)
