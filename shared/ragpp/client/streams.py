"""An answer that is streamed, listened to until its end: what was said of it then is told once."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Self, cast

Piece = Callable[[object], str]


class RecordedStream:
    """Is what it listens to, for whoever goes through it, closes it, or asks anything else of it."""

    def __init__(self, stream: object, piece: Piece, ended: Callable[[str], None]) -> None:
        self._stream, self._piece, self._ended = cast("Iterator[object]", stream), piece, ended
        self._said: list[str] | None = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        try:
            event = next(self._stream)
        except BaseException:  # its end, or whatever breaks it off: what was said by then was heard
            self._end()
            raise
        if self._said is not None:
            self._said.append(self._piece(event))
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hear no more of it."""
        cast("Callable[[], None]", self._stream.close)()  # type: ignore[attr-defined]  # a stream's
        self._end()

    def _end(self) -> None:
        said, self._said = self._said, None
        if said is not None:
            self._ended("".join(said))


class AsyncRecordedStream:
    """RecordedStream, for an event loop."""

    def __init__(self, stream: object, piece: Piece, ended: Callable[[str], Awaitable[None]]) -> None:
        self._stream, self._piece, self._ended = cast("AsyncIterator[object]", stream), piece, ended
        self._said: list[str] | None = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def __aiter__(self) -> AsyncIterator[object]:
        return self

    async def __anext__(self) -> object:
        try:
            event = await anext(self._stream)
        except BaseException:  # as above
            await self._end()
            raise
        if self._said is not None:
            self._said.append(self._piece(event))
        return event

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Hear no more of it."""
        await cast("Callable[[], Awaitable[None]]", self._stream.close)()  # type: ignore[attr-defined]  # a stream's
        await self._end()

    async def _end(self) -> None:
        said, self._said = self._said, None
        if said is not None:
            await self._ended("".join(said))
