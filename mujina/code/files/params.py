"""Parameters of requests about trees and files."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Names, Params, Unset, Words


class ListTree(Params):
    path: str | Unset = UNSET
    ref: str | Unset = UNSET
    recursive: bool | Unset | None = UNSET
    pagination: str | Unset = UNSET
    """`keyset`: pages follow each other by `page_token`, and have no total; `none`, with `recursive`: the whole tree."""
    page_token: str | Unset = UNSET


class ReadFile(Params):
    ref: str | Unset = UNSET


class DownloadArchive(Params):
    sha: str | Unset = UNSET
    path: str | Unset = UNSET
    """The file or folder to archive, by default everything."""
    exclude_paths: Names | Unset = UNSET
    """Files and folders to leave out."""
    include_lfs_blobs: bool | Unset | None = UNSET
    """False: pointers stay in place of LFS objects."""


class WriteFile(Params):
    branch: str
    commit_message: str
    content: str
    encoding: Literal["text", "base64"] = "text"
    execute_filemode: bool | Unset | None = UNSET
    start_branch: str | Unset = UNSET
    author_email: str | Unset = UNSET
    author_name: str | Unset = UNSET
    last_commit_id: str | Unset = UNSET


class DeleteFile(Params):
    branch: str
    commit_message: str
    start_branch: str | Unset = UNSET
    author_email: str | Unset = UNSET
    author_name: str | Unset = UNSET
    last_commit_id: str | Unset = UNSET


class ShowPlain(Params):
    plain: bool | Unset | None = UNSET


class FindFile(Params):
    search: Words | Unset = UNSET


class SwitchRef(Params):
    ref: str
    path: str | Unset = UNSET
    destination: Literal["tree", "blob", "blame", "commits", "graphs"] = "tree"
