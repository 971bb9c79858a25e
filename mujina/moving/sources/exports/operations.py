"""Repositories of exports: git fetches them from bundles, or from bare repositories that are put together anew.

Of a bare repository that another program made, only objects and refs are taken, which a fetch checks: no configuration,
hook, replaced or borrowed object, and no file of another name.
"""

import os
import re
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Final

from mujina.adapters.git.transport.copying import EMPTY_BUNDLE, HEAD, bundle_head
from mujina.moving.sources.exports.documents import ExportDocuments

CONFIG: Final = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
MAX_REFS_BYTES: Final = 64 << 20
MAX_REF_BYTES: Final = 1_024
_OBJECT: Final = re.compile(r"objects/(?:[0-9a-f]{2}/[0-9a-f]{38}|pack/pack-[0-9a-f]{40}\.(?:pack|idx))")
_REF: Final = re.compile(r"refs/(?:heads|tags|pull|merge-requests)(?:/(?![.-])[\w.+@#=,-]+(?<!\.lock)(?<!\.))+")
"""Names that git allows, but for some that are not used; a push decides about them again."""
_PACKED: Final = re.compile(rb"([0-9a-f]{40}) (refs/[^\s]{1,500})")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")


def add_bundle(documents: ExportDocuments, path: str, name: str) -> None:
    """The member of this name is the repository at the path, which is empty without one."""
    if name in documents.members:
        documents.file(path, name)
    else:
        documents.content(path, EMPTY_BUNDLE)


def default_branch(documents: ExportDocuments, name: str) -> str | None:
    """The branch that the HEAD of the bundle of this name is at."""
    return bundle_head(documents.members[name]) if name in documents.members else None


def add_bare(documents: ExportDocuments, path: str, below: str) -> str | None:
    """The members below this name are the repository at the path; the branch that its HEAD names."""
    files = documents.below(below)
    objects = {name: file for name, file in files.items() if _OBJECT.fullmatch(name)}
    refs = dict(_refs(documents, below, files))
    if not objects or not refs:
        add_bundle(documents, path, "")
        return None
    folder = documents.new_folder()
    for name, file in objects.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        _link(file, target)
    (folder / "refs").mkdir()
    head = _text(files["HEAD"]) if "HEAD" in files else ""
    branch = head.removeprefix(HEAD) if head.startswith(HEAD) and _REF.fullmatch(head.removeprefix("ref: ")) else None
    (folder / "HEAD").write_text(f"{HEAD}{branch or 'main'}\n")
    (folder / "config").write_text(CONFIG)
    lines = [f"{tip} {ref}\n" for ref, tip in sorted(refs.items())]
    (folder / "packed-refs").write_text("# pack-refs with: sorted\n" + "".join(lines))
    documents.file(path, folder.name)
    return branch


def _refs(documents: ExportDocuments, below: str, files: dict[str, Path]) -> Generator[tuple[str, str]]:
    """The refs and their objects; a file of its own counts more than a line of all."""
    packed = files.get("packed-refs")
    found = list[tuple[str, str]]()
    if packed is not None and packed.stat().st_size <= MAX_REFS_BYTES:
        with packed.open("rb") as lines:
            matches = (_PACKED.fullmatch(line.rstrip(b"\r\n")) for line in lines)
            found += [(match[2].decode("utf-8", "replace"), match[1].decode()) for match in matches if match]
    found += [(name, _text(file)) for name, file in files.items() if name.startswith("refs/")]
    for ref, tip in found:
        if _REF.fullmatch(ref) and _COMMIT.fullmatch(tip):
            yield ref, tip
        elif ref.startswith(("refs/heads/", "refs/tags/")):
            documents.problem(below, f"The ref {ref[:200]!r} has a name or a content that is not read.")


def _text(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(MAX_REF_BYTES).decode("utf-8", "replace").strip()


def _link(file: Path, target: Path) -> None:
    """A second name of the file, or a copy where there can be none."""
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
