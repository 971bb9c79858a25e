"""Parameters of requests about packages."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset, Words
from mujina.publishing.packages.rules import PackageType

Status = Literal["default", "hidden"]


class ListPackages(Params):
    order_by: Literal["created_at", "name", "version", "type", "project_path", "id"] = "created_at"
    sort: Literal["asc", "desc"] = "asc"
    package_type: PackageType | Unset = UNSET
    package_name: Words | Unset = UNSET
    package_version: str | Unset = UNSET
    status: Status | Unset = UNSET


class FilterPackages(Params):
    """The search of the page."""

    search: Words | Unset = UNSET
    type: PackageType | Unset = UNSET


class YankPackage(Params):
    reason: str = ""


class UploadPackage(Params):
    select: Literal["package_file"] | Unset = UNSET
    status: Status | Unset = UNSET
