def test_notes_are_erased_with_their_project(cast, database, loop):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    note = cast.guest.post(f"{issue}/notes", body="hello @developer").json
    cast.developer.post(f"{issue}/notes/{note['id']}/award_emoji", name="tada")
    cast.developer.post(f"{issue}/award_emoji", name="tada")
    cast.master.post(f"{issue}/subscribe")
    cast.master.post(f"{issue}/todo")

    async def left():
        async with database.reading() as tx:
            return [
                await tx.value("SELECT count(*) FROM notes"),
                await tx.value("SELECT count(*) FROM awards"),
                await tx.value("SELECT count(*) FROM mentions"),
                await tx.value("SELECT count(*) FROM subscriptions"),
                await tx.value("SELECT count(*) FROM todos"),
            ]

    assert all(loop.run_until_complete(left()))
    assert cast.owner.delete(f"/projects/{cast.private.id}").status == 204
    assert loop.run_until_complete(left()) == [0] * 5
