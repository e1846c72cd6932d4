"""Judging: what a clause tells, and whether a careful friend would write it down, before anything is parsed.

Logistic regressions on what the clause means in its message, by the second encoder, and on its hashed words and
letters, and a classifier that reads the message: the mean of their log-odds. Without an encoder, regressions on the
hashed features alone. Their weights are a file beside this module, which `benchmarks/train_judge.py` makes of
`benchmarks/data/labelled` and of plain sentences.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from ragpp.embedding import FloatMatrix, SecondEncoder
from ragpp.models import Interaction, Vector
from ragpp.text.lexical import index_line
from ragpp.text.spans import Span
from ragpp_services.workers.language.classifier import Classifier
from ragpp_services.workers.language.cutting import cut
from ragpp_services.workers.language.features import hashed

Kind = Literal[
    "identity", "kin", "residence", "work", "health", "taste", "possession", "habit", "plan", "event", "decision",
    "instruction", "opinion", "insight", "error", "solution", "fact",
]  # fmt: skip
Trait = Literal["kept", "changes", "past", "planned", "unsure", "negated"]
"""kept: worth writing down; changes: ends or corrects what was said before; unsure: wished, supposed, joked, quoted."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
TRAITS: Final[tuple[Trait, ...]] = get_args(Trait)
HEADS: Final[tuple[str, ...]] = (*KINDS, *TRAITS)
WORTH: Final[Mapping[Kind, float]] = {
    "health": 1.2, "instruction": 1.2, "identity": 1.0, "kin": 1.0, "residence": 1.0, "work": 1.0, "habit": 1.0,
    "plan": 1.0, "decision": 1.0, "taste": 0.8, "possession": 0.8, "event": 0.4, "insight": 0.3, "error": 0.3,
    "solution": 0.3, "fact": 0.3, "opinion": 0.2,
}  # fmt: skip
"""The worth of knowing something of a kind, by what a mistake costs: nobody forgives a missed allergy, and a chat
is full of events and opinions that matter to nobody in a month. A judgement, fitted to nothing."""
_WORTHS: Final = np.array([WORTH[kind] for kind in KINDS], np.float32)
LEAST_WORTH: Final = 0.6
"""The worth from which on a clause is kept (`expected_worth`)."""
LEAST_WORTH_OF: Final[Mapping[Kind, float]] = {"health": 0.45}
"""The same of what is likeliest to be of a kind of which nothing is to be missed."""
LEAST_WORTH_ASKED: Final = 1.0
"""And one that asks: "since when is the heating broken?" tells little, "can you always write in French?" is meant."""
WEIGHTS: Final = "judge.npz"
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A stretch of a message: the likeliest `kind` of what it tells, what it is `worth`, 0 to some 2, and the odds, 0
    to 1, that it `instructs` the assistant and of each trait. `meaning`: of the stretch in its message, less what all
    have in common, of length 1; None without an encoder."""

    kind: Kind
    worth: float
    instructs: float
    traits: Mapping[Trait, float]
    meaning: Vector | None = None

    def is_kept(self, *, asks: bool) -> bool:
        """True where it is to be written down; `asks`: it is a question or a request."""
        return self.worth >= (LEAST_WORTH_ASKED if asks else LEAST_WORTH_OF.get(self.kind, LEAST_WORTH))


@dataclass(frozen=True)
class Model:
    """`meaning`: (dimension, heads), of the vector less `mean`; `hashed`: (features.SIZE, heads); `bias`: (heads,)."""

    mean: Floats
    meaning: Floats
    hashed: Floats
    bias: Floats

    def scores(self, clauses: Sequence[str], meaning: FloatMatrix | None) -> Floats:
        """(clauses, heads): the log-odds of each head. `meaning`: a row for each clause."""
        scores = np.tile(self.bias, (len(clauses), 1))
        for row, clause in enumerate(clauses):
            indexes, values = hashed(clause)
            scores[row] += values @ self.hashed[indexes]
            if meaning is not None:
                scores[row] += (meaning[row] - self.mean) @ self.meaning
        return scores


class Judge:
    """Judges the clauses of messages; a clause has one outcome in its message, whatever is judged with it. `model`:
    with other weights than those that are shipped."""

    def __init__(
        self, encoder: SecondEncoder | None, model: Model | None = None, classifier: Classifier | None = None
    ) -> None:
        self._encoder, self._model, self._classifier = encoder, model, classifier

    @property
    def reads(self) -> bool:
        """True where a network reads messages: words alone do not tell a taste from a turn of phrase."""
        return self._encoder is not None or self._classifier is not None

    async def judge(self, text: str, spans: Sequence[Span]) -> list[Judgement]:
        """One judgement for each of `spans`, stretches of `text` in order. Raises EmbeddingError."""
        if not spans:
            return []
        meaning = None if self._encoder is None else await self._encoder.encode_spans(text, spans)
        model = self._model or load_model(with_meaning=meaning is not None)
        scores = model.scores([text[span.start : span.end] for span in spans], meaning)
        if self._classifier is not None:
            scores = (scores + await self._classifier.scores(text, spans)) * np.float32(0.5)
        odds = odds_of(scores)
        if meaning is None:
            return [judgement_of(row) for row in odds]
        return [judgement_of(row, _direction(own)) for row, own in zip(odds, meaning - model.mean, strict=True)]

    async def judge_said(self, item: Interaction, text: str, spans: Sequence[Span]) -> list[Judgement]:
        """The same of stretches of `text`, the words of a message at its length: read as it is indexed, so that one run
        of the encoder does for both."""
        line = index_line(item, text)
        shift = len(line) - len(text)
        return await self.judge(line, [Span(start + shift, end + shift) for start, end in spans])

    async def judge_clauses(self, item: Interaction, text: str) -> dict[Span, Judgement]:
        """The same of all stretches that `text` is cut into, in order."""
        clauses = list(await asyncio.to_thread(cut, text))
        return dict(zip(clauses, await self.judge_said(item, text, clauses), strict=True))


def odds_of(scores: Floats) -> Floats:
    """The probabilities that log-odds are."""
    return np.asarray(1 / (1 + np.exp(-scores)), np.float32)


def _direction(vector: FloatMatrix) -> Vector:
    return tuple(map(float, vector / max(float(np.linalg.norm(vector)), 1e-9)))


def judgement_of(odds: Floats, meaning: Vector | None = None) -> Judgement:
    """The judgement that the odds of one clause, (heads,), amount to, with what it means."""
    of_kinds = dict(zip(HEADS, map(float, odds), strict=True))
    traits: dict[Trait, float] = {trait: round(of_kinds[trait], 4) for trait in TRAITS}
    kind = max(KINDS, key=lambda one: of_kinds[one])
    return Judgement(kind, round(float(expected_worth(odds)), 4), round(of_kinds["instruction"], 4), traits, meaning)


def expected_worth(odds: Floats) -> Floats:
    """(…,), what clauses are worth: the sum over kinds of odds times worth, by the odds of every head, (…, heads).

    Only what is kept is of a kind, so the odds of kinds should amount to those of `kept`. Of plain sentences, which are
    not how people chat, the models of single kinds are less sure than that: half of the difference, as a factor, is
    made up for. By what was learned of other hands this has an AUC of .848 for what is to be kept, the sum alone .832.
    """
    of_kinds = odds[..., : len(KINDS)]
    known = np.maximum(of_kinds.sum(axis=-1), 1e-6)
    return np.asarray(of_kinds @ _WORTHS * np.sqrt(odds[..., HEADS.index("kept")] / known))


@cache
def load_model(*, with_meaning: bool) -> Model:
    """The weights that are shipped: some 5 ms."""
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        name = "both" if with_meaning else "alone"
        return Model(
            mean=kept["mean"].astype(np.float32),
            meaning=kept["meaning"].astype(np.float32),
            hashed=kept[f"hashed_{name}"].astype(np.float32),
            bias=kept[f"bias_{name}"].astype(np.float32),
        )
