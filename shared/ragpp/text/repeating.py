"""Sentences that only repeat what was said before, and the stretches of a message that do. Pure.

An assistant says again what it was told. That teaches nothing, as long as what it was told is there and also when it
was forgotten: so what a message repeats is noted with the message, as offsets, which hold no word of it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ragpp.models import Interaction, Memory, Repetition
from ragpp.text.english import FUNCTION_WORDS, word_set
from ragpp.text.lexical import terms, words
from ragpp.text.sentences import clean, split
from ragpp.text.spans import Span, blanked, merged

COVERED: Final = 0.8
"""The share of a sentence's content words that must have been said before. Not all of them: a reply says "lives" where
the user said "moved", and adds a word of its own."""
COVERED_BY_FORGOTTEN: Final = 0.5
"""The same where what it repeats is being forgotten: the rest of it may be from what stays."""
MEMORIES: Final = 3
"""So many earlier interactions may have said them between them: a reply joins what was said apart."""
LEAST_SHARED: Final = 2
"""An interaction counts that shares so many words, or all that are left: single common words prove nothing."""

_REPORTING: Final = word_set(
    """
    tell told say said says mention mentioned remember recall know knows according earlier previously sure yes you your
    as also so okay right noted understood got he she they his her their user learn learned learnt event
    """
)
"""Words by which a sentence says that it repeats something."""
_DATED: Final = re.compile(r"\(\d{4}(?:-\d\d){1,2}(?: to \d{4}(?:-\d\d){1,2})?\)")
"""The days or months by which a line of what was learned tells when that was; whoever said it first may have said
"last spring"."""


def told_stems(text: str) -> frozenset[int]:
    """The stems of `text` that would have to have been said before for it to be a repetition: all but function words,
    the words that announce a repetition and the dates of a line of what was learned."""
    spoken = words(_DATED.sub(" ", text))
    return frozenset(terms(" ".join(word for word in spoken if word not in FUNCTION_WORDS and word not in _REPORTING)))


def repeated(sentence: str, earlier: Sequence[Memory]) -> list[str]:
    """The ids of those of `earlier` that said what `sentence` says, MEMORIES at most: COVERED of its content words
    occur in them. Empty for one that says something of its own, and for one without content words, which repeats
    nothing and teaches nothing."""
    return _cover(
        told_stems(sentence),
        [(memory.id, told_stems(f"{memory.said_by or ''} {memory.text}")) for memory in earlier],
        COVERED,
    )


def repetitions(replies: Sequence[Interaction], gone: Sequence[Interaction]) -> list[Repetition]:
    """The sentences of `replies` that repeat those of `gone` that were said before them: COVERED_BY_FORGOTTEN of their
    content words occur there. Linear in the length of both."""
    said = [(one, told_stems(f"{one.said_by} {one.content}")) for one in gone]
    by_stem: dict[int, list[int]] = defaultdict(list)
    for place, (_, stems) in enumerate(said):
        for stem in stems:
            by_stem[stem].append(place)
    found = []
    for reply in replies:

        def sharing(stems: frozenset[int], reply: Interaction = reply) -> Counter[int]:
            """How many of `stems` each place of `said` has that was said before the reply."""
            places = (place for stem in stems for place in by_stem.get(stem, ()))
            return Counter(place for place in places if said[place][0].occurred_at <= reply.occurred_at)

        whole = told_stems(reply.content)
        if max(sharing(whole).values(), default=0) < min(LEAST_SHARED, len(whole)):
            continue  # told at a fifth of the price of looking at its sentences
        for span in sentences_of(reply.content):
            wanted = told_stems(reply.content[span.start : span.end])
            best = sharing(wanted).most_common(2 * MEMORIES)
            near = [(said[place][0].id, said[place][1]) for place, _ in best if said[place][0].id != reply.id]
            of = _cover(wanted, near, COVERED_BY_FORGOTTEN)
            if of:
                found.append(Repetition(id=reply.id, start=span.start, end=span.end, of=tuple(of)))
    return found


def sentences_of(text: str) -> Iterator[Span]:
    """The sentences of `text` as stretches of it, in order."""
    for sentence in split(clean(text)):
        yield Span(sentence.start, sentence.end)


def without(items: Sequence[Interaction], repeating: Mapping[str, Sequence[Span]]) -> list[Interaction]:
    """`items` with those stretches of each, by its id, blanked."""
    return [
        item.model_copy(update={"content": blanked(item.content, merged(repeating[item.id]))})
        if item.id in repeating
        else item
        for item in items
    ]


def _cover(wanted: frozenset[int], said: Sequence[tuple[str, frozenset[int]]], share: float) -> list[str]:
    """The ids of those of `said` that have `share` of `wanted` between them; none where they have less."""
    left = set(wanted)
    of: list[str] = []
    while left and len(of) < MEMORIES:
        identifier, best = max(
            ((identifier, stems & left) for identifier, stems in said), key=lambda one: len(one[1]), default=("", set())
        )
        if len(best) < min(LEAST_SHARED, len(left)):
            break
        left -= best
        of.append(identifier)
    return of if len(wanted) - len(left) >= share * len(wanted) else []
