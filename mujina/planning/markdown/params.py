"""Parameters of requests about Markdown."""

from mujina.kernel.http.params import UNSET, Params, Unset


class RenderMarkdown(Params):
    text: str
    gfm: bool | Unset | None = UNSET
    project: str | Unset | None = UNSET
