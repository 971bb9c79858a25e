"""Feature flags as Unleash clients read them: a client asks for all flags, and decides by itself for whom they are on."""

import msgspec

from mujina.ci.feature_flags import entities, operations
from mujina.ci.feature_flags.entities import FeatureFlag, Strategy
from mujina.ci.variables.values import scope_rank
from mujina.kernel import secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.secrets import Vault


class UnleashStrategy(msgspec.Struct):
    name: str
    parameters: dict[str, str]


class UnleashFeature(msgspec.Struct):
    name: str
    description: str | None
    enabled: bool
    strategies: list[UnleashStrategy]


class UnleashFeatures(msgspec.Struct):
    version: int
    features: list[UnleashFeature]


async def is_token(tx: Tx, vault: Vault, project_id: int, given: str) -> bool:
    """Whether this is the token of a project that exists."""
    token = await operations.read_token(tx, vault, project_id)
    return bool(token) and secrets.same(token, given)


async def load_features(tx: Tx, project_id: int, environment: str) -> UnleashFeatures:
    """The flags of the project that have a strategy for this environment."""
    features = [_to_feature(flag, environment) for flag in await entities.load_all(tx, project_id)]
    return UnleashFeatures(1, [each for each in features if each.strategies])


def _to_feature(flag: FeatureFlag, environment: str) -> UnleashFeature:
    strategies = [
        _to_strategy(each)
        for each in flag.strategies
        if any(scope_rank(scope.environment_scope, environment) is not None for scope in each.scopes)
    ]
    return UnleashFeature(flag.name, flag.description, flag.active, strategies)


def _to_strategy(strategy: Strategy) -> UnleashStrategy:
    # Clients know no lists of this server: they get the users themselves.
    if strategy.user_list is not None:
        return UnleashStrategy("userWithId", {"userIds": strategy.user_list.user_xids})
    return UnleashStrategy(strategy.name, strategy.parameters)
