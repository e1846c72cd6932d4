"""The part of a sentence that is asserted and can be checked, and how surely: a fact, or nothing.

A statement counts where its clause has a finite verb, says something that can be looked up (a number, a date, a name,
an address) or something definite of a named or definite thing, and is neither asked, supposed, ordered, wished for,
merely judged nor said about the talk itself. Confidence: 0.85 with something to look up, 0.6 with a property alone.
The scale is this project's own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from ragpp.extraction.engine import PatternRule, Plain, apply_rules
from ragpp.extraction.facts import doubts, evidence
from ragpp.extraction.facts.verbs import Clause, starts_with_an_order
from ragpp.extraction.gate import Claim, Gate
from ragpp.text.english import word_set
from ragpp.text.sentences import Sentence, between

LOOKED_UP: Final = 0.85
PROPERTY: Final = 0.6

OPENING: Final = re.compile(
    r"(?:(?:yes|yeah|yep|yup|no|nope|ok|okay|sure|right|exactly|correct|absolutely|definitely|certainly|of course|well|"
    r"so(?! far)|and|but|also|plus|oh|ah|hi|hey|hello|thanks|thank you|great|good|perfect|awesome|actually|basically|"
    r"anyway|honestly|currently|in fact|by the way|btw|fyi|for the record|just so you know|"
    r"(?:good|great) (?:question|point|news)|no problem|sounds good|got it|understood|"
    r"however|moreover|furthermore|additionally|"
    r"yes please|in addition|therefore|note that|please note(?: that)?|remember that|keep in mind that|"
    r"unfortunately|fortunately|luckily|sadly|as of now|for example|for instance|overall|in short|"
    r"in summary|quick (?:update|note|reminder)|"
    r"update|note|reminder|edit|also|correction|no need|ps|p\.s|"
    r"(?:good )?(?:morning|afternoon|evening)(?: all| everyone| everybody| team| folks| both)?(?=[,.!]))\b"
    r"(?:,?\s(?-i:[A-Z][a-z]+)(?=[,.!:;]))?"
    r"[,.!:;]*\s(?:[-–—]\s)?)+",
    re.IGNORECASE,
)
"""The words that a statement may open with and that are no part of it."""
_NO_COMMA: Final = word_set("great good perfect no right sure update note correction edit reminder currently")
_CONDITION: Final = re.compile(
    r"(?:if|when|whenever|once|unless|should|in case|as long as|provided)\b[^,]{3,160},\s(?:then\s)?", re.IGNORECASE
)
_TALKING: Final = re.compile(
    r"^(?:i|we)(?:'ll|'d| will| can| could| would| want(?:ed)?| need| have| had|'m| am|'re| are|'ve)?\s?(?:\w+ly\s|"
    r"just\s|also\s|like\s|love\s|going\s|be\s|happy\s|glad\s|to\s)*(?:ask|asking|tell|mention(?:ed)?|talk(?:ed|ing)?|"
    r"discuss(?:ed)?|say|said|explain(?:ed)?|clarify|walk you|show you|let you|help you|see|hear|heard|look|get back|"
    r"follow(?:ing)? up|check(?:ing)? in|check(?:ing)?|reach(?:ing)? out|touch base|forward|note|noted|write|writing|"
    r"calling|"
    r"hear from|speak|share|sharing|summari[sz]e|describe|cover|covered|go (?:over|through)|start with|come back|"
    r"keep you|update you|remember|forget|know|see|appreciate|thank|apologi[sz]e)\b|"
    r"^(?:i|we)(?:'ve)?\s(?:just\s|also\s|still\s)?(?:have|had|got)\s(?:an?\s|one\s|some\s|another\s|two\s|a few\s)?"
    r"(?:\w+\s)?(?:questions?|requests?|favou?rs?|suggestions?|ideas?|concerns?|thoughts?|problems?)\b|"
    r"^(?:this|the following|that|these|below|here)(?:'s)?\s(?:document|guide|page|section|chapter|article|"
    r"paragraph|list|table|example|overview|note|memo|handbook|is (?:an|a|the) (?:overview|summary|list))\b|"
    r"\b(?:talk|speak|see|catch) (?:to )?(?:you|ya|up) (?:soon|later|then|tomorrow|on|at|next)\b|"
    r"^(?:that|this|it)(?:'s| is| was|'ll| will| would| sounds?| makes?| works?)\b(?![^.,]*[A-Z\d@])[^.,]{0,24}[.!]*$",
    re.IGNORECASE,
)
_SPEAKS_OF_HABITS: Final = re.compile(
    r"(?:i|we)\s(?:\w+ly\s|always\s|also\s|often\s)?(?:write|wrote|see|saw|look|check|checked|share|shared|cover|covered|"
    r"show|speak|spoke|know|start|describe|forward|hear|talked|discussed|asked)\b",
    re.IGNORECASE,
)
"""Talk where nothing can be looked up, else a habit: "We see 40 patients a day"."""
_DENIES: Final = re.compile(
    r"\w+(?:n't|\snot|\sno longer|\snever)\b(?!\s(?:very|so|too|really|bad|good|great)\b)", re.IGNORECASE
)
_DEGREE: Final = re.compile(
    r"\b(?:very|so|too|really|quite|extremely|incredibly|pretty|rather|fairly|super|a (?:bit|little)|absolutely|"
    r"such an?|much|way (?:more|too|better)|(?:more|less) (?!than|\w+s\b)\w+|the (?:best|worst|most|least))\b",
    re.IGNORECASE,
)
_TASTE: Final = re.compile(
    r"\b(?:love[sd]?|like[sd]?|hate[sd]?|enjoy(?:ed|s)?|appreciate[sd]?|recommend|adore[sd]?|struggled?|wish(?:ed)?|"
    r"disappoint\w*|frustrat\w*|annoy\w*|impress\w*|confus\w*|happy|pleased|satisfied|deserves?|kudos)\b",
    re.IGNORECASE,
)
_POINTING: Final = re.compile(r"(?:this|that|these|those|which|who|one|ones|nothing|everything)\b", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"(?:it|they|he|she)\b", re.IGNORECASE)
_DEFINITE: Final = re.compile(
    r"\b(?:the|our|my|their|his|her|its|your|all|every|each|both|no|any|this|these|that|those)\s", re.IGNORECASE
)
_OWN: Final = re.compile(r"(?:i|we)$|.*\b(?:and|or) (?:i|me)$", re.IGNORECASE)
_THERE: Final = re.compile(r"(?:there|here)\b", re.IGNORECASE)
_FUTURE: Final = re.compile(r"'ll\b|\bwill\b|\b(?:'m|am|are|'re) (?:going|planning|hoping|trying) to\b", re.IGNORECASE)
_SHORTEST: Final = 3
_COURTEOUS: Final = re.compile(
    r"(?:(?:hello|hi) and\s|many |kind |best |warm |with )*(?:thanks\s(?:for|to|a|so|in|again)|thank you|thanks[,.!]?$|"
    r"regards|greetings|cheers|wishes|welcome|dear|sorry|sincerely|yours|congratulations|happy (?:to|birthday)|"
    r"good (?:luck|morning|evening))\b",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r"[,;.]\s(?:and\s|but\s)?|\s[-–—]\s")
_LONGEST_SUBJECT: Final = 5
_PLAIN_ANSWER: Final = re.compile(
    r"(?:(?:yes|yeah|yep|yup|no|nope|correct|right|exactly|indeed)\b[,.!]?\s?)+(?:(?:it|they|we|i|he|she|that|there|you)\s?"
    r"(?:'s|'re|'m|is|are|am|do|does|did|have|has|had|was|were|don't|doesn't|didn't|isn't|aren't|wasn't|haven't|hasn't)"
    r"(?:\s(?:not|right|correct|included|so))?)?[.!]*",
    re.IGNORECASE,
)
_ASKS_WHETHER: Final = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had)\s(?!you\s(?:mean|mind|want|need|have\sa\s))", re.IGNORECASE
)
_PREFERS: Final = re.compile(
    r"\b(?:loves?|likes?|hates?|prefers?|enjoys?|adores?|dislikes?|can't stand)\s"
    r"(?!it\b|this\b|that\b|them\b|these\b|those\b|the\b|your\b|how\b|what\b|to\b|you\b)[a-z]{3,}",
    re.IGNORECASE,
)


def _yes(_match: re.Match[str], _hearing: Plain) -> Iterator[bool]:
    yield True


_STATED: Final = PatternRule(re.compile(r"\S"), Claim.OTHERS, _yes, once=True)
"""The rule whose match passes the gate where a clause has its verb."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fact is between `skip` and `end` in the sentence. `confidence`: 0 to 1; None where it states nothing."""

    confidence: float | None
    skip: int = 0
    end: int | None = None


NOTHING: Final = Verdict(None)


def opening(text: str) -> int:
    """How long what opens `text` is before the statement begins."""
    match = OPENING.match(text)
    if match is None:
        return 0
    words = re.split(r"\W+", match.group().lower().rstrip(" ,.!:;-–—"))
    punctuated = re.search(r"[,.!:;]", match.group()) is not None
    if not punctuated and words[-1] in _NO_COMMA:
        return 0  # "Great support comes with it", "No refunds are given"
    return match.end()


def judge(sentence: Sentence, *, aloud: bool, found: float | None = None) -> Verdict:
    """The verdict on a sentence of running text: a fact, or NOTHING.

    `aloud`: somebody says it to somebody, who may suppose and promise; a document lays down. `found`: the confidence of
    a decision, plan, insight or error that was found in it.
    """
    skip = opening(sentence.text)
    text = sentence.text[skip:]
    if len(text.split()) < _SHORTEST:
        return NOTHING
    end = doubts.where_it_turns(text)
    text = text[:end]
    condition = _CONDITION.match(text)
    main = text[condition.end() :] if condition else text
    clause = Clause(main)
    if clause.verb is None or starts_with_an_order(main):
        return Verdict(found, skip) if found is not None and evidence.is_strong(main) else NOTHING
    if is_courtesy(sentence.text) or _asserts_nothing(
        sentence, skip + len(text) - len(main), clause, aloud=aloud, on_condition=condition is not None
    ):
        return NOTHING
    confidence = _worth(clause, aloud=aloud, found=found)
    return Verdict(confidence, skip, skip + len(text)) if confidence is not None else NOTHING


_WH: Final = re.compile(
    r"(?:and |so )?(?:what|which|who|whose|when|where|how|the|your|its|for|from|until)\b", re.IGNORECASE
)
_LONGEST_ANSWER: Final = 12


def is_an_answer(sentence: Sentence, text: str, asked: str) -> bool:
    """True where a sentence without a verb answers the question `asked` by something to look up: "$299 a month"."""
    answer = text[opening(text) :]
    if _WH.match(asked) is None and not (evidence.numbers(answer) or evidence.names(answer, from_the_start=True)):
        return False
    if len(answer.split()) > _LONGEST_ANSWER or doubts.SUPPOSED.search(answer):
        return False
    given = any(_passed(sentence, text, 0))
    return given and Clause(answer).verb is None and evidence.is_strong(answer)


def is_a_plain_answer(text: str, asked: str) -> bool:
    """True where `text` only affirms or denies what `asked` asks, which is no request and says of what it is."""
    return (
        _PLAIN_ANSWER.fullmatch(text) is not None
        and _ASKS_WHETHER.match(asked[opening(asked) :]) is not None
        and doubts.HEDGED.search(asked) is None
        and (evidence.is_strong(asked) or len(evidence.content(asked)) > 1)
    )


def answer_before_a_clause(sentence: Sentence, text: str, asked: str) -> tuple[int, int]:
    """Where in a sentence an answer without a verb ends, and where the clause behind it begins: "40, and she hates
    surprises". (0, 0) where it is not so."""
    parts = list(between(_GOES_ON, text))
    for (_, end), (begin, _) in pairwise(parts):
        head, clause = text[:end], Clause(text[begin:])
        if Clause(head).verb is not None:
            break
        if clause.subject and len(clause.subject.split()) <= _LONGEST_SUBJECT:
            return (end, begin) if is_an_answer(replace(sentence, text=sentence.text[:end]), head, asked) else (0, 0)
    return 0, 0


def judge_note(sentence: Sentence, text: str, *, gathered: bool) -> float | None:
    """The confidence that words without a verb state a fact, as notes do: "Wifi only on the ground floor"; else None.
    `gathered`: they are feedback, which is full of them; elsewhere they have a number, date, name or identifier."""
    body = text[opening(text) :]
    if Clause(body).verb is not None or starts_with_an_order(body) or is_courtesy(text):
        return None
    if doubts.SUPPOSED.search(body) or doubts.HEDGED.search(body) or _TASTE.search(body) or _DEGREE.search(body):
        return None
    if not any(_passed(sentence, text, 0)):
        return None
    words = len(evidence.content(body))
    if evidence.numbers(body) or evidence.dates(body):
        return LOOKED_UP if words > 1 else None
    named = evidence.names(body) or evidence.identifiers(body)
    return PROPERTY if (words > 1 and named) or (gathered and words > 2) else None


def is_courtesy(text: str) -> bool:
    """True where `text` greets, thanks or closes."""
    return _COURTEOUS.match(text) is not None or _COURTEOUS.match(text[opening(text) :]) is not None


def judge_fragment(text: str) -> float | None:
    """The confidence that words without a verb say something of what they stand under: "API: 500 calls"; else None."""
    if not text.strip() or starts_with_an_order(text) or _COURTEOUS.match(text):
        return None
    if evidence.is_strong(text):
        return LOOKED_UP
    return PROPERTY if evidence.content(text) else None


def _passed(sentence: Sentence, text: str, at: int) -> Iterator[bool]:
    return apply_rules((_STATED,), Plain(Gate(sentence), text), start=at)


def _asserts_nothing(sentence: Sentence, offset: int, clause: Clause, *, aloud: bool, on_condition: bool) -> bool:
    text = clause.text
    if doubts.SUPPOSED.search(text) or doubts.HEDGED.search(text):
        return True
    if _TALKING.search(text) and not (_SPEAKS_OF_HABITS.match(text) and evidence.is_strong(clause.predicate)):
        return True
    if on_condition and aloud and _FUTURE.search(text):
        return True
    main = replace(sentence, text=text, start=sentence.start + offset)
    return not any(_passed(main, text, clause.verb.start if clause.verb else 0))


def _worth(clause: Clause, *, aloud: bool, found: float | None) -> float | None:
    subject, predicate = clause.subject, clause.predicate
    words = evidence.content(f"{subject} {clause.verb_word} {predicate}")
    own = _OWN.match(subject) is not None
    strong = evidence.is_strong(predicate) or evidence.numbers(subject)
    if strong and words:
        return max(LOOKED_UP, found or 0.0)
    if found is not None and len(words) > 1:
        return found
    if own and _FUTURE.search(clause.text[: len(subject) + 30]):
        return None
    return PROPERTY if _has_a_property(clause, words, own=own, aloud=aloud) else None


def _has_a_property(clause: Clause, words: list[str], *, own: bool, aloud: bool) -> bool:
    """True where something definite is said of something definite."""
    subject, said = clause.subject, evidence.content(f"{clause.verb_word} {clause.predicate}")
    if aloud and _PREFERS.search(clause.text) and (own or evidence.names(subject, from_the_start=True)):
        return bool(evidence.content(clause.predicate))
    if _TASTE.search(clause.text) or (_DEGREE.search(clause.predicate) and len(said) < 3):
        return False
    denied = _DENIES.match(clause.text[clause.verb.start :]) is not None if clause.verb else False
    if not (said or denied) or len(words) < (1 if denied else 2 - own) or _POINTING.fullmatch(subject):
        return False
    return (
        own
        or _DEFINITE.search(subject) is not None
        or _PRONOUN.fullmatch(subject) is not None
        or evidence.names(subject, from_the_start=True)
        or evidence.identifiers(subject)
        or (_THERE.match(subject) is not None and len(said) > 1)
        or (subject.endswith("s") and len(said) > 1)
        or len(words) > (3 if aloud else 2)
    )
