"""Values as a guide to memories that help: `python -m benchmarks.learning_lab [--plot docs/learning-values.svg]`.

Of 1,000 memories 50 help. In each episode an agent uses the five that a policy puts first, and ends with a reward that
is higher the more of them helped, with noise. Beside values learned by TD(λ) (`ragpp.td_lambda`, in the order of
`GET /v1/items?goal=`: what proved better, what was never used, what proved worse), with and without a place kept for
what was used least: the most used first, the last used first, and chance. Shown is the share of helpful memories among
those used, over 20 runs; chance has .05. `--plot` writes the curves as SVG.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from ragpp.catalog import DEFAULT_VALUE
from ragpp.td_lambda import Access, TDParameters, moved, moves

ITEMS: Final = 1_000
HELPFUL: Final = 50
USED: Final = 5
EPISODES: Final = 600
RUNS: Final = 20
NOISE: Final = 0.15
WINDOW: Final = 20
PARAMETERS: Final = TDParameters(alpha=0.1, gamma=0.95, lambda_=0.8)
Policy = Callable[["State", np.random.Generator], list[int]]


class State:
    """The knowledge that a policy can have: values, how often each was used, and when last."""

    def __init__(self) -> None:
        self.values = np.full(ITEMS, DEFAULT_VALUE)
        self.used = np.zeros(ITEMS)
        self.last = np.full(ITEMS, -1.0)


def by_value(state: State, random: np.random.Generator) -> list[int]:
    """Better than what was never used, then that, then worse; of equals any."""
    return _first(state.values + 1e-9 * random.random(ITEMS))


def by_value_with_trials(state: State, random: np.random.Generator) -> list[int]:
    """The same, but the last place is for one that was used least."""
    best = by_value(state, random)[: USED - 1]
    untried = state.used + random.random(ITEMS)
    untried[best] = np.inf
    return [*best, int(untried.argmin())]


def by_frequency(state: State, random: np.random.Generator) -> list[int]:
    return _first(state.used + 1e-3 * random.random(ITEMS))


def by_recency(state: State, random: np.random.Generator) -> list[int]:
    return _first(state.last + 1e-3 * random.random(ITEMS))


def by_chance(_: State, random: np.random.Generator) -> list[int]:
    return _first(random.random(ITEMS))


def _first(scores: np.ndarray) -> list[int]:
    found: list[int] = np.argsort(-scores)[:USED].tolist()
    return found


POLICIES: Final[dict[str, Policy]] = {
    "values + 1 trial": by_value_with_trials,
    "values": by_value,
    "frequency": by_frequency,
    "recency": by_recency,
    "chance": by_chance,
}


def run(policy: Policy, seed: int) -> np.ndarray:
    """(EPISODES,): the share of helpful memories among those used."""
    random = np.random.default_rng(seed)
    helps = np.zeros(ITEMS, np.bool_)
    helps[random.choice(ITEMS, HELPFUL, replace=False)] = True
    state, shares = State(), np.zeros(EPISODES)
    for episode in range(EPISODES):
        chosen = policy(state, random)
        shares[episode] = helps[chosen].mean()
        reward = float(np.clip(shares[episode] * 1.5 + NOISE * random.normal(), 0, 1))
        accesses = [Access(str(one), float(state.values[one])) for one in chosen]
        for key, move in moves(accesses, reward, PARAMETERS).items():
            state.values[int(key)] = moved(float(state.values[int(key)]), move)
        state.used[chosen] += 1
        state.last[chosen] = episode
    return shares


def plot(curves: dict[str, np.ndarray], path: Path) -> None:
    """The curves as an SVG, each a mean over WINDOW episodes."""
    wide, high, left, under = 720, 360, 60, 40
    colours = {"values + 1 trial": "#163", "values": "#2b8", "frequency": "#c63", "recency": "#36c", "chance": "#888"}
    lines = []
    for place, (name, curve) in enumerate(curves.items()):
        smooth = np.convolve(curve, np.ones(WINDOW) / WINDOW, "valid")
        points = " ".join(
            f"{left + index * wide / len(smooth):.1f},{high - share * high:.1f}" for index, share in enumerate(smooth)
        )
        lines.append(f'<polyline fill="none" stroke="{colours[name]}" stroke-width="2" points="{points}"/>')
        lines.append(f'<text x="{left + wide - 130}" y="{24 + 18 * place}" fill="{colours[name]}">{name}</text>')
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        at = high - share * high
        lines.append(f'<line x1="{left}" x2="{left + wide}" y1="{at}" y2="{at}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{at + 4}" text-anchor="end">{share:.2f}</text>')
    for episode in range(0, EPISODES + 1, 100):
        at = left + episode * wide / EPISODES
        lines.append(f'<text x="{at}" y="{high + 20}" text-anchor="middle">{episode}</text>')
    label = f'<text x="{left + wide / 2}" y="{high + 38}" text-anchor="middle">episodes</text>'
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -12 {left + wide + 20} {high + under + 16}" '
        f'font-family="sans-serif" font-size="13"><title>Share of helpful memories among those used</title>\n'
        + "\n".join([*lines, label])
        + "\n</svg>\n",
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", type=Path, help="write the curves there")
    given = parser.parse_args()
    curves = {name: np.mean([run(policy, seed) for seed in range(RUNS)], axis=0) for name, policy in POLICIES.items()}
    print("share of helpful memories among those used, in episodes")
    print(f"{'policy':18}" + "".join(f"{f'{start + 1}-{start + 100}':>10}" for start in range(0, EPISODES, 100)))
    for name, curve in curves.items():
        print(f"{name:18}" + "".join(f"{curve[start : start + 100].mean():10.2f}" for start in range(0, EPISODES, 100)))
    if given.plot is not None:
        plot(curves, given.plot)


if __name__ == "__main__":
    main()
