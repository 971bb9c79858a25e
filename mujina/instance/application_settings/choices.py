"""The degrees of visibility as a form offers them."""

from typing import Final

from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import VISIBILITIES, Visibility, exceeds

_HELP: Final[dict[Visibility, str]] = {
    "private": "Only members see it.",
    "internal": "Every signed-in user sees it, except external users.",
    "public": "Everyone sees it, also without signing in.",
}


def visibility_choices(
    actor: Actor, settings: ApplicationSettings, *limits: Visibility | None
) -> list[tuple[Visibility, str, str, bool]]:
    """Value, title, help and whether it is disabled, for each degree; `limits` are those of what is above."""
    choices: list[tuple[Visibility, str, str, bool]] = []
    for value in VISIBILITIES:
        if settings.forbids(value) and not actor.admin:
            reason = "Restricted by your administrator."
        else:
            lower = next((limit for limit in limits if limit and exceeds(value, limit)), None)
            reason = f"It cannot show more than what it belongs to, which is {lower}." if lower else ""
        choices.append((value, value.capitalize(), reason or _HELP[value], bool(reason)))
    return choices


def default_visibility(
    actor: Actor, settings: ApplicationSettings, preferred: Visibility, *limits: Visibility | None
) -> Visibility:
    """The preferred degree, or the most visible one below it that is allowed."""
    offered = visibility_choices(actor, settings, *limits)[: VISIBILITIES.index(preferred) + 1]
    allowed: list[Visibility] = [value for value, _, _, disabled in offered if not disabled]
    return allowed[-1] if allowed else preferred
