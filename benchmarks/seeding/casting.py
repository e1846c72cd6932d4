"""A mould: one user's memory, prepared to be cast for others."""

from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.seeding.binary import begin, field, int8, number_of
from benchmarks.seeding.columns import TABLES, Columns
from benchmarks.seeding.naming import Names, Renaming, names_of, renaming
from benchmarks.seeding.reading import Memory, Rows
from ragpp.models import Scope
from ragpp.stores.redis import Keys
from ragpp_infra.backup.conversations import Line

Slot = tuple[str, bytes]
"""A field that is another one for each user: which kind of it, and what it is in the mould."""
Part = bytes | int
"""A part of a row: bytes that all users have, or which slot stands there."""
TENANT, USER, ORDINAL, EVENT, LED, IDS = "tenant", "user", "ordinal", "event", "led", "ids"
_MAKE: Final[dict[str, Callable[[Renaming, bytes], bytes]]] = {
    TENANT: lambda other, _: other.scope.tenant_id.encode(),
    USER: lambda other, _: other.scope.user_id.encode(),
    ORDINAL: lambda other, told: int8(other.ordinal(number_of(told))),
    EVENT: lambda other, told: int8(other.events[number_of(told)]),
    LED: lambda other, told: other.text(other.led(told.decode())).encode(),
    IDS: lambda other, told: other.text(told.decode()).encode(),
}


class Cast:
    """One further user, as what the stores are given. `rows` by table, as COPY reads them."""

    def __init__(self, rows: dict[str, list[bytes]], graph: list[object], keys: list[Line]) -> None:
        self.rows, self.graph, self.keys = rows, graph, keys


class Mould:
    """A user's memory. `names`: its own; numbers of a cast begin where `cast` is told."""

    def __init__(self, memory: Memory) -> None:
        self.names: Names = names_of(memory)
        self.columns = {name: rows.columns for name, rows in memory.tables.items()}
        self._memory = memory
        self._slots: dict[Slot, int] = {}
        self._rows = {name: list(self._prepared(name, rows)) for name, rows in memory.tables.items()}

    def cast(self, scope: Scope, first_ordinal: int, first_event: int) -> Cast:
        """The memory as another user's."""
        other = renaming(self.names, scope, first_ordinal, first_event)
        values = [field(_MAKE[kind](other, told)) for kind, told in self._slots]
        rows = {
            name: [b"".join(part if isinstance(part, bytes) else values[part] for part in row) for row in prepared]
            for name, prepared in self._rows.items()
        }
        return Cast(rows, [other.line(line) for line in self._memory.graph], self._keys(scope))

    def _prepared(self, name: str, rows: Rows) -> Iterator[list[Part]]:
        kinds = [_kind(column, TABLES[name]) for column in rows.columns]
        for row in rows.rows:
            parts: list[Part] = []
            fixed = begin(len(row))
            for kind, value in zip(kinds, row, strict=True):
                if kind is None or value is None:
                    fixed += field(value)
                    continue
                parts += [fixed, self._slots.setdefault((kind, value), len(self._slots))]
                fixed = b""
            yield [*parts, fixed]

    def _keys(self, scope: Scope) -> list[Line]:
        keys, own = Keys(""), Keys("").user("", self.names.scope)
        other = keys.user("", scope)
        return [(name.replace(own, other, 1), expires_at, value) for name, expires_at, value in self._memory.keys]


def _kind(column: str, known: Columns) -> str | None:
    if column in {"tenant_id", "user_id"}:
        return TENANT if column == "tenant_id" else USER
    of = {ORDINAL: known.ordinals, EVENT: known.events, LED: known.led, IDS: known.ids}
    kinds = [kind for kind, columns in of.items() if column in columns]
    return kinds[0] if kinds else None
