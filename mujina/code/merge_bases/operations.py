"""The best common ancestor of commits."""

from mujina.adapters.git import refs
from mujina.adapters.git.reading import commits as reading
from mujina.code.commits.operations import Repository, ResolvedCommit
from mujina.kernel import errors

MIN_REFS, MAX_REFS = 2, 100
"""Commits that one request names."""


async def merge_base(code: Repository, names: list[str]) -> ResolvedCommit:
    """The best common ancestor of these commits, of all but the first taken together; 404 if there is none."""
    if len(names) < MIN_REFS or len(names) > MAX_REFS:
        wanted = f"at least {MIN_REFS}" if len(names) < MIN_REFS else f"at most {MAX_REFS}"
        raise errors.bad_request(f"Provide {wanted} refs")
    commits = {name: commit for name in names if (commit := reading.find_commit(code.repository, name)) is not None}
    if unknown := [name for name in dict.fromkeys(names) if name not in commits]:
        raise errors.bad_request(f"Could not find ref{'s' if len(unknown) > 1 else ''}: {', '.join(unknown)}")
    found = await refs.merge_base(code.repo_path, *(str(commits[name].id) for name in names))
    base = errors.or_not_found(found, "Merge Base")
    return ResolvedCommit(code, base, base)
