"""The worth of packing entries, and its cost: `python -m benchmarks.packing_lab [--catalogs 300]`.

Catalogs are drawn as agents have them: many short facts, some long decisions with a story; few entries that matter much
for a message, many that hardly do. Beside one another: the best packing there is, and taking entries by score in the
fullest form that fits (document 000). With `--prove` random catalogs of every kind are packed, and each budget is held.
"""

import argparse
import statistics
import sys
import time
from typing import Final

import numpy as np

from benchmarks.proof import quantile
from ragpp.entries.packing import FORMS, Offer, by_score, pack, worth
from ragpp.entries.values import Form

BUDGETS: Final = (300, 600, 2_000)
ENTRIES: Final = (20, 100, 1_000)
SHARE_OF_HEAD: Final = 14
"""Tokens of a line before its text: kind, date, handle."""


def catalog(random: np.random.Generator, entries: int) -> list[Offer]:
    """Entries of a realistic catalog: full texts of 10 to some 600 tokens, scores of which one in ten is high."""
    full = np.clip(random.lognormal(3.6, 0.9, entries), 8, 900).astype(int)
    scores = np.where(random.random(entries) < 0.1, random.uniform(0.5, 1, entries), random.beta(1.5, 6, entries))
    offers = []
    for place, (size, score) in enumerate(zip(full.tolist(), scores.tolist(), strict=True)):
        forms = {Form.FULL: SHARE_OF_HEAD + size}
        if size > 55:
            forms[Form.ABSTRACT] = SHARE_OF_HEAD + int(random.integers(35, 55))
        if size > 14:
            forms[Form.SUMMARY] = SHARE_OF_HEAD + int(random.integers(8, 14))
        offers.append(Offer(f"e{place}", score, forms))
    return offers


def anything(random: np.random.Generator) -> tuple[list[Offer], int]:
    """A catalog of any kind, and a budget."""
    offers = [
        Offer(
            f"e{place}",
            random.random() if random.random() < 0.6 else float(random.integers(0, 2)),
            {
                form: int(random.integers(1, int(random.choice([3, 60, 3_000]))))
                for form in FORMS
                if random.random() < 0.7
            },
        )
        for place in range(int(random.integers(0, 30)))
    ]
    return offers, int(random.choice(np.asarray([0, 1, random.integers(0, 100), random.integers(0, 2_500)])))


def compare(catalogs: int) -> None:
    random = np.random.default_rng(11)
    print("entries  budget   by score     best    ms by score   ms best (p50, p95)")
    for entries in ENTRIES:
        for budget in BUDGETS:
            gained, greedy_ms, best_ms = [], [], []
            for _ in range(max(10, catalogs // (entries // 10))):
                offers = catalog(random, entries)
                began = time.perf_counter()
                greedy = by_score(offers, budget)
                between = time.perf_counter()
                best = pack(offers, budget)
                greedy_ms.append(1_000 * (between - began))
                best_ms.append(1_000 * (time.perf_counter() - between))
                gained.append(worth(offers, greedy) / worth(offers, best))
            print(
                f"{entries:7} {budget:7} {statistics.fmean(gained):10.3f}    1.000 {statistics.median(greedy_ms):12.2f}"
                f"{statistics.median(best_ms):12.2f} {quantile(best_ms, 0.95):8.2f}"
            )


def prove(catalogs: int) -> None:
    """Exit code 1 where any packing is over its budget or loses sight of an entry."""
    random = np.random.default_rng(12)
    over = lost = 0
    began = time.perf_counter()
    for _ in range(catalogs):
        offers, budget = anything(random)
        packed = pack(offers, budget)
        sizes = {offer.id: offer.tokens for offer in offers}
        over += sum(sizes[one][form] for one, form in packed.shown.items()) > budget
        lost += packed.shown.keys() | packed.left_out.keys() != sizes.keys()
    print(
        f"{catalogs:,} catalogs in {time.perf_counter() - began:.0f} s: {over} over budget, {lost} that lose an entry"
    )
    sys.exit(1 if over or lost else 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catalogs", type=int, default=300)
    parser.add_argument("--prove", action="store_true", help="pack so many random catalogs and check each")
    given = parser.parse_args()
    if given.prove:
        prove(given.catalogs)
    compare(given.catalogs)


if __name__ == "__main__":
    main()
