"""The templates that a CI file may include: those that a new CI file may begin with."""

from typing import Final

from mujina.code.file_templates import store

_SUFFIX: Final = ".gitlab-ci.yml"


def template_names() -> list[str]:
    """The names of all templates, as `include:template` has them."""
    return [f"{key}{_SUFFIX}" for key in store.template_keys("gitlab_ci_ymls")]


def read_template(name: str) -> bytes | None:
    """The template of this name; None if there is none."""
    return store.read_template("gitlab_ci_ymls", name.removesuffix(_SUFFIX)) if name.endswith(_SUFFIX) else None


def no_template() -> str:
    """The sentence for a name that no template has."""
    return f"The instance has the templates {', '.join(template_names())}"
