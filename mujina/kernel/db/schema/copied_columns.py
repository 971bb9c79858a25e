"""Columns of a link table that repeat columns of the rows it links, for an index in their order: statements of the schema.

Triggers write them with the link and when the row changes, whatever code does it.
"""

from collections.abc import Sequence


def copying(links: str, of: str, row_id: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """Dialect → statements: `links` repeats these columns of the row of `of` that its column `row_id` names."""
    name, listed = f"{links}_copied", ", ".join(columns)
    read, old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("x", "OLD", "NEW"))
    row = f"FROM {of} x WHERE x.id = NEW.{row_id}"
    fill = f"UPDATE {links} SET ({listed}) = (SELECT {read} {row}) WHERE rowid = NEW.rowid"
    renew = f"UPDATE {links} SET ({listed}) = ({new}) WHERE {row_id} = NEW.id"
    changed, function = f"AFTER UPDATE OF {listed} ON {of}", "RETURNS trigger LANGUAGE plpgsql AS"
    fires = f"FOR EACH ROW WHEN (({old}) IS DISTINCT FROM ({new})) EXECUTE FUNCTION {name}_again()"
    return {
        "sqlite": [
            f"CREATE TRIGGER {name} AFTER INSERT ON {links} WHEN TRUE BEGIN {fill}; END",
            f"CREATE TRIGGER {name}_again {changed} WHEN ({old}) IS NOT ({new}) BEGIN {renew}; END",
        ],
        "postgresql": [
            f"CREATE FUNCTION {name}() {function} 'BEGIN SELECT {read} INTO {new} {row}; RETURN NEW; END'",
            f"CREATE TRIGGER {name} BEFORE INSERT ON {links} FOR EACH ROW EXECUTE FUNCTION {name}()",
            f"CREATE FUNCTION {name}_again() {function} 'BEGIN {renew}; RETURN NULL; END'",
            f"CREATE TRIGGER {name}_again {changed} {fires}",
        ],
    }
