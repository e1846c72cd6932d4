"""The values of memories for a goal, learned from episodes of use: TD(λ) with eligibility traces. Pure.

An episode is a run of accesses and ends with a reward. Each memory that was used moves towards what came of using it,
the more the later and the oftener it was used. A move is a difference, added to whatever the value is by then: two
episodes that end at once both count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.catalog import DEFAULT_VALUE

ALPHA: Final = 0.1
GAMMA: Final = 0.95
LAMBDA: Final = 0.8


@dataclass(frozen=True, slots=True)
class TDParameters:
    """`alpha`: how far a value moves, above 0 and at most 1; `gamma`: what a reward counts one access later, `lambda_`:
    what an access counts one access later, both 0 to 1. Raises ValueError for others."""

    alpha: float = ALPHA
    gamma: float = GAMMA
    lambda_: float = LAMBDA

    def __post_init__(self) -> None:
        if not 0 < self.alpha <= 1:
            raise ValueError(f"alpha is above 0 and at most 1, not {self.alpha}")
        for name, value in (("gamma", self.gamma), ("lambda_", self.lambda_)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} is 0 to 1, not {value}")


@dataclass(frozen=True, slots=True)
class Access:
    """One use of a memory. `key`: which one; `value`: what it was worth then, 0 to 1; `step_reward`: what this step
    brought by itself, −1 to 1."""

    key: str
    value: float = DEFAULT_VALUE
    step_reward: float = 0.0


def moves(
    accesses: Sequence[Access], final_reward: float, parameters: TDParameters = TDParameters()
) -> dict[str, float]:
    """By how much the value of each memory that was accessed moves at the end of an episode, −1 to 1.

    At each access all traces fade by γλ and the accessed one gains 1, up to 1/α. With i the last access of a memory,
    the return is R = final + Σ_{t ≥ i} γ^{t−i} · step_t, clipped to 0–1, and the move α · (R − V_i) · trace.

    Source: Sutton and Barto, Reinforcement Learning, 2018, chapter 12 (accumulating traces); the return and the bound
    of the trace as the catalog's contract has them.
    """
    traces: dict[str, float] = {}
    last: dict[str, int] = {}
    for place, access in enumerate(accesses):
        for key in traces:
            traces[key] *= parameters.gamma * parameters.lambda_
        traces[access.key] = min(traces.get(access.key, 0.0) + 1.0, 1.0 / parameters.alpha)
        last[access.key] = place
    later = [0.0] * (len(accesses) + 1)
    for place in range(len(accesses) - 1, -1, -1):
        later[place] = accesses[place].step_reward + parameters.gamma * later[place + 1]
    return {
        key: parameters.alpha * (min(max(final_reward + later[place], 0.0), 1.0) - accesses[place].value) * traces[key]
        for key, place in last.items()
    }


def moved(value: float, move: float) -> float:
    """A value after a move: 0 to 1."""
    return min(max(value + move, 0.0), 1.0)
