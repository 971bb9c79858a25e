"""Snippets of projects with all their files, and the comments on them."""

from typing import Final

from mujina.code.snippets.files import FIRST_PATH, MAX_FILES, SnippetFile, check_files, store_further
from mujina.code.snippets.operations import MAX_LENGTH, Draft
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_id, update
from mujina.kernel.errors import ApiError
from mujina.moving.move_in.content import notes
from mujina.moving.move_in.content.details import ask_conversation
from mujina.moving.move_in.content.uploads import bring_files
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.operations import SourceError
from mujina.moving.sources.records import SourceSnippet

KIND: Final = "snippet"


async def move_snippets(target: ProjectRun) -> None:
    """Every snippet that changed since the last run; one that does not fit is a problem."""
    if not target.project.snippets_enabled:
        return
    async with target.run.services.database.reading() as tx:
        max_bytes = (await read_settings(tx)).max_attachment_size * 1024 * 1024
    async for page in target.run.source.snippets(target.project.id):
        for snippet in page:
            try:
                snippet_id = await _move(target, snippet, max_bytes)
                if snippet_id is not None:
                    await _move_comments(target, snippet, snippet_id)
            except SourceError as error:
                target.run.report.problem(error.address, error.reason)
            except ApiError as error:
                target.problem(f"/-/snippets/{snippet.id}", f"It does not fit: {'; '.join(error.reasons)}.")
            except UnicodeDecodeError:
                target.problem(f"/-/snippets/{snippet.id}", "It does not fit: one of its files is no UTF-8 text.")


async def _move_comments(target: ProjectRun, snippet: SourceSnippet, snippet_id: int) -> None:
    """The comments and reactions are asked for at each run: a new comment does not change its snippet."""
    conversation = await ask_conversation(target, KIND, snippet.id)
    here = await notes.write_notes(target, KIND, snippet.id, snippet_id, conversation)
    async with target.run.services.database.transaction() as tx:
        await notes.write_reactions(tx, target, KIND, snippet.id, snippet_id, conversation, here)


async def _move(target: ProjectRun, snippet: SourceSnippet, max_bytes: int) -> int | None:
    """The id of the snippet here; None if it was deleted here."""
    run, fingerprint = target.run, snippet.updated_at.isoformat()
    async with run.services.database.reading() as tx:
        known = await target.find(tx, KIND, snippet.id)
        if known is not None and known.fingerprint == fingerprint:
            return await tx.value("SELECT s.id FROM snippets s WHERE s.id = :id", id=known.id)
    await bring_files(target, [snippet.description])
    draft = await _read(target, snippet, max_bytes)
    async with run.services.database.transaction() as tx:
        await run.people.prepare(tx, [snippet.author])
        columns = {
            "author_id": await run.people.id_of(tx, snippet.author),
            "created_at": clock.iso(snippet.created_at),
            "updated_at": clock.iso(snippet.updated_at),
            **draft.bound,
        }
        if known is None:
            snippet_id: int = await insert_id(tx, "snippets", project_id=target.id, **columns)
            run.report.created["snippets"] += 1
        else:
            snippet_id = known.id
            if not await update(tx, "snippets", columns, id=snippet_id):
                return None
            run.report.updated["snippets"] += 1
        await store_further(tx, snippet_id, draft.further)
        await target.remember(tx, KIND, snippet.id, snippet_id, fingerprint=fingerprint)
    return snippet_id


async def _read(target: ProjectRun, snippet: SourceSnippet, max_bytes: int) -> Draft:
    """The snippet with the contents of its files; `ApiError` if they do not fit."""
    names = [file.path for file in snippet.files] or [snippet.file_name or FIRST_PATH]
    rest = f"/-/snippets/{snippet.id}"
    files = list[SnippetFile]()
    for place, name in enumerate(names[:MAX_FILES]):
        content = await target.run.source.snippet_file(target.project.id, snippet, place, max_bytes)
        files.append(SnippetFile(name, content.decode("utf-8").replace("\0", "")))
    if len(names) > MAX_FILES:
        target.problem(rest, f"It has more than {MAX_FILES} files: the rest is left out.")
    check_files(files)
    return Draft(
        title=target.text(snippet.title.strip() or "(no title)", MAX_LENGTH, rest), file_name=files[0].path,
        content=files[0].content, description=target.text(snippet.description, max_bytes, rest) or None,
        visibility=snippet.visibility, further=files[1:],
    )  # fmt: skip
