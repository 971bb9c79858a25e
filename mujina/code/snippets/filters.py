"""Lists of snippets as conditions."""

from mujina.code.snippets.rules import READ_PROJECT_SNIPPET, READ_SNIPPET, public, visible_to_all
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.permissions.actor import Actor


def own(actor: Actor) -> Selection:
    """The actor's own snippets."""
    return Selection("snippets s", "s.project_id IS NULL AND s.author_id = :actor", actor=actor.id)


def of_user(actor: Actor, user_id: int) -> Selection:
    """The snippets of a user that the actor may read."""
    return Selection(
        "snippets s",
        f"s.project_id IS NULL AND s.author_id = :author_id AND {READ_SNIPPET.for_scan}",
        author_id=user_id,
        **actor.bound,
    )


def public_ones() -> Selection:
    """Users' snippets that are public."""
    return Selection("snippets s", f"s.project_id IS NULL AND {public.for_scan}")


def visible_to_everyone(actor: Actor) -> Selection:
    """Users' snippets that are public, and for most users the internal ones."""
    return Selection("snippets s", f"s.project_id IS NULL AND {visible_to_all.for_scan}", **actor.bound)


def readable(actor: Actor) -> Selection:
    """All snippets of users and projects that the actor may read."""
    return Selection(
        "snippets s LEFT JOIN projects p ON p.id = s.project_id",
        f"""CASE WHEN s.project_id IS NULL THEN {READ_SNIPPET.for_scan}
            ELSE p.deleted_at IS NULL AND {READ_PROJECT_SNIPPET.for_scan} END""",
        **actor.bound,
    )


def of_project(actor: Actor, project_id: int) -> Selection:
    """Snippets of a project that the actor may read."""
    return Selection(
        "snippets s JOIN projects p ON p.id = s.project_id",
        f"s.project_id = :project_id AND {READ_PROJECT_SNIPPET.for_scan}",
        project_id=project_id,
        **actor.bound,
    )
