"""What GitHub publishes about the answers that a move reads: `github_schemas.json`, cut out of its OpenAPI document.

A schema has the fields that the source reads, with their types, whether they may be null, and which are always there. A
field that the source knows from Gitea only is `false`: GitHub has none of that name. After a change of what is read, or of
the version of the document, `python -m tests.moving.github_schemas` writes the file anew; npm fetches the document.
"""

import json
import re
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import jsonschema_rs
import msgspec
from msgspec import inspect

from mujina.moving.sources.pulls import shapes

PACKAGE: Final = "@octokit/openapi@23.0.2"
DOCUMENT: Final = "package/generated/api.github.com.json"
FILE: Final = Path(__file__).with_name("github_schemas.json")
_REPO: Final = "/repos/{owner}/{repo}"


class Meta(msgspec.Struct):
    verifiable_password_authentication: bool


class Secrets(msgspec.Struct):
    total_count: int
    secrets: list[shapes.ForgeVariableName]


class Variables(msgspec.Struct):
    total_count: int
    variables: list[shapes.ForgeVariableName]


READ: Final[dict[str, Any]] = {
    "/meta": Meta,
    "/user": shapes.ForgePerson,
    "/user/repos": list[shapes.ForgeRepository],
    "/user/{account_id}": shapes.ForgePerson,
    "/orgs/{org}": shapes.ForgeOrganization,
    "/orgs/{org}/repos": list[shapes.ForgeRepository],
    "/orgs/{org}/members": list[shapes.ForgeCollaborator],
    "/orgs/{org}/teams/{team_slug}/members": list[shapes.ForgeCollaborator],
    _REPO: shapes.ForgeRepository,
    f"{_REPO}/collaborators": list[shapes.ForgeCollaborator],
    f"{_REPO}/teams": list[shapes.ForgeTeam],
    f"{_REPO}/labels": list[shapes.ForgeLabel],
    f"{_REPO}/milestones": list[shapes.ForgeMilestone],
    f"{_REPO}/issues": list[shapes.ForgeIssue],
    f"{_REPO}/issues/{{issue_number}}/comments": list[shapes.ForgeComment],
    f"{_REPO}/issues/{{issue_number}}/reactions": list[shapes.ForgeReaction],
    f"{_REPO}/issues/comments/{{comment_id}}/reactions": list[shapes.ForgeReaction],
    f"{_REPO}/pulls": list[shapes.ForgePull],
    f"{_REPO}/pulls/{{pull_number}}": shapes.ForgePull,
    f"{_REPO}/pulls/{{pull_number}}/reviews": list[shapes.ForgeReview],
    f"{_REPO}/pulls/{{pull_number}}/comments": list[shapes.ForgeLineComment],
    f"{_REPO}/pulls/comments/{{comment_id}}/reactions": list[shapes.ForgeReaction],
    f"{_REPO}/releases": list[shapes.ForgeRelease],
    f"{_REPO}/hooks": list[shapes.ForgeHook],
    f"{_REPO}/branches": list[shapes.ForgeBranchName],
    f"{_REPO}/branches/{{branch}}/protection": shapes.ForgeProtection,
    f"{_REPO}/actions/secrets": Secrets,
    f"{_REPO}/actions/variables": Variables,
}
"""Published path → what the source reads there."""


def check(path: str, answer: Any) -> None:
    """An answer below the API fits its schema, and the source can read it even with no more than the schema promises."""
    published = next(each for each in READ if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", each), path))
    schema = json.loads(FILE.read_text())[published]
    for error in jsonschema_rs.Draft202012Validator(schema).iter_errors(answer):
        raise AssertionError(f"{path} {error.instance_path}: {error.message}")
    msgspec.convert(barest(answer, schema), READ[published])


def barest(answer: Any, schema: Mapping[str, Any]) -> Any:
    """The answer with null wherever it may be, and without every field that may be absent."""
    kinds = schema.get("anyOf", [schema])
    if {"type": "null"} in kinds:
        return None
    if isinstance(answer, list):
        return [barest(each, schema["items"]) if "items" in schema else each for each in answer]
    if not isinstance(answer, dict) or "properties" not in kinds[-1]:
        return answer
    return {name: barest(answer[name], kinds[-1]["properties"][name]) for name in kinds[-1]["required"]}


def published_schemas() -> dict[str, Any]:
    """The schemas that the published document has today, of what is read today."""
    with TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, timeout=600)
        (archive,) = Path(folder).iterdir()
        with tarfile.open(archive) as opened:
            document = opened.extractfile(DOCUMENT)
            assert document is not None
            return Cutter(json.load(document)).all()


class Cutter:
    """Cuts schemas out of a published document."""

    def __init__(self, document: Any) -> None:
        self._document = document

    def all(self) -> dict[str, Any]:
        return {path: self._cut(self._answer(path), inspect.type_info(shape)) for path, shape in READ.items()}

    def _answer(self, path: str) -> Any:
        answer = self._resolve(self._document["paths"][path]["get"]["responses"]["200"])
        return answer["content"]["application/json"]["schema"]

    def _resolve(self, schema: Any) -> Any:
        while "$ref" in schema:
            found = self._document
            for name in schema["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            schema = found
        return schema

    def _cut(self, schema: Any, shape: inspect.Type) -> Any:
        kinds = list[Any]()
        for each in self._kinds(schema):
            kind = self._kind(each, shape)
            if kind not in kinds:
                kinds.append(kind)
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}

    def _kinds(self, schema: Any) -> list[Any]:
        """The alternatives; null is one of its own."""
        schema = self._resolve(schema)
        either = schema.get("anyOf") or schema.get("oneOf")
        found = [kind for each in either for kind in self._kinds(each)] if either else [schema]
        return [*found, {"type": "null"}] if schema.get("nullable") else found

    def _kind(self, schema: Any, shape: inspect.Type) -> Any:
        cut = {name: schema[name] for name in ("type", "enum") if name in schema}
        for each in shape.types if isinstance(shape, inspect.UnionType) else (shape,):
            if isinstance(each, inspect.StructType) and "properties" in schema:
                names, published = [field.encode_name for field in each.fields], schema["properties"]
                cut["required"] = sorted(set(names) & set(schema.get("required", ())))
                cut["properties"] = {
                    field.encode_name: self._cut(published[field.encode_name], field.type)
                    if field.encode_name in published
                    else False
                    for field in each.fields
                }
            if isinstance(each, inspect.ListType) and schema.get("type") == "array":
                cut["items"] = self._cut(schema["items"], each.item_type)
        return cut


if __name__ == "__main__":
    lines = (
        f"{json.dumps(path)}: {json.dumps(schema, sort_keys=True)}" for path, schema in published_schemas().items()
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
