"""Parameters of requests about releases and their links."""

from typing import Annotated, ClassVar, Literal

from mujina.kernel.http.params import UNSET, Ids, Params, Texts, Timestamp, Trees, Unset, nested

LinkType = Literal["other", "runbook", "image", "package"]


class ListReleases(Params):
    order_by: Literal["released_at", "created_at", "id"] = "released_at"
    sort: Literal["asc", "desc"] = "desc"
    updated_after: Timestamp | Unset = UNSET
    updated_before: Timestamp | Unset = UNSET
    include_html_description: bool | Unset = UNSET


class ShowRelease(Params):
    include_html_description: bool | Unset = UNSET


class ListGroupReleases(Params):
    sort: Literal["asc", "desc"] = "desc"
    simple: bool | Unset = UNSET


class ReleaseAssetParams(Params):
    links: Trees | Unset = UNSET
    """Each as `CreateReleaseLink`."""


class ReleaseChange(Params):
    """The fields that creating and editing a release share. An empty list of milestones removes them."""

    name: str | Unset | None = UNSET
    description: str | Unset | None = UNSET
    released_at: Timestamp | Unset = UNSET
    milestones: Texts | Unset = UNSET
    """Titles of milestones of the project and of the groups above it."""
    milestone_ids: Ids | Unset = UNSET

    at_most_one_of: ClassVar = ("milestones", "milestone_ids")


class CreateRelease(ReleaseChange):
    tag_name: str
    ref: str | Unset | None = UNSET
    """What a tag that does not exist yet is created from."""
    tag_message: str | Unset | None = UNSET
    assets: Annotated[ReleaseAssetParams, nested(ReleaseAssetParams)] | Unset = UNSET


class EditRelease(ReleaseChange):
    pass


class ReleaseForm(Params):
    """The form of the pages: milestones are titles separated by commas."""

    tag_name: str = ""
    ref: str = ""
    name: str = ""
    description: str = ""
    released_at: Timestamp | Unset = UNSET
    milestones: Texts | Unset = UNSET

    def change(self) -> ReleaseChange:
        """What both forms change."""
        return ReleaseChange(
            name=self.name, description=self.description, released_at=self.released_at, milestones=self.milestones
        )


class ReleaseLinkChange(Params):
    """The optional fields of a link."""

    # Compat: older clients send `filepath` in the place of `direct_asset_path`.
    direct_asset_path: str | Unset | None = UNSET
    filepath: str | Unset | None = UNSET
    link_type: LinkType | Unset = UNSET


class CreateReleaseLink(ReleaseLinkChange):
    name: str
    url: str


class EditReleaseLink(ReleaseLinkChange):
    name: str | Unset = UNSET
    url: str | Unset = UNSET

    at_least_one_of: ClassVar = ("name", "url")
