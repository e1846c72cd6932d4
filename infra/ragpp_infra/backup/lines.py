"""Parts that are lines of JSON: what is not in tables."""

from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from ragpp_infra.backup.archive import PartWriter
from ragpp_infra.backup.errors import BadBackup

AT_ONCE: Final = 500


class LineReader:
    """Puts pieces together to lines again; a line may begin in one and end in another."""

    def __init__(self) -> None:
        self._rest = b""

    def lines(self, piece: bytes) -> Iterator[object]:
        """The lines that end in this piece. Raises BadBackup for one that is no JSON."""
        *whole, self._rest = (self._rest + piece).split(b"\n")
        for line in whole:
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise BadBackup("a line of it is no JSON") from error


async def write_lines(part: PartWriter, lines: Iterable[object]) -> None:
    """Add lines to a part, and count them."""
    packed = [orjson.dumps(line) for line in lines]
    part.rows += len(packed)
    if packed:
        await part.write(b"\n".join(packed) + b"\n")
