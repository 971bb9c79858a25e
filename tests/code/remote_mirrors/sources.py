"""Repositories that projects are fetched from, and what the fetch is at."""


def add_commit(source, message):
    """The id of a new commit on the branch `main` of the repository."""
    tree = source.git("hash-object", "-wt", "tree", "/dev/null")
    former = [f"-p{tip}" for tip in source.refs.values()]
    identity = ("-c", "user.name=Me", "-c", "user.email=me@example.org")
    tip = source.git(*identity, "commit-tree", tree, *former, "-m", message)
    source.git("update-ref", "refs/heads/main", tip)
    source.git("symbolic-ref", "HEAD", "refs/heads/main")
    return tip


def state(owner, at):
    """Status and error of the last fetch."""
    found = owner.get(at).json
    return found["import_status"], found["import_error"]
