"""The columns that a scan brings back are unpacked as they were packed."""

import math
import struct
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction
from ragpp.text.lexical import DIMENSIONS
from ragpp_services.episodic.reading.traits import ASKED, Trait, traits
from ragpp_services.episodic.scan import Columns, session_key, unpack
from tests.support.each import each_case

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Row:
    """A chunk as the table has it."""

    ordinal: int
    part: int
    moment: int
    session: int
    name: str | None
    distance: float
    told: float | None
    second: float | None
    lexical: dict[int, float]
    eligible: bool


def packed(rows: list[Row], terms: list[int]) -> Columns:
    """The columns that PostgreSQL and pgvector send, from their documented binary formats."""

    def numbers(code: str, values: list[int] | list[float]) -> bytes:
        return struct.pack(f">{len(values)}{code}", *values)

    def sparse(weights: dict[int, float]) -> bytes:
        if not set(weights) & set(terms):
            weights = {}
        kept = sorted(weights.items())
        header = numbers("i", [DIMENSIONS, len(kept), 0])
        return header + numbers("i", [k for k, _ in kept]) + numbers("f", [w for _, w in kept])

    if not rows:
        return Columns(chunks=0)
    telling = [row for row in reversed(rows) if row.told is not None or row.second is not None]

    def or_nan(distance: float | None) -> float:
        return math.nan if distance is None else distance

    return Columns(
        chunks=len(rows),
        ordinals=numbers("q", [row.ordinal for row in rows]),
        parts=numbers("i", [row.part for row in rows]),
        moments=numbers("q", [row.moment for row in rows]),
        sessions=numbers("q", [row.session for row in rows]),
        traits=numbers("h", [row.ordinal % 1024 for row in rows]),
        names=[row.name for row in rows],
        distances=numbers("f", [row.distance for row in rows]),
        lexical=b"".join(sparse(row.lexical) for row in rows),
        eligible=bytes(row.eligible for row in rows),
        told_ordinals=numbers("q", [row.ordinal for row in telling]) if telling else None,
        told_parts=numbers("i", [row.part for row in telling]) if telling else None,
        told_distances=numbers("f", [or_nan(row.told) for row in telling]) if telling else None,
        told_seconds=numbers("f", [or_nan(row.second) for row in telling]) if telling else None,
    )


told = st.floats(0.015625, 1.0, width=32)
weights = told | told.map(lambda weight: float(np.float32(ASKED * weight)))
low_terms = st.sampled_from([0, 1, 2, 3, 4, 5, 1_000, DIMENSIONS - 1])


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    rows = []
    ordinals = draw(st.lists(st.integers(1, 1 << 62), unique=True, max_size=12))
    for ordinal in ordinals:
        moment = draw(st.integers(-6 * 10**16, 10**17))
        session = draw(st.sampled_from([-(1 << 63), -1, 0, (1 << 63) - 1]))
        name = draw(st.sampled_from([None, "Ann", "Bob"]))
        eligible = draw(st.booleans())
        rows += [
            Row(
                ordinal,
                part,
                moment,
                session,
                name,
                draw(st.floats(0, 2, width=32)),
                draw(st.none() | st.floats(0, 2, width=32)),
                draw(st.none() | st.floats(0, 2, width=32)),
                draw(st.dictionaries(low_terms, weights, max_size=6)),
                eligible,
            )
            for part in range(draw(st.integers(1, 3)))
        ]
    return draw(st.permutations(rows))


@given(tables(), st.lists(low_terms, unique=True, max_size=6))
def test_each_chunk_comes_back_in_its_place(rows: list[Row], terms: list[int]) -> None:
    found = unpack(packed(rows, terms), terms)
    assert found.ordinal.tolist() == [row.ordinal for row in rows]
    assert found.session.tolist() == [row.session for row in rows]
    assert found.lexical.shape == (len(rows), len(terms))
    for place, row in enumerate(rows):
        assert found.cosine[place] == pytest.approx(1 - row.distance)
        assert found.told[place] == pytest.approx(np.nan if row.told is None else 1 - row.told, nan_ok=True)
        assert found.second[place] == pytest.approx(np.nan if row.second is None else 1 - row.second, nan_ok=True)
        held = [row.lexical.get(term, 0.0) for term in terms]
        assert found.lexical[place].tolist() == [max(weight, 0.0) for weight in held]
        assert found.asked[place].tolist() == pytest.approx([max(weight / ASKED, 0.0) for weight in held])
        speaker = int(found.speaker[place])
        assert (found.speakers[speaker] if speaker >= 0 else None) == row.name
        assert bool(found.eligible[place]) == row.eligible
        assert found.traits[place] == row.ordinal % 1024
        assert found.key(place) == (EPOCH + timedelta(microseconds=row.moment), row.ordinal, row.part)


def test_columns_that_were_not_asked_for_do_not_narrow_or_count() -> None:
    row = Row(7, 0, 0, 0, None, 0.0, None, None, {}, eligible=True)
    columns = packed([row], [])
    bare = Columns(
        chunks=1,
        ordinals=columns.ordinals,
        moments=columns.moments,
        sessions=columns.sessions,
        traits=columns.traits,
        names=columns.names,
    )
    found = unpack(bare, [3])
    assert np.isnan(found.cosine).all()
    assert found.lexical.tolist() == [[0.0]]
    assert found.eligible.tolist() == [True]


@given(st.text(min_size=1))
def test_a_session_key_fits_a_bigint_and_stays_the_same(session_id: str) -> None:
    assert -(1 << 63) <= session_key(session_id) < 1 << 63
    assert session_key("default") == -101_136_948_824_460_382


@each_case(
    ("content", "asks"),
    [
        ("Did you?", True),
        ("“Did you?” ", True),
        ("(did you?)\n", True),
        ("本当ですか？", True),
        ("I did.", False),
        ("What? No.", False),
        ("?", True),
        (" ", False),
    ],
)
def test_a_question_is_known_by_its_end(content: str, *, asks: bool) -> None:
    said = Interaction(id="a", content=content, occurred_at=EPOCH)
    assert bool(traits(said) & Trait.ASKS) == asks
    assert not traits(said) & Trait.ASSISTANT
    assert traits(said.model_copy(update={"role": "assistant"})) & Trait.ASSISTANT
