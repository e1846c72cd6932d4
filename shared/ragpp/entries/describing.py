"""An item in short: the summary, the abstract, the words and the kind by which an agent chooses it. Without a model."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ragpp.context.quoting import quoted
from ragpp.entries.values import MOST_ABSTRACT, MOST_SUMMARY, Description, Form
from ragpp.text.english import STOP_WORDS
from ragpp.text.lexical import words
from ragpp.text.port import TokenMeter
from ragpp.text.sentences import clean, split

MOST_KEYWORDS: Final = 8
MOST_POINTS: Final = 5
MOST_TOPICS: Final = 4
MOST_PHRASE: Final = 4
"""Words of a topic."""
_ELLIPSIS: Final = "…"
_CLAUSE: Final = re.compile(r"(?<=[,;:–—])\s|\s(?=[–—(])")
_SHORTEST: Final = 0.75
"""Share of the room that a text cut at a clause fills at least; where no clause ends so late it is cut at a word."""
_SHORT_WORD: Final = 3
_PIECES: Final = re.compile(r"[,;:.!?()\[\]\"“”–—/|]+")


def describe(text: str, most_summary: int = MOST_SUMMARY) -> Description:
    """The description of a statement of any length; a short one stands for itself. `most_summary`: characters of the
    summary, at most MOST_SUMMARY."""
    sentences = [text[one.start : one.end] for one in split(clean(text))]  # with what is quoted, which clean blanks
    told = " ".join(text.split())
    keywords = keywords_of(text)
    points = key_points(sentences, keywords)
    lead = told if len(told) <= MOST_ABSTRACT or not points else " ".join(points)
    summary, abstract = shortened(points[0] if points else told, most_summary), shortened(lead, MOST_ABSTRACT)
    return Description(
        summary=summary,
        abstract=abstract,
        keywords=keywords,
        topics=topics_of(sentences),
        key_points=points,
    )


def forms_of(content: str, summary: str, abstract: str) -> dict[Form, str]:
    """The forms in which a content can be shown: all of it, and what is shorter than the form before."""
    forms = {Form.FULL: content}
    if len(abstract) < len(" ".join(content.split())):
        forms[Form.ABSTRACT] = abstract
    if len(summary) < len(abstract):
        forms[Form.SUMMARY] = summary
    return forms


def sizes(forms: Mapping[Form, str], counter: TokenMeter) -> dict[Form, int]:
    """Tokens of each form as it stands in a line, without what stands before it there."""
    return {form: counter.count(f" {quoted(text)}\n") for form, text in forms.items()}


def shortened(text: str, most: int) -> str:
    """`text` in one line of at most `most` characters: cut behind a clause where one ends late enough, else behind a
    word, never in one unless it alone is longer; an ellipsis says that there is more."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    room = most - len(_ELLIPSIS)
    ends = [found.start() for found in _CLAUSE.finditer(line[: room + 1]) if found.start() >= _SHORTEST * room]
    end = ends[-1] if ends else line.rfind(" ", 0, room + 1)
    kept = line[: end if end > 0 else room].rstrip(" ,;:–—(")
    return f"{kept}{_ELLIPSIS}"


def keywords_of(text: str, most: int | None = MOST_KEYWORDS) -> tuple[str, ...]:
    """The words of a text that tell most, at most `most`: by how often they are there, and among those by how
    long they are, since what is long is rare. None of those that any text has."""
    counted = Counter(
        word for word in words(text) if word not in STOP_WORDS and (len(word) >= _SHORT_WORD or word.isdigit())
    )
    ranked = sorted(counted, key=lambda word: (-counted[word], -min(len(word), 12), word))
    return tuple(ranked[:most])


def key_points(sentences: Sequence[str], keywords: Sequence[str]) -> tuple[str, ...]:
    """The sentences that hold most of the keywords for their length, at most MOST_POINTS, in their order."""
    wanted = set(keywords)

    def told(place: int) -> float:
        spoken = words(sentences[place])
        return len(wanted & set(spoken)) / (10 + len(spoken))

    best = sorted(range(len(sentences)), key=lambda place: (-told(place), place))[:MOST_POINTS]
    return tuple(sentences[place] for place in sorted(best))


def topics_of(sentences: Sequence[str]) -> tuple[str, ...]:
    """The topics of a text, at most MOST_TOPICS, most telling first: runs of two to MOST_PHRASE words with none between
    them that says nothing, in lower case. A phrase counts what its words do: how often each stands in long runs for how
    often it stands at all (RAKE; Rose et al., Automatic keyword extraction from individual documents, 2010)."""
    runs: list[tuple[str, ...]] = []
    for sentence in sentences:
        run: list[str] = []
        for piece in _PIECES.split(sentence):
            for word in words(piece):
                if word in STOP_WORDS or word.isdigit():
                    runs.append(tuple(run))
                    run = []
                else:
                    run.append(word)
            runs.append(tuple(run))
            run = []
    phrases = [run for run in runs if 2 <= len(run) <= MOST_PHRASE]
    often = Counter(word for run in runs for word in run)
    degree = Counter[str]()
    for one in runs:
        for word in one:
            degree[word] += len(one)
    counted = Counter(phrases)

    def told(phrase: tuple[str, ...]) -> float:
        return counted[phrase] * sum(degree[word] / often[word] for word in phrase)

    best = sorted(counted, key=lambda phrase: (-told(phrase), phrases.index(phrase)))[:MOST_TOPICS]
    return tuple(" ".join(phrase) for phrase in best)
