"""The binary format of PostgreSQL's COPY: rows as lists of fields, and back.

Source: PostgreSQL's documentation of COPY, "Binary Format".
"""

import struct
from collections.abc import Iterable, Sequence
from typing import Final

Field = bytes | None
Row = list[Field]

HEADER: Final = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
TRAILER: Final = struct.pack("!h", -1)
_COUNT: Final = struct.Struct("!h")
_LENGTH: Final = struct.Struct("!i")
_INT8: Final = struct.Struct("!q")
_NULL: Final = _LENGTH.pack(-1)


def rows_of(told: bytes) -> list[Row]:
    """The rows that COPY … TO wrote. ValueError where it is nothing of that."""
    if not told.startswith(HEADER):
        raise ValueError("it does not begin as COPY's binary format does")
    rows: list[Row] = []
    place = len(HEADER)
    while True:
        (count,) = _COUNT.unpack_from(told, place)
        place += _COUNT.size
        if count < 0:
            return rows
        row: Row = []
        for _ in range(count):
            (length,) = _LENGTH.unpack_from(told, place)
            place += _LENGTH.size
            row.append(None if length < 0 else told[place : place + length])
            place += max(length, 0)
        rows.append(row)


def field(value: Field) -> bytes:
    """A field as it stands in a row, with its length before it."""
    return _NULL if value is None else _LENGTH.pack(len(value)) + value


def begin(fields: int) -> bytes:
    """The beginning of a row of so many fields."""
    return _COUNT.pack(fields)


def file_of(rows: Iterable[bytes]) -> bytes:
    """A file that COPY … FROM reads, of rows as `begin` and `field` made them."""
    return b"".join((HEADER, *rows, TRAILER))


def row_of(fields: Sequence[Field]) -> bytes:
    """A whole row."""
    return begin(len(fields)) + b"".join(map(field, fields))


def int8(value: int) -> bytes:
    """A bigint."""
    return _INT8.pack(value)


def number_of(value: bytes) -> int:
    """The integer in a field of 2, 4 or 8 bytes."""
    return int.from_bytes(value, "big", signed=True)
