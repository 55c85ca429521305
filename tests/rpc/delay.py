"""A way to a server that takes time: what is sent arrives so many milliseconds later, in either direction.

python -m tests.rpc.delay LISTEN-PORT SERVER-PORT MILLISECONDS
"""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .servers import free_port

_CHUNK = 1 << 20


@contextmanager
def delayed(port: int, seconds: float) -> Iterator[str]:
    """An endpoint that leads to this port."""
    loop = asyncio.new_event_loop()
    listen = free_port()
    opened = loop.run_until_complete(_listen(listen, port, seconds))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{listen}"
    finally:
        loop.call_soon_threadsafe(_close, loop, opened)
        thread.join()
        loop.close()


def _close(loop: asyncio.AbstractEventLoop, opened: asyncio.Server) -> None:
    opened.close()
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.call_later(0.1, loop.stop)


async def _listen(listen: int, port: int, seconds: float) -> asyncio.Server:
    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", port)
        ways = _carry(reader, there[1], seconds), _carry(there[0], writer, seconds)
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await asyncio.gather(*ways)

    return await asyncio.start_server(forward, "127.0.0.1", listen)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Hand on what comes, as much as comes, each piece so late: time is lost, but no bandwidth."""
    loop = asyncio.get_running_loop()
    under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def read() -> None:
        with contextlib.suppress(OSError):
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


async def _main(listen: int, port: int, seconds: float) -> None:
    await (await _listen(listen, port, seconds)).serve_forever()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]) / 1000))
