"""The kind of a statement where nobody said it: patterns propose, and likeness to examples decides."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.catalog import ItemKind
from ragpp.embedding import Embedder, FloatMatrix
from ragpp.entries.values import PATTERNS

NEAREST: Final = 2
"""So many examples of a kind, the likest, are counted; so one that is said otherwise than the others counts, too."""
_EXAMPLES: Final[Mapping[ItemKind, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "decision": (
        (
            "We decided to keep the orders in PostgreSQL.",
            "They chose the blue design for the launch.",
            "The team selected a new supplier for the packaging.",
            "We will use feature flags for the rollout.",
            "It was agreed to drop support for old browsers.",
            "I decided to take the morning train.",
        ),
        (
            "The selected row is highlighted in blue.",
            "Nothing has been decided yet.",
            "Which option should we choose?",
            "The user selected some text in the editor.",
            "The menu shows the chosen language.",
            "She is a decided supporter of the club.",
        ),
    ),
    "insight": (
        (
            "We learned that customers skip the tutorial.",
            "I realized that the cache was never cleared.",
            "We found that most complaints come from one shop.",
            "They discovered that the pump loses pressure at night.",
            "It turned out that the report counts refunds twice.",
            "Calls before noon are answered more often, as we discovered.",
        ),
        (
            "She learned to swim as a child.",
            "The lost key was found in the drawer.",
            "He realized a profit of ten dollars.",
            "We found a parking place near the station.",
            "The explorers discovered an island.",
            "The course is about machine-learned ranking.",
        ),
    ),
    "error": (
        (
            "The deployment failed with a timeout.",
            "An exception was thrown while the date was parsed.",
            "The import crashed, since the file was empty.",
            "There is a bug in the calculation of discounts.",
            "Nobody can log in: the server answers with error 500.",
            "The backup failed, the disk was full.",
        ),
        (
            "The error budget is reset each month.",
            "No errors were found in the audit.",
            "A ladybug sat on the window.",
            "All tests passed without exception.",
            "Cooking is trial and error.",
            "The page on error handling is well written.",
        ),
    ),
    "plan": (
        (
            "The next step is to migrate the billing service.",
            "I plan to visit the supplier on Monday.",
            "We will send the offer tomorrow.",
            "Todo: write tests for the importer.",
            "The team will move to the new office in May.",
            "We plan to repaint the shop next week.",
        ),
        (
            "His grandfather left a will.",
            "The plan costs twenty dollars a month.",
            "Will you be there?",
            "The floor plan hangs on the wall.",
            "Plants will die without water.",
            "The insurance plan covers dental care.",
        ),
    ),
}
"""By kind what is of it, and what its pattern proposes as well and is not."""


class Kinds:
    """Tells the kind of statements. `patterns`: regular expressions by kind. Raises ValueError for one that is none."""

    def __init__(self, embedder: Embedder, patterns: Mapping[ItemKind, str] = PATTERNS) -> None:
        self._embedder = embedder
        self._examples: dict[ItemKind, tuple[FloatMatrix, FloatMatrix]] = {}
        self._reading = asyncio.Lock()
        try:
            self._patterns = {
                kind: re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE) for kind, pattern in patterns.items()
            }
        except re.error as error:
            raise ValueError(f"an extraction pattern is no regular expression: {error}") from error

    def proposed(self, text: str) -> tuple[ItemKind, ...]:
        """The kinds whose pattern the text has."""
        return tuple(kind for kind, pattern in self._patterns.items() if pattern.search(text))

    async def of(self, texts: Sequence[str], vectors: FloatMatrix | None = None) -> list[ItemKind]:
        """The kind of each: of those that are proposed the one whose examples it is likest, if it is liker to them than
        to what only looks so; else a fact. A kind without examples is decided by its pattern. `vectors`: of all the
        texts, where they are known. Raises EmbeddingError."""
        proposed = [self.proposed(text) for text in texts]
        asked = [place for place, kinds in enumerate(proposed) if kinds]
        kinds: list[ItemKind] = ["fact"] * len(texts)
        if not asked:
            return kinds
        examples = await self._read_examples()
        rows = await self._embedder.embed([texts[place] for place in asked]) if vectors is None else vectors[asked]
        for place, vector in zip(asked, rows, strict=True):
            kinds[place] = decided(vector, proposed[place], examples)
        return kinds

    async def _read_examples(self) -> Mapping[ItemKind, tuple[FloatMatrix, FloatMatrix]]:
        async with self._reading:
            if not self._examples:
                known = [kind for kind in self._patterns if kind in _EXAMPLES]
                texts = [text for kind in known for some in _EXAMPLES[kind] for text in some]
                rows = iter(await self._embedder.embed(texts))
                self._examples = {
                    kind: (
                        np.stack([next(rows) for _ in _EXAMPLES[kind][0]]),
                        np.stack([next(rows) for _ in _EXAMPLES[kind][1]]),
                    )
                    for kind in known
                }
        return self._examples


def decided(
    vector: npt.NDArray[np.float32],
    proposed: Sequence[ItemKind],
    examples: Mapping[ItemKind, tuple[FloatMatrix, FloatMatrix]],
) -> ItemKind:
    """See `Kinds.of`. `vector` and the rows of `examples`, of what is of a kind and what is not: unit length."""
    liker = {
        kind: _likeness(vector, examples[kind][0]) - _likeness(vector, examples[kind][1])
        for kind in proposed
        if kind in examples
    }
    best = max(liker, key=lambda kind: liker[kind], default=None)
    if best is not None and liker[best] > 0:
        return best
    return next((kind for kind in proposed if kind not in examples), "fact")


def _likeness(vector: npt.NDArray[np.float32], examples: FloatMatrix) -> float:
    return float(np.sort(examples @ vector)[-NEAREST:].mean())
