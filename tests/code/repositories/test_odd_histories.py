"""What git takes and no text holds: names, messages and people in other codes, and tags of what is no commit."""

from urllib.parse import quote

import pygit2
import pytest
from pygit2.enums import ObjectType

from mujina.adapters.git.storage import RepositoryStorage

COMMIT = b"tree %s\nparent %s\nauthor %s 1500000000 +0200\ncommitter %s 1500000000 +0200\n%s\ncaf\xe9\n"
JEROME = b"J\xe9r\xf4me <j\xe9@example.org>"


@pytest.fixture
def odd(code, stage):
    """Branches as people push them who live with other codes: `latin` says so, `silent` does not, `false` names none."""
    repository = pygit2.Repository(str(RepositoryStorage.of(stage.folder).repo_path(code.project["id"])))
    file = b"100644 caf\xe9.txt\0" + repository.create_blob(b"x\n").raw
    folder = b"40000 r\xe9p\0" + repository.write(ObjectType.TREE, file).raw
    tree = repository.write(ObjectType.TREE, file + folder)
    for name, said in {"latin": b"encoding iso-8859-1\n", "silent": b"", "false": b"encoding b\xf6gus\n"}.items():
        raw = COMMIT % (str(tree).encode(), code.first.encode(), JEROME, JEROME, said)
        repository.references.create(f"refs/heads/{name}", repository.write(ObjectType.COMMIT, raw))
    note = b"object %s\ntype commit\ntag heavy\ntagger %s 1500000000 +0000\n\nt\xe9g\n" % (code.first.encode(), JEROME)
    repository.references.create("refs/tags/heavy", repository.write(ObjectType.TAG, note))
    repository.references.create("refs/tags/of-a-tree", tree)
    return code


@pytest.mark.parametrize(("branch", "read"), [("latin", "Jérôme"), ("silent", "J�r�me"), ("false", "J�r�me")])
def test_a_commit_is_read_as_it_says_it_is_written(cast, odd, branch, read):
    (commit, *_) = cast.owner.get(f"{odd.at}/commits", ref_name=branch).json
    assert commit["author_name"] == commit["committer_name"] == read
    assert commit["title"] == ("café" if branch == "latin" else "caf�")
    assert cast.owner.get(f"{odd.at}/commits/{branch}").json["author_email"].endswith("@example.org")
    told = cast.owner.get(f"{odd.at}/branches/{branch}").json["commit"]
    assert told["author_name"] == read
    cast.owner.put(odd.path, default_branch=branch)
    assert read in [person["name"] for person in cast.owner.get(f"{odd.at}/contributors").json]


def test_names_that_are_no_text_are_shown_all_the_same(cast, odd):
    assert [entry["name"] for entry in cast.owner.get(f"{odd.at}/tree", ref="latin").json] == ["r�p", "caf�.txt"]
    deep = cast.owner.get(f"{odd.at}/tree", ref="latin", recursive=True).json
    assert {entry["path"] for entry in deep} == {"caf�.txt", "r�p", "r�p/caf�.txt"}
    for path in ("commits/latin/diff", "compare?from=master&to=latin", "compare?from=latin&to=master&straight=1"):
        answer = cast.owner.get(f"{odd.at}/{path}")
        assert answer.status == 200
        assert "caf�.txt" in answer.text
    assert cast.owner.get(f"{odd.at}/archive", sha="latin").status == 200


def test_a_file_is_fetched_under_the_name_that_is_shown(cast, odd):
    for entry in cast.owner.get(f"{odd.at}/tree", ref="latin", recursive=True).json:
        if entry["type"] == "blob":
            path = quote(entry["path"], safe="")
            assert cast.owner.get(f"{odd.at}/files/{path}", ref="latin").json["blob_id"] == entry["id"]
            assert cast.owner.get(f"{odd.at}/files/{path}/raw", ref="latin").body == b"x\n"
    below = cast.owner.get(f"{odd.at}/tree", ref="latin", path="r\ufffdp").json
    assert [entry["path"] for entry in below] == ["r\ufffdp/caf\ufffd.txt"]
    for missing in ("caf\ufffd", "caf\ufffd.txt/x", "\ufffd"):
        assert cast.owner.get(f"{odd.at}/files/{quote(missing, safe='')}", ref="latin").status == 404


def test_beside_them_files_are_written_and_commits_picked(cast, odd):
    body = {"branch": "latin", "commit_message": "m", "content": "x"}
    for name in ("beside", "caf%C3%A9.txt", "zz"):
        assert cast.owner.post(f"{odd.at}/files/{name}", **body).status == 201
    assert len(cast.owner.get(f"{odd.at}/tree", ref="latin").json) == 5
    picked = cast.owner.post(f"{odd.at}/commits/silent/cherry_pick", branch="master")
    assert (picked.status, picked.json["author_name"]) == (201, "J�r�me")
    assert picked.json["authored_date"] == "2017-07-14T04:40:00.000+02:00"
    silent = cast.owner.get(f"{odd.at}/commits/silent").json
    assert picked.json["message"] == f"{silent['message'].rstrip()}\n\n(cherry picked from commit {silent['id']})"


def test_tags_of_trees_and_blobs_are_left_out(cast, odd):
    (tag,) = cast.owner.get(f"{odd.at}/tags").json
    assert (tag["name"], tag["message"]) == ("heavy", "t�g")
    refs = cast.owner.get(f"{odd.at}/commits/{odd.first}/refs").json
    assert [ref["name"] for ref in refs] == ["false", "latin", "master", "silent", "heavy"]
    for path in ("commits/of-a-tree", "tags/of-a-tree", "tree?ref=of-a-tree", "archive?sha=of-a-tree"):
        assert cast.owner.get(f"{odd.at}/{path}").status == 404


def test_a_tree_too_deep_for_any_checkout_is_not_walked_through(cast, code, stage):
    repository = pygit2.Repository(str(RepositoryStorage.of(stage.folder).repo_path(code.project["id"])))
    tree = repository.write(ObjectType.TREE, b"100644 x\0" + repository.create_blob(b"x").raw)
    for depth in range(17):
        tree = repository.write(ObjectType.TREE, b"40000 %s\0" % (b"d" * 250) + tree.raw)
        if depth >= 15:
            raw = COMMIT % (str(tree).encode(), code.first.encode(), JEROME, JEROME, b"")
            repository.references.create(f"refs/heads/deep{depth}", repository.write(ObjectType.COMMIT, raw))
    assert cast.owner.get(f"{code.at}/archive.zip", sha="deep15").status == 200
    for path in ("archive?sha=deep16", "archive.zip?sha=deep16", "tree?ref=deep16&recursive=true"):
        refused = cast.owner.get(f"{code.at}/{path}")
        assert (refused.status, refused.json) == (400, {"message": "The tree is too deep"})
    assert code.commit(branch="deep16", new="1").json == {"message": "The tree is too deep"}
    assert cast.owner.get(f"{code.at}/tree", ref="deep16").headers["X-Total"] == "1"


def test_a_tree_of_more_files_than_memory_holds_is_read_page_by_page(cast, code, stage):
    repository = pygit2.Repository(str(RepositoryStorage.of(stage.folder).repo_path(code.project["id"])))
    file = repository.create_blob(b"x").raw
    tree = repository.write(ObjectType.TREE, b"".join(b"100644 f%d\0%s" % (number, file) for number in range(10)))
    for _ in range(7):
        tree = repository.write(ObjectType.TREE, b"".join(b"40000 d%d\0%s" % (n, tree.raw) for n in range(10)))
    raw = COMMIT % (str(tree).encode(), code.first.encode(), JEROME, JEROME, b"")
    repository.references.create("refs/heads/vast", repository.write(ObjectType.COMMIT, raw))

    def page(number):
        return cast.owner.get(f"{code.at}/tree", ref="vast", recursive=True, per_page=3, page=number)

    assert page(1).headers["X-Total"] == str(sum(10**depth for depth in range(1, 9)))
    assert [entry["path"] for entry in page(1).json] == ["d0", "d0/d0", "d0/d0/d0"]
    assert [entry["path"] for entry in page(37_037_037).json] == ["/".join(["d9"] * 7 + [f"f{n}"]) for n in (8, 9)]
    assert cast.owner.get(f"{code.at}/commits/vast").json["stats"] == {"additions": 0, "deletions": 0, "total": 0}
    assert cast.owner.get(f"{code.at}/commits/vast/diff").json == []
    cast.owner.put(code.path, default_branch="vast")
    many = (400, {"message": "The tree has too many files"})
    for path in ("repository/archive", "languages", "search?scope=blobs&search=vast"):
        refused = cast.owner.get(f"{code.path}/{path}")
        assert (refused.status, refused.json) == many
    refused = code.commit(branch="vast", new="1")
    assert (refused.status, refused.json) == many
