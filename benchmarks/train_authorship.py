"""Train what tells passed-on text from a user's own: `python -m benchmarks.train_authorship [--write]`.

Two logistic regressions on the messages of `benchmarks.passed_on` and on those of the labelled chats
(`benchmarks.labelled`), which are own text as people type it. Without `--write` each fold is judged by what was
learned from the others; with it the weights are made of all of them, the same on every run.
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from benchmarks import labelled
from benchmarks.passed_on import FOLDS, Message, Part, Whose, messages
from ragpp.extraction.pipeline import installed_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor
from ragpp.text.spans import blanked
from ragpp_services.workers.authorship.own_words import foreign
from ragpp_services.workers.learning.authorship import SCALE, features_of
from ragpp_services.workers.learning.imperatives import read_sentence

WEIGHTS: Final = (
    Path(__file__).parent.parent / "services" / "ragpp_services" / "workers" / "learning" / "authorship.json"
)
STEPS: Final = 250
RATE: Final = 0.1
L2: Final = {"f": 3e-3, "k": 1e-3}
BLANKED: Final = 0.3
"""The weight in training of a sentence that is known to be somebody else's without it."""
CHAT: Final = 0.1
"""And one that teaches nothing, for the doubt."""
LABELLED: Final = 0.3
"""And one of a labelled chat."""
SEEDS: Final = (1, 2, 3)
"""The seeds of the messages: the same lines, put together in other ways."""
LEAST_SEEN: Final = 40
"""Sentences, and folds below, that a feature must be in."""
LEAST_FOLDS: Final = 3
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence. `survives`: nothing marks it as somebody else's. `read`: the grammar takes it for standing. `states`:
    the local extractor finds a preference in it."""

    fold: int
    whose: Whose
    features: frozenset[str]
    survives: bool
    read: bool
    states: bool
    text: str
    labelled: bool


def typed() -> Iterator[Message]:
    """The messages of people in the labelled chats, joined as people join them. Whose it is is not known of a clause
    that quotes or tells of others' words."""
    chance = random.Random(SEEDS[0])
    for chat in labelled.read_chats():
        for message in chat.messages:
            if message.role == "user":
                text, spans = labelled.joined(message.clauses, chance)
                cuts = [0, *(span.start for span in spans[1:]), len(text)]
                parts = (
                    Part(_whose(clause.label), text[start:end])
                    for clause, (start, end) in zip(message.clauses, pairwise(cuts), strict=True)
                )
                yield Message(int(chat.hand) % FOLDS, tuple(parts))


def _whose(label: labelled.Label | None) -> Whose | None:
    if label is not None and label.modality in {"quoted", "reported"}:
        return None
    return "k" if label is not None and label.kind == "rule" and label.keep else "o"


def rows() -> list[Row]:
    """The sentences of all messages of which it is known whose they are."""
    states = cache(partial(_states, SpacyExtractor(installed_pipeline())))
    written = (made for seed in SEEDS for made in messages(seed))
    return [
        row
        for made, is_labelled in ((written, False), (typed(), True))
        for message in made
        for row in _rows_of(message, states, is_labelled=is_labelled)
    ]


def _rows_of(message: Message, states: Callable[[str], bool], *, is_labelled: bool) -> Iterator[Row]:
    text = message.text
    own = blanked(text, foreign(text))
    for sentence, features in features_of(text, own):
        told = read_sentence(sentence, stands=False)
        whose = message.whose(sentence.start + len(sentence.text) // 2)
        if whose is not None:
            yield Row(
                message.fold,
                whose,
                frozenset(features),
                survives=bool(own[sentence.start : sentence.end].strip()),
                read=told is not None and told.standing != "once",
                states=states(sentence.text),
                text=sentence.text,
                labelled=is_labelled,
            )


def _states(extractor: SpacyExtractor, text: str) -> bool:
    return bool(extractor.extract(text, speaker=None).preferences)


def vocabulary(of: Sequence[Row]) -> dict[str, int]:
    """The features that are in enough sentences of enough folds, numbered."""
    seen, folds = Counter[str](), defaultdict[str, set[int]](set)
    for row in of:
        seen.update(row.features)
        for feature in row.features:
            folds[feature].add(row.fold)
    kept = sorted(name for name, count in seen.items() if count >= LEAST_SEEN and len(folds[name]) >= LEAST_FOLDS)
    return {name: number for number, name in enumerate(kept)}


def numbered(of: Sequence[Row], known: dict[str, int]) -> list[npt.NDArray[np.intp]]:
    """The known features of each row."""
    return [np.array(sorted(known[name] for name in row.features if name in known), dtype=np.intp) for row in of]


def fit(x: Sequence[npt.NDArray[np.intp]], y: Floats, weight: Floats, size: int, *, l2: float) -> tuple[Floats, float]:
    """The weights and the bias that Adam reaches from zero in STEPS steps over all rows."""
    flat = np.concatenate(x)
    lengths = np.array([len(one) for one in x])
    starts, row = np.cumsum([0, *lengths[:-1]]), np.repeat(np.arange(len(x)), lengths)
    theta, first, second = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    share = weight / weight.sum()
    for step in range(1, STEPS + 1):
        score = np.add.reduceat(theta[flat], starts) + theta[size]
        error = (1 / (1 + np.exp(-score)) - y) * share
        gradient = np.bincount(flat, weights=error[row], minlength=size + 1) + l2 * theta
        gradient[size] = error.sum()
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        rate = RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        theta -= rate * first / (np.sqrt(second) + 1e-8)
    return theta[:size], float(theta[size])


def trained(of: Sequence[Row], known: dict[str, int], whose: Whose) -> tuple[Floats, float]:
    """The weights and the bias that tell the sentences that are `whose` from the others."""
    weight = np.array([_importance(row) if whose == "f" else 1.0 if row.survives else BLANKED for row in of])
    return fit(
        numbered(of, known), np.array([float(row.whose == whose) for row in of]), weight, len(known), l2=L2[whose]
    )


def _importance(row: Row) -> float:
    """A sentence's weight for the doubt, of which only those are asked that teach something."""
    if row.labelled:
        return LABELLED if row.survives else LABELLED * BLANKED
    teaches = row.read or row.states
    chat = CHAT if row.whose == "o" and not teaches else 1.0
    return (1.0 if row.survives else BLANKED) * chat * (2.0 if teaches else 1.0)


def left_out(of: Sequence[Row]) -> tuple[Floats, Floats]:
    """For each row, that it is passed on and that it is to be kept, told by what was learned of the other folds."""
    passed_on, to_keep = np.zeros(len(of)), np.zeros(len(of))
    for fold in range(FOLDS):
        others = [row for row in of if row.fold != fold]
        here = [place for place, row in enumerate(of) if row.fold == fold]
        known = vocabulary(others)
        x = numbered([of[place] for place in here], known)
        for odds, whose in ((passed_on, "f"), (to_keep, "k")):
            theta, bias = trained(others, known, whose)  # type: ignore[arg-type]  # two of the three
            odds[here] = [1 / (1 + np.exp(-(theta[one].sum() + bias))) for one in x]
    return passed_on, to_keep


def _share(odds: Floats, which: npt.NDArray[np.bool_], least: float) -> str:
    return f"{100 * float((odds[which] > least).mean()):.1f} %"


def report(of: Sequence[Row], console: Console) -> None:
    """Print what the thresholds would do to sentences that no training saw."""
    passed_on, to_keep = left_out(of)
    live = np.array([row.survives for row in of])
    typed = np.array([row.labelled for row in of])
    read = np.array([row.read for row in of]) & live & ~typed
    states = np.array([row.states for row in of]) & live & ~typed
    whose = np.array([row.whose for row in of])
    console.print(Counter(whose[live].tolist()))
    for title, which in (("read as instructions by the grammar", read), ("preferences", states)):
        doubt = Table("doubted above", "of others'", "of one's own", title=title)
        for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            doubt.add_row(f"{least}", *(_share(passed_on, which & own, least) for own in (whose == "f", whose != "f")))
        console.print(doubt)
    chats = Table("passed on above", "of labelled chats", "of others'", title="what tells something")
    for least in (0.5, 0.6, 0.7, 0.8, 0.9):
        chats.add_row(f"{least}", *(_share(passed_on, live & which, least) for which in (typed, whose == "f")))
    console.print(chats)
    keep = Table("kept above", "instructions", "other own", "of others'", title="not read by the grammar")
    rest = ~read & live & ~typed
    for least in (0.5, 0.6, 0.7, 0.8, 0.9):
        sure = np.where(passed_on < 0.2, to_keep, 0)
        keep.add_row(f"{least}", *(_share(sure, rest & (whose == one), least) for one in ("k", "o", "f")))
    console.print(keep)


def write(of: Sequence[Row]) -> None:
    """The weights of both, learned from everything."""
    known = vocabulary(of)
    (doubt, doubt_bias), (keep, keep_bias) = trained(of, known, "f"), trained(of, known, "k")
    both = {"": [round(doubt_bias * SCALE), round(keep_bias * SCALE)]}
    both |= {
        name: pair
        for name, number in known.items()
        if any(pair := [round(doubt[number] * SCALE), round(keep[number] * SCALE)])
    }
    text = ",\n".join(f"{json.dumps(name, ensure_ascii=False)}:{json.dumps(pair)}" for name, pair in both.items())
    WEIGHTS.write_text(f"{{{text}}}\n", encoding="utf-8")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="the weights, instead of judging what is left out")
    given = parser.parse_args()
    made = rows()
    if given.write:
        write(made)
    else:
        report(made, Console())


if __name__ == "__main__":
    main()
