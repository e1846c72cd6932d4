"""Tables of candidates to rank."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragpp_services.episodic.ranking import CandidateTable, QuerySignals

QUESTION = QuerySignals("What did Marta paint?")


def table(
    terms: list[list[float]],
    cosines: list[float] | None = None,
    *,
    sessions: list[int] | None = None,
    speakers: list[int] | None = None,
    ordinals: list[int] | None = None,
) -> CandidateTable:
    n = len(terms)
    return CandidateTable(
        ordinals=np.array(ordinals if ordinals is not None else range(n), dtype=np.int64),
        sessions=np.array(sessions or [0] * n, dtype=np.int64),
        occurred_at=np.zeros(n),
        cosines=np.array(cosines or [0.3] * n, dtype=np.float64),
        terms=np.array(terms, dtype=np.float64).reshape(n, len(terms[0]) if terms else 0),
        speakers=np.array(speakers or [-1] * n, dtype=np.int64),
        names=("Marta", "Ivo"),
    )


@st.composite
def tables(draw: st.DrawFn) -> CandidateTable:
    n, t = draw(st.integers(1, 25)), draw(st.integers(0, 4))
    interactions = draw(st.integers(1, n))
    ordinals = np.array([i % interactions for i in range(n)], dtype=np.int64)
    share = st.floats(0, 1, width=32)

    def each(values: st.SearchStrategy[float], kind: type) -> NDArray[np.generic]:
        drawn = draw(st.lists(values, min_size=interactions, max_size=interactions))
        return np.array(drawn, dtype=kind)[ordinals]

    cosine = st.one_of(st.floats(-1, 1, width=32), st.just(float("nan")))
    flag = st.booleans()
    return CandidateTable(
        ordinals=ordinals,
        sessions=each(st.integers(0, 3), np.int64).astype(np.int64),
        occurred_at=each(st.integers(0, 5), np.float64).astype(np.float64),
        cosines=np.array(draw(st.lists(cosine, min_size=n, max_size=n))),
        terms=np.array(draw(st.lists(share, min_size=n * t, max_size=n * t)), dtype=np.float64).reshape(n, t),
        speakers=each(st.integers(-1, 1), np.int64).astype(np.int64),
        names=("Marta", "Ivo"),
        asked=np.array(draw(st.lists(share, min_size=n * t, max_size=n * t)), dtype=np.float64).reshape(n, t),
        traits=np.array(draw(st.lists(st.integers(0, 1023), min_size=n, max_size=n)), dtype=np.int64),
        eligible=np.array(draw(st.lists(flag, min_size=n, max_size=n))),
    )


def shuffled(given_table: CandidateTable, order: NDArray[np.int64]) -> CandidateTable:
    fields = ("ordinals", "sessions", "occurred_at", "cosines", "terms", "speakers", "asked", "traits", "eligible")
    return replace(given_table, **{name: getattr(given_table, name)[order] for name in fields})
