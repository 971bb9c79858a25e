"""An example for every schema, the same each time: values are chosen by the name and the type of a field."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

TIME = "2026-02-03T04:05:06.789Z"
DAY = "2026-02-03"
SHA = "2be7a1f0c3d4e5f60718293a4b5c6d7e8f901234"

_TEXTS = {
    "title": "Fix the sign-in page",
    "description": "The button does nothing on small screens.",
    "body": "Looks good to me.",
    "note": "Looks good to me.",
    "message": "Add the missing test",
    "name": "Tea house",
    "full_name": "Ada Lovelace",
    "author_name": "Ada Lovelace",
    "committer_name": "Ada Lovelace",
    "username": "ada",
    "path": "tea-house",
    "full_path": "kitchen/tea-house",
    "path_with_namespace": "kitchen/tea-house",
    "name_with_namespace": "Kitchen / Tea house",
    "file_path": "docs/menu.md",
    "file_name": "menu.md",
    "state": "active",
    "visibility": "private",
    "color": "#1f75cb",
    "text_color": "#ffffff",
    "ref": "main",
    "branch": "main",
    "default_branch": "main",
    "tag_name": "v1.0.0",
    "slug": "opening-hours",
    "content": "Open from nine to five.",
    "encoding": "base64",
    "format": "markdown",
    "locale": "en",
    "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ1dHRlcmNhdA== ada@host.example",
    "token": "an-access-token",
    "duration": "1h 30m",
    "human_time_estimate": "1h 30m",
    "human_total_time_spent": "45m",
}
_ENDINGS = {
    "_at": TIME,
    "date": DAY,
    "_on": DAY,
    "email": "ada@host.example",
    "url": "https://host.example/kitchen/tea-house",
    "url_to_repo": "https://host.example/kitchen/tea-house.git",
    "sha": SHA,
    "commit_id": SHA,
    "_name": "Tea house",
    "_path": "kitchen/tea-house",
    "_title": "Fix the sign-in page",
}
_NUMBERS = {"id": 42, "iid": 7, "access_level": 30, "time_estimate": 5400, "total_time_spent": 2700, "size": 2048}


def example(schema: Schema, components: Mapping[str, Schema], name: str = "", inside: tuple[str, ...] = ()) -> Any:
    """A value that the schema allows; `name` is that of the field it is for, `inside` guards against recursion."""
    if "$ref" in schema:
        target = schema["$ref"].rpartition("/")[2]
        return example(components[target], components, name, (*inside, target))
    if "enum" in schema or "const" in schema:
        return next((value for value in schema.get("enum", ()) if value is not None), schema.get("const"))
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        # The first that is neither null nor what this is inside of.
        usable = (each for each in options if each.get("type") != "null" and not _recursive(each, inside))
        return next((example(each, components, name, inside) for each in usable), None)
    kind: str | list[str] = schema.get("type", "string" if not schema else "")
    match kind if isinstance(kind, str) else kind[0]:
        case "object":
            return _object(schema, components, inside)
        case "array":
            items: Schema = schema.get("items", {})
            return [] if _recursive(items, inside) else [example(items, components, name.removesuffix("s"), inside)]
        case "integer":
            return _number(name)
        case "number":
            return 0.5
        case "boolean":
            return name in ("active", "can_push", "public", "subscribed")
        case "string":
            return _text(name, schema.get("format"))
        case _:
            return None


def _recursive(schema: Schema, inside: tuple[str, ...]) -> bool:
    return schema.get("$ref", "").rpartition("/")[2] in inside


def _object(schema: Schema, components: Mapping[str, Schema], inside: tuple[str, ...]) -> dict[str, Any]:
    fields: Mapping[str, Schema] = schema.get("properties", {})
    made = {name: example(field, components, name, inside) for name, field in fields.items()}
    if not made and isinstance(schema.get("additionalProperties"), dict):
        return {"key": example(schema["additionalProperties"], components, "", inside)}
    return made


def _number(name: str) -> int:
    if name in _NUMBERS:
        return _NUMBERS[name]
    if name.endswith("_id") or not name:
        return 42
    return 30 if name.endswith("access_level") else 3


def _text(name: str, format: str | None) -> str:
    if format in ("date", "date-time"):
        return DAY if format == "date" else TIME
    if name in _TEXTS:
        return _TEXTS[name]
    return next((text for ending, text in _ENDINGS.items() if name.endswith(ending)), "text")
