"""The words and the meaning that an interaction takes from those around it in its session."""

from dataclasses import dataclass

import numpy as np

from ragpp.ranking.arrays import BoolArray, FloatArray, IntArray
from ragpp_services.episodic.ranking.table import CandidateTable
from ragpp_services.episodic.ranking.weights import Weights


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Rows sorted by session and time. `session_starts`: index of each session's first row; `session_of`: which
    session each row is in; `run_of`: equal for rows with no gap between them, never across sessions; `of_sessions`: as
    the table has it."""

    session_starts: IntArray
    session_of: IntArray
    run_of: IntArray
    of_sessions: FloatArray | None
    weights: Weights

    @classmethod
    def of(cls, table: CandidateTable, order: IntArray, weights: Weights) -> "Neighbours":
        sessions = table.sessions[order]
        fresh = np.concatenate(([True], sessions[1:] != sessions[:-1]))
        gap = fresh.copy()
        if table.positions is not None:
            gap[1:] |= np.diff(table.positions[order]) != 1
        of_sessions = None if table.of_sessions is None else table.of_sessions[order]
        return cls(np.flatnonzero(fresh), np.cumsum(fresh) - 1, np.cumsum(gap) - 1, of_sessions, weights)

    def lent(self, told: FloatArray, asked: FloatArray, mute: BoolArray) -> FloatArray:
        """(n, t): the most of each term that a neighbour or the session lends. Rows that are `mute` lend nothing of
        what they tell; what a row asks is lent to the one behind it alone, which answers it."""
        lending = np.where(mute[:, None], 0.0, told)
        best = self.best_of_session(lending)
        if self.of_sessions is not None:
            best = np.maximum(best, self.of_sessions)
        best = self.weights.session_lending * best
        for step, share in self.weights.lending.items():
            to, source = self._pairs(step)
            given = np.maximum(told, asked) if step == -1 else lending
            best[to] = np.maximum(best[to], share * given[source])
        return best

    def lifted(self, cosines: FloatArray, mute: BoolArray) -> FloatArray:
        """(n,): each cosine, lifted towards a neighbour's that is greater; never lowered, so that an interaction which
        says all by itself does not pay for the small talk around it. One that is `mute` lifts only what answers it."""
        lifted = cosines.copy()
        for step, share in ((-1, self.weights.meaning_before), (1, self.weights.meaning_after)):
            to, source = self._pairs(step)
            given = cosines[source] if step == -1 else np.where(mute, -1.0, cosines)[source]
            lifted[to] += share * np.maximum(0.0, given - cosines[to])
        return lifted

    def best_of_session(self, values: FloatArray) -> FloatArray:
        """The greatest of `values` (n, ...) in each row's session, in the same shape."""
        best: FloatArray = np.maximum.reduceat(values, self.session_starts, axis=0)[self.session_of]
        return best

    def _pairs(self, step: int) -> tuple[IntArray, IntArray]:
        """Indexes of the rows that have a row `step` places on in their run, and of those rows."""
        distance = abs(step)
        near = np.flatnonzero(self.run_of[distance:] == self.run_of[:-distance])
        return (near, near + distance) if step > 0 else (near + distance, near)
