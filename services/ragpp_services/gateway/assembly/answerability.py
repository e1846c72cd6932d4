"""How far anything that was found bears on the question, for an assistant to know that it does not know. Pure.

A memory's evidence is how alike it is to the question, by the embedder on its scale (`ragpp.retrieval.Calibration`) or
by the second encoder, and what share of the question's information its words tell:

    meaning + WORDS · coverage

The best one's says whether anything is about the question. It does not say that the answer is among them: what is asked
of one person and was said of another looks the same.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ragpp.api import Relevance
from ragpp.models import Memory, TierName
from ragpp.names import SPEAKER, is_same
from ragpp.placeholders import masks_in
from ragpp.ranking.relevance import raw_of
from ragpp.redaction import is_redacted
from ragpp.retrieval.calibration import MINILM, Calibration
from ragpp.text.lexical import content_words, stored_terms
from ragpp.text.persons import in_the_first_person, in_the_singular
from ragpp_services.gateway.assembly.memory_key import MemoryKey, memory_key
from ragpp_services.gateway.assembly.relevance import asks_for_all

WORDS: Final = 1.1
"""The weight of full coverage beside a meaning of 1."""
SOME: Final = 0.35
CLEAR: Final = 0.95
"""From which evidence on something, and something clearly, is about the question. Chosen, as WORDS, on the first half
of the development conversations; `benchmarks/eval_relevance.py` prints what they hold on these and on the others. SOME
is of vectors without the names of speakers, by the first encoder alone: at 0.36, 71 % of LoCoMo's foreign questions are
`none`, and 4 % of its answered ones; 44 and 6 % of made-up lives'. At 0.42 they are 83 and 7, 56 and 10, at 0.33 67 and
4, 33 and 3."""
OF_ONESELF: Final = 0.12
"""SOME is so much lower where somebody asks about himself: what answers is said in other words ("What food should I
avoid?", "I'm allergic to peanuts"). Chosen on PrefEval, the hints and BEAM, whose answered questions of this kind were
`none` in 13, 66 and 6 % of cases without it, in 1, 14 and 2 % with it; of LoCoMo's and BEAM's foreign ones 92 and 57
%, with it 74 and 41."""
SECOND_LESS: Final = 0.25
"""A similarity by the second encoder, whose questions are put where answers are, counts so much less than one by the
first. By the ranking alone 5.2, 4.3 and 0 % of what the labelled chats (its encoder learned of others), the open lives
and LoCoMo's conversations answer is `none`, and 38, 38 and 49 % of questions to other conversations of theirs; without
it 5.9, 5.5 and 3.9, and 39, 42 and 66; with .04 .5, .6 and 0, and 13, 12 and 15. What nobody told of things that were
talked about (2 to 11 % `none`) is in no likeness: no mean of both, nor the score itself, tells more of it."""
HALF: Final = 0.5
"""The part of WORDS for what may be known of who asks: something, and not clearly."""
BESIDE_SAID: Final = 0.45
"""From which evidence on what was learned stands beside what was said, which tells it as well. Two things about one
person are alike by the name alone: with SOME each of LoCoMo's contexts of 500 tokens had 4.4 lines of what was learned,
of which 8 % rest on an answer. With 0.45 by the ranking alone 3.1, 11 % and .1 points fewer answers, with 0.6 1.5, 18 %
and .4."""
FIRST: Final = 3
"""So many of a ranking are looked at: what answers is among them, or beside the point by the ranking's own signals."""
SEVERAL: Final = 2
"""Words of the question that what was learned has at least to be shown for them, where it has not all: one alone, a
name, is in much that is not asked for."""
TRIGGERED: Final = 0.8
"""The least score of a rule of which a trigger matches."""
FACTS: Final = 10
"""The same of what is known of somebody, whose order says less of the question."""
_CLAUSE_END: Final = re.compile(r"[.!?…]+(?=\s)|[,;\n]|\s(?:and|but|btw|while|whereas|though|also)\s", re.IGNORECASE)
_RANKED: Final[tuple[TierName, ...]] = ("episodic", "catalog")
"""The tiers that are searched by words and meaning, on one scale: without one of them nothing can be told."""


def relevance_of(
    query: str,
    answers: Mapping[TierName, Sequence[Memory]],
    scale: Calibration | None,
    *,
    whole: bool,
    asker: str | None = None,
) -> Relevance | None:
    """The level of what was found; None where there seems to be nothing, and that cannot be told.

    `answers`: of the tiers that answered, best first. `scale`: of the embedder's cosines; None of one that nobody
    measured, of which words alone count, as they do of a question in other than Latin letters. `whole`: every tier that
    was asked answered, by meaning too. What is missing can only add: what is there is about the question at least as
    far as it seems. `asker`: the name of who asks.
    """
    if _in_other_letters(query):
        scale = None
    wanted = content_words(query)
    ranked = [one for name in _RANKED for one in answers.get(name, ())[:FIRST] if not _withheld(one, wanted, query)]
    facts = [
        one
        for name in ("semantic", "procedural")
        for one in _facts(answers.get(name, ()))
        if not _withheld(one, wanted, query)
    ]
    known = _known_evidence(query, wanted, facts, scale, asker)
    evidence = max((*_ranked_evidence(ranked, scale), *known), default=0.0)
    if evidence >= CLEAR:
        return "clear"
    if evidence >= _from(SOME, query) or ((ranked or facts) and asks_for_all(query)):
        return "some"
    can_be_told = whole and any(name in answers for name in _RANKED) and (scale is not None or not ranked)
    return "none" if can_be_told else None


def about_question(
    query: str,
    learned: Sequence[Memory],
    scale: Calibration | None,
    *,
    asker: str | None = None,
    beside_what_was_said: bool = True,
) -> set[MemoryKey]:
    """Those of `learned` that are about the question by themselves, as far as their likeness and words say, or a
    trigger of theirs; that somebody exists is about none. `scale` and `asker` as in `relevance_of`. Where nothing
    stands beside them, as much as makes the level `some` is enough, and BESIDE_SAID else."""
    if _in_other_letters(query):
        scale = None
    wanted = content_words(query)
    facts = [memory for memory in learned if memory.kind != "entity" and not _withheld(memory, wanted, query)]
    told = _known_evidence(query, wanted, facts, scale, asker, in_part=True)
    least = BESIDE_SAID if beside_what_was_said else _from(SOME, query)
    return {
        memory_key(memory)
        for memory, found in zip(facts, told, strict=True)
        if found >= least or (memory.kind == "rule" and memory.score >= TRIGGERED)
    }


def _in_other_letters(query: str) -> bool:
    """True where most letters of `query` are not Latin: nobody measured what a cosine is worth there."""
    if query.isascii():
        return False
    letters = [letter for letter in query if letter.isalpha()]
    return 2 * sum("LATIN" not in unicodedata.name(letter, "") for letter in letters) > len(letters)


def _from(least: float, query: str) -> float:
    """`least`, less where somebody asks about himself."""
    return least - OF_ONESELF * in_the_first_person(query)


def _ranked_evidence(memories: Iterable[Memory], scale: Calibration | None) -> Iterable[float]:
    """That of what ranking scored, as alike as either encoder has it; what ranking set back, as the same question asked
    before, is as alike as that left it."""
    for memory in memories:
        likeness = _meaning(memory.similarity, scale)
        if memory.second_similarity is not None:
            likeness = max(likeness, MINILM.of(memory.second_similarity - SECOND_LESS))
        yield min(likeness, _meaning(raw_of(memory.score), scale)) + WORDS * (memory.coverage or 0.0)


def _known_evidence(
    query: str,
    wanted: Sequence[frozenset[int]],
    facts: Sequence[Memory],
    scale: Calibration | None,
    asker: str | None,
    *,
    in_part: bool = False,
) -> Iterable[float]:
    """The evidence of each learned fact: its likeness, and its `_exactness` of WORDS, all where it has every word."""
    of_oneself = in_the_first_person(query)
    asker = asker if in_the_singular(query) else None
    for fact in facts:
        yield _meaning(fact.similarity, scale) + WORDS * _exactness(
            fact, wanted, asker, of_oneself=of_oneself, in_part=in_part
        )


def _withheld(memory: Memory, wanted: Sequence[frozenset[int]], query: str) -> bool:
    """True where the question is after what was redacted in `memory`: its words are in the clause of that, and no more
    of them in the clauses around it, or there is no other. Such a memory answers nothing, unless the question has one
    of its masks itself: it is of whom that belongs to."""
    if not is_redacted(memory.text) or not masks_in(query).isdisjoint(masks_in(memory.text)):
        return False
    clauses = [clause for clause in _CLAUSE_END.split(memory.text) if clause.strip()]
    held, told = (
        frozenset(stored_terms(" ".join(clause for clause in clauses if is_redacted(clause) is redacted)))
        for redacted in (True, False)
    )
    within, beside = (sum(not terms.isdisjoint(word) for word in wanted) for terms in (held, told))
    return all(map(is_redacted, clauses)) or 0 < within >= beside


def _meaning(similarity: float | None, scale: Calibration | None) -> float:
    return 0.0 if scale is None else scale.of(similarity)


def _facts(memories: Sequence[Memory]) -> list[Memory]:
    """The first FACTS memories but entities and rules: that somebody exists, or how to behave, says nothing here."""
    return [memory for memory in memories if memory.kind not in {"entity", "rule"}][:FACTS]


def _exactness(
    fact: Memory, wanted: Sequence[frozenset[int]], asker: str | None, *, of_oneself: bool, in_part: bool
) -> float:
    """1 where `fact`, or the sentence that a relationship was read from, has all words `wanted`, each in one of its
    forms, 0 where not; with `in_part` their share, where it has two or more. One between others than the `asker` has
    the name of one of them among these; where somebody without a name asks `of_oneself`, who may be one of them or not,
    it is HALF of that."""
    told = frozenset(stored_terms(f"{fact.text.replace('_', ' ')} {fact.metadata.get('context') or ''}"))
    held = len([word for word in wanted if not told.isdisjoint(word)])
    if not held or (held < len(wanted) and (not in_part or held < SEVERAL)):
        return 0.0
    share = held / len(wanted)
    ends = [str(fact.metadata[end]) for end in ("source", "target") if end in fact.metadata]
    if not ends or ends[0] == SPEAKER or (asker is not None and is_same(ends[0], asker)):
        return share
    names = {term for end in ends for term in stored_terms(end)}
    if any(not word.isdisjoint(names) for word in wanted):
        return share
    return HALF * share if of_oneself and asker is None else 0.0
