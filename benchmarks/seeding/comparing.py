"""Two memories of the same words, row by row: what is in one and not in the other.

Both are told under nobody's names (`naming`): an id that is not the user's own, or a number, stays what it is and so
differs. EXCLUDED is all that is not compared.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import orjson

from benchmarks.seeding.binary import number_of
from benchmarks.seeding.columns import TABLES
from benchmarks.seeding.naming import Names, Renaming, names_of, renaming
from benchmarks.seeding.reading import Memory, Rows
from ragpp.models import Scope
from ragpp.stores.redis import Keys

NOBODY: Final = Scope(tenant_id="nobody", user_id="nobody")
EXCLUDED: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "*": (("tenant_id", "user_id"), "whose it is"),
    "episodic.interactions": (("stored_at",), "processing time"),
    "procedural.preferences": (("updated_at",), "processing time"),
    "procedural.preference_versions": (("recorded_at",), "processing time"),
    "procedural.rules": (("updated_at",), "processing time"),
    "procedural.rule_versions": (("recorded_at",), "processing time"),
    "procedural.reflections": (("created_at",), "processing time"),
    "ledger.events": (("created_at", "correlation_id", "traceparent"), "processing time, and the request's id"),
    "asked by a worker": (("occurred_at",), "processing time: of maintain.requested and reflection.saved"),
    "ledger.work": (
        ("due_at", "updated_at", "attempts", "lease_owner", "lease_until", "last_error", "result"),
        "processing time: when, by whom and at which attempt it was done, and what there was to tell of by then",
    ),
    "ledger.progress": (("last_success_at",), "processing time"),
    "ledger.queues": (("turn", "due_at"), "processing time: whose turn it was"),
    "ledger.debounce": (("first_at", "last_at"), "processing time"),
    "ledger.upkeep": (("stored_at", "maintained_on"), "processing time"),
    "report": (("created_at", "duration_ms"), "processing time"),
    "subject_id": (
        ("settled:", "asked:"),
        "processing time of when a conversation had been quiet, or a nonce of who asked",
    ),
    "User": (("locked_at",), "processing time"),
    "st:meta": (("revision",), "a nonce"),
    "st:sessions": (("score",), "processing time: of the last use"),
    "keys": (("expires_at",), "processing time"),
}
"""By table, label or area, which fields are not compared, and why."""
_JSON: Final = frozenset({"report", "payload"})
_BY_WORKERS: Final = frozenset({b"maintain.requested", b"reflection.saved"})
Thing = tuple[str, str]
"""A table, label, type or area, and what it holds, as a text."""


def differences(one: Memory, other: Memory) -> list[Thing]:
    """The things that only one of them has, each told as it is there; none where they are equal. ValueError for an id
    of another form than the tiers make, or that two users have."""
    first, second = names_of(one), names_of(other)
    if one.scope != other.scope and (shared := {*first.entities} & {*second.entities}):
        raise ValueError(f"{len(shared)} entities are of both users")
    told, wanted = Counter(_things(one, first)), Counter(_things(other, second))
    return sorted([*(told - wanted).elements(), *(wanted - told).elements()])


def count_of(memory: Memory) -> Counter[str]:
    """How many rows, nodes, edges and keys there are to compare, by where they are."""
    return Counter(place for place, _ in _things(memory, names_of(memory)))


def _things(memory: Memory, names: Names) -> Iterator[Thing]:
    nobody = _by_what_happened(memory, names)
    for name, rows in memory.tables.items():
        for row in _rows(name, rows, nobody):
            yield name, row
    for line in memory.graph:
        yield _of_graph(line, nobody)
    own, other = Keys("").user("", memory.scope), Keys("").user("", NOBODY)
    for name, _, value in memory.keys:
        area = ":".join(name.split(":", 2)[:2])
        yield area, _text([name.replace(own, other, 1), _of_key(area, value)])


def _by_what_happened(memory: Memory, names: Names) -> Renaming:
    """Nobody's names, with events known by what happened, a number made of that, and not by when it was noted: workers
    overtake one another, and one event more changes no other."""
    nobody = renaming(names, NOBODY, 1, 1)
    rows = memory.tables["ledger.events"]
    event, *told = (rows.columns.index(one) for one in ("event_id", "kind", "subject_id", "occurred_at"))
    happened, times = dict[int, int](), Counter[str]()
    for row in sorted(rows.rows, key=lambda one: number_of(one[event] or b"")):
        kind, subject, at = ((row[place] or b"") for place in told)
        by_workers = kind in _BY_WORKERS
        what = _text(
            [kind.decode(), _subject(nobody.text(subject.decode()), bare=True), "" if by_workers else at.hex()]
        )
        times[what] += 1
        digest = hashlib.blake2b(f"{times[what]} {what}".encode(), digest_size=6).digest()
        happened[number_of(row[event] or b"")] = number_of(b"\0\0" + digest)
    return replace(nobody, events=happened)


def _subject(text: str, *, bare: bool = False) -> str:
    kind, colon, _ = text.partition(":")
    return kind if colon and (bare or kind in {one.rstrip(":") for one in EXCLUDED["subject_id"][0]}) else text


def _rows(name: str, rows: Rows, nobody: Renaming) -> Iterator[str]:
    known = TABLES[name]
    left_out = {*EXCLUDED["*"][0], *EXCLUDED.get(name, ((), ""))[0]}
    for row in rows.rows:
        fields: dict[str, object] = {}
        besides = EXCLUDED["asked by a worker"][0] if not _BY_WORKERS.isdisjoint(row) else ()
        for column, value in zip(rows.columns, row, strict=True):
            if column in left_out or column in besides or value is None:
                continue
            if column in known.ordinals:
                fields[column] = nobody.ordinals.get(number_of(value), f"of none: {number_of(value)}")
            elif column in known.events:
                fields[column] = nobody.events.get(number_of(value), f"of none: {number_of(value)}")
            elif column in _JSON:
                fields[column] = _bare(orjson.loads(nobody.text(value.lstrip(b"\x01").decode())))
            elif column in (*known.ids, *known.led):
                fields[column] = _subject(nobody.text(nobody.led(value.decode())))
            else:
                fields[column] = value.hex()
        yield _text(fields)


def _bare(value: object) -> object:
    """A JSON value without EXCLUDED."""
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key not in EXCLUDED["report"][0]}
    return [_bare(one) for one in value] if isinstance(value, list) else value


def _of_graph(line: object, nobody: Renaming) -> Thing:
    match nobody.line(line):
        case ["n", str(label), dict(properties)]:
            left_out = EXCLUDED.get(label, ((), ""))[0]
            return label, _text({key: value for key, value in properties.items() if key not in left_out})
        case ["r", _, str(kind), *_] as told:
            return kind, _text(told)
    raise ValueError("a line of the graph is none")


def _of_key(area: str, value: object) -> object:
    if area == "st:meta" and isinstance(value, dict):
        return {key: one for key, one in value.items() if key not in EXCLUDED["st:meta"][0]}
    return sorted(member for member, _ in value) if area == "st:sessions" and isinstance(value, list) else value


def _text(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
