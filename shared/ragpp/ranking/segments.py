"""Rows by what finds them: one bit for each dimension of their vectors, and the terms that they hold.

Rows are cut into segments of some thousands. A segment never changes: where one of its rows goes or is written anew the
whole of it is dropped, and its rows are looked at one and all until it is made again. So what it says always holds, and
nothing of what was forgotten stays in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray

Bits = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]

ENTRY: Final = np.dtype([("row", "<u2"), ("weight", "<f2")])
"""One row of a segment that holds a term, of 65,536 at most, and how much of it."""
_WORD: Final = 64


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The rows that a segment is made of, n of them, by rising `ordinals`, which are equal where rows belong together.

    `moments`: microseconds; `sessions`: equal where the session is; `seen_by`: who alone may see each, None for all.
    `vectors`: (v, dimension), at least one for each row; `vector_rows`: (v,) which row each one is of, rising.
    `entries`: (row, term, weight), three arrays, in any order.
    """

    ordinals: IntArray
    moments: IntArray
    sessions: IntArray
    seen_by: Sequence[str | None]
    vectors: Floats
    vector_rows: IntArray
    entries: tuple[IntArray, IntArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Rows by what finds them, as `Source` has them. `sessions`: (s,) distinct; `session_of`: (n,) index of each row's
    among them. `viewers`: index into `agents` of who alone may see each, -1 for all. `firsts`: (n,) where each row's
    vectors begin among the `bits`, (words, v). `postings`: by term the rows that hold it and their weights; of those
    terms alone that were asked for."""

    ordinals: IntArray
    moments: IntArray
    sessions: IntArray
    session_of: IntArray
    viewers: IntArray
    agents: Sequence[str]
    firsts: IntArray
    bits: Bits
    postings: Mapping[int, tuple[IntArray, FloatArray]]

    def __len__(self) -> int:
        return len(self.ordinals)

    def distances(self, asked: Bits) -> IntArray:
        """(n,): in how many dimensions the nearest vector of each row is of another sign than `asked`, (words,)."""
        differing: IntArray = np.bitwise_count(self.bits ^ asked[:, None]).sum(axis=0, dtype=np.int64)
        if len(differing) == len(self):
            return differing
        nearest: IntArray = np.minimum.reduceat(differing, self.firsts)
        return nearest

    def visible(self, view: str | None) -> BoolArray:
        """(n,): what is in the view, None being all that there is."""
        if view is None or not len(self.agents):
            return np.ones(len(self), np.bool_)
        known = self.agents.index(view) if view in self.agents else None
        seen: BoolArray = self.viewers == -1
        return seen if known is None else seen | (self.viewers == known)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows that there are for a question in some segments: (n,) each. `session_of`: index into `sessions`, (s,),
    which are distinct and rising."""

    ordinals: IntArray
    moments: IntArray
    session_of: IntArray
    sessions: IntArray

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> "Rows":
        """All of the segments' rows."""
        sessions, places = np.unique(joined([one.sessions for one in segments]), return_inverse=True)
        starts = np.cumsum([0, *(len(one.sessions) for one in segments)])
        return cls(
            joined([one.ordinals for one in segments]),
            joined([one.moments for one in segments]),
            joined([places[start:][one.session_of] for one, start in zip(segments, starts[:-1], strict=True)]),
            sessions,
        )

    def at(self, places: BoolArray) -> "Rows":
        """Those of them."""
        if places.all():
            return self
        return Rows(self.ordinals[places], self.moments[places], self.session_of[places], self.sessions)

    def of_sessions(self, places: IntArray) -> BoolArray:
        """(n,): which rows are of the sessions at these places among `sessions`."""
        wanted = np.zeros(len(self.sessions), np.bool_)
        wanted[places] = True
        return wanted[self.session_of]

    def known(self, sessions: IntArray) -> tuple[IntArray, BoolArray]:
        """(m,) each: where these are among `sessions`, and whether they are."""
        if not len(self.sessions):
            return np.zeros(len(sessions), np.int64), np.zeros(len(sessions), np.bool_)
        places = np.searchsorted(self.sessions, sessions).clip(max=len(self.sessions) - 1)
        return places, self.sessions[places] == sessions


def bits_of(vectors: npt.NDArray[np.floating]) -> Bits:
    """(words, v): one bit for each dimension of (v, dimension), set where it is above 0; as pgvector's
    `binary_quantize` has it, filled up to whole words of 64."""
    packed = np.packbits(vectors > 0, axis=1)
    width = -(-packed.shape[1] * 8 // _WORD) * (_WORD // 8)
    filled = np.zeros((len(packed), width), np.uint8)
    filled[:, : packed.shape[1]] = packed
    return np.ascontiguousarray(filled.view(np.uint64).T)


def postings_of(entries: tuple[IntArray, IntArray, FloatArray]) -> dict[int, bytes]:
    """The ENTRYs of each term, packed, by rising row."""
    rows, terms, weights = entries
    if not len(rows):
        return {}
    order = np.lexsort((rows, terms))
    packed = np.empty(len(order), ENTRY)
    packed["row"], packed["weight"] = rows[order], weights[order]
    known, firsts = np.unique(terms[order], return_index=True)
    ends = [*firsts[1:].tolist(), len(order)]
    return {
        term: packed[first:end].tobytes()
        for term, first, end in zip(known.tolist(), firsts.tolist(), ends, strict=True)
    }


def joined(parts: Sequence[IntArray]) -> IntArray:
    """The parts, one behind another; empty where there are none."""
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)
