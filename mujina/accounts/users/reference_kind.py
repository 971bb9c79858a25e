"""Users as texts name them."""

from functools import lru_cache
from typing import Final

from mujina.rendering.html import Html, element, escape
from mujina.rendering.references import Reference, ReferenceKind, Target


@lru_cache(1024)
def _mention(target: Target, _: Reference) -> Html:
    return element("a", escape(f"@{target.path}"), class_="mention", href=f"/{target.path}", title=target.title)


USER_REFERENCES: Final = ReferenceKind(
    name="user",
    sign="@",
    select="""
        SELECT 'user', '', u.username_folded, u.username, u.id, u.name, '', '' FROM users u
        WHERE u.username_folded IN :user_names AND u.deleted_at IS NULL AND u.kind = 'person'""",
    show=_mention,
)
