"""Who speaks in a sentence: the user to the assistant, or somebody whose text was passed on without a mark. Pure.

Two logistic regressions over the words of a sentence, of the sentences beside it and of the rest of its message, and
over its form. Their weights are a file beside this module, which `benchmarks/train_authorship.py` makes.
"""

import json
import math
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice, pairwise
from typing import Final

from ragpp.context.echo import masked
from ragpp.models import Interaction
from ragpp.text.sentences import Sentence, clean, split
from ragpp.text.spans import Span, blanked
from ragpp_services.workers.authorship.own_words import marked
from ragpp_services.workers.learning.authorship_words import CLASSES

MOST_SENTENCES: Final = 400
"""Sentences of a message that are judged; whatever is behind them is taken for somebody else's."""
DOUBTED: Final = 0.6
"""Above it what a sentence says is not plainly the user's: of the instructions in what the left-out folds pass on it
is 84 in 100, of their own 7; of the preferences 78 and 8."""
BESIDE: Final = 0.5
"""And above it what stands beside a doubted sentence, or beside one that is beside it, and is no sure instruction: what
is passed on is in one piece."""
OF_MANNER: Final = 0.9
"""Above it what only says how answers are to look is doubted: whoever says it does no harm, and it is what users ask
for first."""
SURER: Final = 0.75
"""From here on an instruction of the user's is no longer doubted if that is likelier than that it is passed on: of the
left-out folds' instructions 8 of their own, and 9 of others', of 1,668 and 2,154."""
SURE: Final = 0.7
"""From here on a sentence is kept as an instruction though the grammar does not read it, and """
LASTING: Final = 0.5
"""from here on one stands that the grammar reads as an order for the moment: """
LEAST_DOUBT: Final = 0.15
"""as long as it is no likelier than this that it is passed on. Of the left-out folds' instructions that are not read
as standing these are 29 in 100, of what else is said or passed on 6 in 1,000; half of that are lines without stops,
in which an instruction stands beside something else."""
SCALE: Final = 100
"""The weights are kept as whole numbers, this many to one."""
AROUND: Final = 5
"""Sentences before and behind one whose words count for it."""
_MANNER: Final = re.compile(
    r"^(?:(?:please|always|never|do not|don't|from now on|in future),? ){0,3}"
    r"(?:answer|reply|respond|speak|talk|write|use|keep|explain)\b[^@\d]{0,60}\b"
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|turkish|arabic|hindi|chinese|japanese|korean|"
    r"russian|language|short|brief|concise|detailed|simple|plain|bullet points?|lists?|tables?|emojis?|metric|imperial|"
    r"celsius|fahrenheit|formal|informal|polite|friendly|slowly|sentences?|paragraphs?|tone|jargon|jokes?)\b[^@\d]{0,30}$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+|[?!:;,.@\-*•>\"/()]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SPEAKER: Final = frozenset(
    {"i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "we", "us", "our", "we're", "myself"}
)
_SPOKEN_TO: Final = frozenset({"you", "your", "you're", "yours", "you've", "u", "ur", "you'll", "you'd"})
_OTHERS: Final = frozenset(
    {
        "he",
        "she",
        "they",
        "him",
        "her",
        "them",
        "his",
        "their",
        "someone",
        "somebody",
        "people",
        "everyone",
        "everybody",
    }
)
_BINS: Final = (1, 2, 3, 4, 6, 9, 14)


@dataclass(frozen=True, slots=True)
class Judged:
    """A stretch of a message, and the odds, in (0, 1), that somebody else says it (`passed_on`), or that it is the
    user's own instruction to the assistant, to be kept (`to_keep`)."""

    start: int
    end: int
    passed_on: float
    to_keep: float


def judged(text: str, own: str) -> list[Judged]:
    """The first MOST_SENTENCES sentences of a message's `text`, in order. `own`: at the length of `text`, with what is
    marked as somebody else's blanked. Some 0.2 ms a sentence."""
    passed_on, to_keep = _weights()
    return [
        Judged(sentence.start, sentence.end, _probability(passed_on, features), _probability(to_keep, features))
        for sentence, features in features_of(text, own)
    ]


def doubted(text: str, found: Sequence[Judged]) -> list[Span]:
    """The sentences of `text` that are not plainly the user's, in order, and what was not judged behind the last one.
    `found`: of the sentences that are not marked as somebody else's."""
    least = [OF_MANNER if _MANNER.match(text[one.start : one.end].strip()) else DOUBTED for one in found]
    doubts = [one.passed_on > limit and not _outweighed(one) for one, limit in zip(found, least, strict=True)]
    unclear = [one.passed_on > BESIDE and one.to_keep < SURE for one in found]
    joined = [text[one.end : other.start].count("\n") < 2 for one, other in pairwise(found)]
    for place in range(1, len(found)):
        near = doubts[place - 1] and joined[place - 1] and least[place] == DOUBTED
        doubts[place] |= near and unclear[place]
    for place in range(len(found) - 2, -1, -1):
        near = doubts[place + 1] and joined[place] and least[place] == DOUBTED
        doubts[place] |= near and unclear[place]
    spans = [Span(one.start, one.end) for one, doubt in zip(found, doubts, strict=True) if doubt]
    return [*spans, Span(found[-1].end, len(text))] if found else spans


def _outweighed(one: Judged) -> bool:
    """True where it is surer that a sentence is the user's instruction than that it is somebody else's."""
    return one.to_keep >= SURER and one.to_keep > one.passed_on


def own_judged(item: Interaction, own: str) -> list[Judged]:
    """The sentences of a person's message that are not marked as somebody else's; `own`: its own text."""
    return [one for one in judged(masked(item.content), own) if own[one.start : one.end].strip()]


def undoubted(item: Interaction, own: str) -> str:
    """`own`, a stretch of or all of the message's own text at its length, without the sentences that are doubted."""
    return blanked(own, doubted(own, own_judged(item, own)))


def regained(item: Interaction, own: str) -> str:
    """`own` at its length, with the sentences that were only taken for a text handed over, as they stand behind words
    that do that, and are surely the user's instructions."""
    text = masked(item.content)
    unmarked = blanked(text, marked(text))
    if unmarked == own:
        return own
    for one in judged(text, own):
        within = slice(one.start, one.end)
        if surely_meant(one) and not own[within].strip() and unmarked[within].strip():
            own = f"{own[: one.start]}{unmarked[within]}{own[one.end :]}"
    return own


def surely_meant(one: Judged) -> bool:
    """True where a sentence is the user's instruction to be kept, whatever it looks like."""
    return one.to_keep >= SURE and one.passed_on <= LEAST_DOUBT


def meant_to_last(one: Judged) -> bool:
    """True where an order of a sentence is for later as well."""
    return one.to_keep >= LASTING and one.passed_on <= LEAST_DOUBT


def at(found: Sequence[Judged], place: int) -> Judged:
    """The judgement of the sentence at `place`; what is in none is nobody's instruction."""
    index = bisect_right(found, place, key=lambda one: one.start) - 1
    if index >= 0 and place < found[index].end:
        return found[index]
    return Judged(place, place, passed_on=1.0, to_keep=0.0)


def features_of(text: str, own: str) -> Iterator[tuple[Sentence, set[str]]]:
    """Each sentence of `text` with its features. Of what is marked as somebody else's, an unmarked sentence beside it
    knows no more than that: the marks have told where it ends."""
    cleaned = clean(text)
    sentences = list(islice((one for one in split(cleaned) if _LETTER.search(one.text)), MOST_SENTENCES))
    tokens = [_tokens(sentence.text) for sentence in sentences]
    grams = [frozenset(_grams(one)) for one in tokens]
    shape = frozenset(_shape_of_all(cleaned, sentences, tokens))
    differs = _differs(text, own)
    blank = [not own[sentence.start : sentence.end].strip() for sentence in sentences]
    of_own = [frozenset[str]() if away else of_it for away, of_it in zip(blank, grams, strict=True)]
    for place, sentence in enumerate(sentences):
        seen = grams if blank[place] else of_own
        found = {f"s {gram}" for gram in grams[place]}
        found.update(_form(cleaned, sentence, tokens[place]))
        if differs is not None:
            found.update(_marked(differs, sentence))
        found.update(shape)
        for near in (*seen[max(0, place - AROUND) : place], *seen[place + 1 : place + 1 + AROUND]):
            found.update(f"r {gram}" for gram in near)
        for name, beside in (("p", place - 1), ("n", place + 1)):
            if not 0 <= beside < len(sentences):
                found.add(f"{name} nothing")
            elif blank[beside] and not blank[place]:
                found.add(f"{name} marked")
            else:
                found.update(f"{name} {gram}" for gram in seen[beside])
                found.update(_form_beside(name, sentences[beside]))
        found.add(f"at {'first' if place == 0 else 'last' if place == len(sentences) - 1 else 'midst'}")
        yield sentence, found


def _tokens(text: str) -> list[str]:
    return ["0" if word.isdigit() else word for word in _WORD.findall(text.lower())]


def _grams(tokens: Sequence[str]) -> Iterator[str]:
    yield from tokens
    for token in tokens:
        yield from CLASSES.get(token, ())
    for one, other in pairwise(["^", *tokens, "$"]):
        yield f"{one} {other}"


def _form(text: str, sentence: Sentence, tokens: Sequence[str]) -> Iterator[str]:
    words = set(tokens)
    for name, some in (("speaker", _SPEAKER), ("spoken to", _SPOKEN_TO), ("others", _OTHERS)):
        if words & some:
            yield f"has {name}"
    if not words & (_SPEAKER | _SPOKEN_TO):
        yield "has neither"
    yield f"long {_bin(len(tokens))}"
    yield f"asks {sentence.asks}"
    yield f"case {sentence.text[:1].isupper()} {sentence.text.isupper()}"
    yield f"ends {sentence.text[-1:] in '.!?'}"
    if any(token.isupper() and len(token) > 1 for token in sentence.text.split()):
        yield "shouts"
    if re.search(r"(?<=[a-z,] )[A-Z][a-z]", sentence.text):
        yield "names"
    before = text[: sentence.start].rstrip(" -*•\t")
    yield f"line begins {not before or before.endswith(chr(10))}"
    yield f"paragraph begins {not before or before.endswith(chr(10) * 2)}"


def _differs(text: str, own: str) -> tuple[int, int] | None:
    """Where the first and the last stretch are that are marked as somebody else's."""
    places = [place for place, (one, other) in enumerate(zip(text, own, strict=True)) if one != other]
    return (places[0], places[-1]) if places else None


def _marked(differs: tuple[int, int], sentence: Sentence) -> Iterator[str]:
    first, last = differs
    if first < sentence.start:
        yield "marked before"
    if last >= sentence.end:
        yield "marked behind"


def _form_beside(name: str, sentence: Sentence) -> Iterator[str]:
    yield f"{name} asks {sentence.asks}"
    yield f"{name} ends {sentence.text[-1:]}" if sentence.text[-1:] in ".!?:," else f"{name} ends"


def _shape_of_all(text: str, sentences: Sequence[Sentence], tokens: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"sentences {_bin(len(sentences))}"
    yield f"lines {_bin(text.strip().count(chr(10)) + 1)}"
    yield f"paragraphs {_bin(text.strip().count(chr(10) * 2) + 1)}"
    for name, some in (("speaker", _SPEAKER), ("spoken to", _SPOKEN_TO), ("others", _OTHERS)):
        share = sum(any(token in some for token in one) for one in tokens) / max(1, len(tokens))
        yield f"all {name} {round(share * 4)}"
    for name, sentence in (("first", sentences[:1]), ("last", sentences[-1:])):
        for one in sentence:
            yield f"{name} asks {one.asks}"
    if sentences:
        yield from (f"f {gram}" for gram in _grams(tokens[0]))
        yield from (f"l {gram}" for gram in _grams(tokens[-1]))


def _bin(count: int) -> int:
    return next((place for place, most in enumerate(_BINS) if count <= most), len(_BINS))


def _probability(weights: Mapping[str, float], features: Collection[str]) -> float:
    score = weights[""] + math.fsum(weights.get(feature, 0.0) for feature in features)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


@cache
def _weights() -> tuple[Mapping[str, float], Mapping[str, float]]:
    """The weights of `passed_on` and of `to_keep`, by feature; the bias is the empty feature's."""
    read = json.loads(files("ragpp_services.workers.learning").joinpath("authorship.json").read_text("utf-8"))
    passed_on, to_keep = ({feature: both[which] / SCALE for feature, both in read.items()} for which in (0, 1))
    return passed_on, to_keep
