"""A way to a server that takes time: what is sent arrives so many seconds later, in either direction.

python tests/rpc/delay.py LISTEN-PORT SERVER-PORT SECONDS
"""

import asyncio
import contextlib
import sys

_CHUNK = 1 << 20


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Hand on what comes, as much as comes, each piece so late: time is lost, but no bandwidth."""
    loop = asyncio.get_running_loop()
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def read() -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(_CHUNK):
                under_way.put_nowait((loop.time() + seconds, data))
        under_way.put_nowait((loop.time() + seconds, b""))

    reading = loop.create_task(read())
    while True:
        due, data = await under_way.get()
        await asyncio.sleep(max(0.0, due - loop.time()))
        if not data:
            break
        writer.write(data)
        await writer.drain()
    await reading
    writer.close()


async def serve(listen: int, port: int, seconds: float) -> None:
    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, back, seconds), carry(there, writer, seconds))

    await (await asyncio.start_server(forward, "127.0.0.1", listen)).serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
