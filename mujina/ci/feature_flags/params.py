"""Parameters of requests about feature flags."""

from typing import Literal

from mujina.kernel.http.params import UNSET, AnyObject, Params, RequiredText, Trees, Unset


class ListFeatureFlags(Params):
    scope: Literal["enabled", "disabled"] | Unset = UNSET


class FeatureFlagChange(Params):
    """The fields that creating and editing a flag share."""

    description: str | Unset | None = UNSET
    active: bool | Unset = UNSET
    strategies: Trees | Unset = UNSET
    """Each as `StrategyParams`."""


class CreateFeatureFlag(FeatureFlagChange):
    name: str
    version: Literal["new_version_flag"] | Unset = UNSET


class EditFeatureFlag(FeatureFlagChange):
    name: RequiredText | Unset = UNSET


class StrategyParams(Params):
    """A strategy that an edit adds, or with its id, changes or removes."""

    id: int | Unset = UNSET
    name: Literal["default", "gradualRolloutUserId", "flexibleRollout", "userWithId", "gitlabUserList"] | Unset = UNSET
    parameters: AnyObject | Unset = UNSET
    user_list_id: int | Unset | None = UNSET
    scopes: Trees | Unset = UNSET
    """Each as `ScopeParams`; a new strategy without scopes counts in every environment."""
    _destroy: bool | Unset = UNSET


class ScopeParams(Params):
    """An environment for which a strategy counts."""

    id: int | Unset = UNSET
    environment_scope: str | Unset = UNSET
    _destroy: bool | Unset = UNSET


class FeatureFlagForm(Params):
    """The form of a new flag: its name, and one strategy."""

    name: str = ""
    description: str = ""
    strategy: Literal["default", "flexibleRollout", "userWithId"] = "default"
    percentage: str = "100"
    user_ids: str = ""
    environments: str = "*"
    """Separated by commas."""

    def change(self) -> CreateFeatureFlag:
        """The flag that the form describes; it is on from the start."""
        parameters = {
            "default": {},
            "flexibleRollout": {"groupId": self.name, "rollout": self.percentage, "stickiness": "default"},
            "userWithId": {"userIds": self.user_ids},
        }[self.strategy]
        scopes = [{"environment_scope": each.strip()} for each in self.environments.split(",") if each.strip()]
        strategy = {"name": self.strategy, "parameters": parameters, "scopes": scopes}
        return CreateFeatureFlag(
            name=self.name.strip(), description=self.description or None, active=True, strategies=[strategy]
        )


class FlagSwitch(Params):
    active: bool


class UnleashClient(Params):
    """What an Unleash client says of itself, unless its headers do."""

    instance_id: str | Unset = UNSET
    app_name: str | Unset = UNSET
