"""A process that adds shelves FIRST to LAST, eight at a time, and says each one once it is durable."""

import asyncio
import sys

from mujina.kernel.db.connect import connect


async def main(url: str, first: int, last: int) -> None:
    database = connect(url)
    await database.open()
    numbers = iter(range(first, last + 1))

    async def write() -> None:
        for number in numbers:
            async with database.transaction() as tx:
                await tx.run("INSERT INTO shelves (id, room, name) VALUES (:id, 'loft', CAST(:id AS text))", id=number)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()

    await asyncio.gather(*(write() for _ in range(8)))
    await database.close()


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
