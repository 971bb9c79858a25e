"""Repositories of exports: whatever form they have, git fetches them from bundles."""

from mujina.adapters.git.transport.copying import EMPTY_BUNDLE, bundle_head
from mujina.moving.sources.exports.documents import ExportDocuments


def add_bundle(documents: ExportDocuments, path: str, name: str) -> None:
    """The member of this name is the repository at the path, which is empty without one."""
    if name in documents.members:
        documents.file(path, name)
    else:
        documents.content(path, EMPTY_BUNDLE)


def default_branch(documents: ExportDocuments, name: str) -> str | None:
    """The branch that the HEAD of the bundle of this name is at."""
    return bundle_head(documents.members[name]) if name in documents.members else None
