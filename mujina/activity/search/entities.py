"""Matches in files as the API shows them."""

from pathlib import PurePosixPath

import msgspec

from mujina.activity.search.operations import Passage


class FoundBlob(msgspec.Struct):
    basename: str
    data: str
    # Compat: `path`, the same as `filename`, is younger than the specification; today's clients require it.
    path: str
    filename: str
    id: None
    ref: str
    startline: int
    project_id: int


def shown_blob(passage: Passage, ref: str, project_id: int) -> FoundBlob:
    """Some lines of a file on this branch."""
    return FoundBlob(
        basename=passage.path.removesuffix(PurePosixPath(passage.path).suffix),
        data=passage.text,
        path=passage.path,
        filename=passage.path,
        id=None,
        ref=ref,
        startline=passage.line,
        project_id=project_id,
    )
