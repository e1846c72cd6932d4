"""A user's instructions to an assistant, read from the user's own words. Pure.

An instruction stands for later when its sentence says so (always, from now on, whenever …), or one beside it ("Please
stick to that."), or the line above a list of them; otherwise it is for the moment, and may have to be said again.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from ragpp.learned import LEARNED_RULE
from ragpp.models import Interaction
from ragpp.text.sentences import Sentence, clean, split
from ragpp.text.spans import Span
from ragpp_services.workers.authorship.own_words import own_text
from ragpp_services.workers.learning.authorship import (
    BESIDE,
    Judged,
    at,
    doubted,
    meant_to_last,
    own_judged,
    regained,
    surely_meant,
)
from ragpp_services.workers.learning.doings import assisted_sessions
from ragpp_services.workers.learning.imperatives import Imperative, Standing, as_said, read_sentence
from ragpp_services.workers.learning.texts import content_stems, stem

LONGEST: Final = 300
"""Characters of a sentence that may be an instruction."""
_FLAGS: Final = re.IGNORECASE
_BINDS: Final = re.compile(
    r"^(?:(?:and |so |but )?(?:please )?(?:stick to|remember|keep to|don't forget|do not forget|note|"
    r"observe|respect|save|"
    r"hold on to)(?: about)? (?:that|this|it)\b|(?:that|this|it)(?:'s| is| goes| holds| applies| counts|"
    r"'ll be) (?:for )?(?:always|a rule|my rule|"
    r"the rule|every|all|any|from now|how it|standing|permanent|your default|the default)|always(?:, please)?$|"
    r"not just (?:today|now|this time))",
    _FLAGS,
)
_SAID_BEFORE: Final = re.compile(
    r"^i(?:'ve| have)? (?:already )?(?:said|told|asked|mentioned)\b[^.]{0,60}\b(?:before|already|again|"
    r"as well|too|last|"
    r"yesterday|twice|times|\w+day)\b",
    _FLAGS,
)
_HEADS_LIST: Final = re.compile(
    r"\b(?:rules?|from now on|always|in future|going forward|guidelines|preferences|how i (?:want|like)|"
    r"please (?:follow|stick))\b[^:]{0,80}:$",
    _FLAGS,
)
_OF_SOMEBODY: Final = re.compile(
    r"(?:(?:and|but|so|also|ok|well|oh)\b,? )*(?:i|we|he|she|they|it|there|that|this|my|our|his|her|their)\b|"
    r"\w+ \w+s (?:me|us|him|her|them|my|our)\b|"
    r"(?:every|each|most|on|in|at|after|before|during) (?:\w+ ){1,4}(?:i|we|he|she|they)\b",
    _FLAGS,
)
_IN_DREAMS: Final = re.compile(r"\b(?:i|we)(?:'d| would| could| might) (?!like|love|prefer|appreciate|rather)", _FLAGS)
_SPEAKS_TO: Final = re.compile(r"\b(?:you|your|u)\b", _FLAGS)
_LISTED: Final = re.compile(r"[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]")

_WANTS_WORDS: Final = re.compile(
    r"\b(?:sign|close|end|finish|begin|start|open|greet|address|call)\b.{0,40}\b(?:with|as|by|me|us|him|her|them)$",
    _FLAGS,
)
_WORDS_TO_USE: Final = re.compile(
    r"[ :,]*(?:\"(?P<a>[^\"\n]{1,30})\"|“(?P<b>[^”\n]{1,30})”|['‘](?P<c>[^\n]{1,30}?)['’](?!\w))"
)
"""A short quotation in the place of the words that are to be used, to sign with, or to be called by. Other quoted words
are somebody else's, and no part of an instruction."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One time that an assistant was told how to behave. `does`: the behaviour as an imperative. `trigger`: the
    situation it is for, empty for any. `standing`: said as a rule, said to be a repetition, or for the moment.
    `plain`: whether the user says it, and not likely somebody whose text they passed on. `span`: of the message, what
    says it."""

    does: str
    trigger: str
    refuses: bool
    standing: Standing
    at: datetime
    session_id: str
    source: str
    span: Span
    plain: bool = True

    @property
    def rule_id(self) -> str:
        """The same for the same behaviour in the same situation, in whatever form."""
        return rule_id(self.trigger, self.does, refuses=self.refuses)


def rule_id(trigger: str, does: str, *, refuses: bool) -> str:
    """The id of a learned rule."""
    said = [sorted(content_stems(trigger)), sorted(content_stems(does) or {stem(does)}), refuses]
    return f"{LEARNED_RULE}{hashlib.sha256(repr(said).encode()).hexdigest()[:32]}"


def instructions_of(items: Sequence[Interaction]) -> list[Instruction]:
    """The instructions that users give assistants in `items`, by time; none from what people say to one another."""
    addressed = assisted_sessions(items)
    found: list[Instruction] = []
    for item in sorted(items, key=lambda item: (item.occurred_at, item.id)):
        if item.role == "user" and item.session_id in addressed:
            found += instructions_in(regained(item, own_text(item)), item)
    return found


class _Said(NamedTuple):
    """An instruction, whether it is plainly the user's, and the sentence that says it."""

    told: Imperative
    plain: bool
    by: Sentence


def instructions_in(text: str, item: Interaction) -> Iterator[Instruction]:
    """The instructions of one message's `text`: what the grammar reads, and what is surely meant as one though the
    grammar cannot take it apart; that one is kept as it was said."""
    told: list[_Said] = []
    found = own_judged(item, text)
    doubts = doubted(text, found)
    heads, vouched, before = False, False, None
    for sentence in split(clean(text)):
        said = sentence.text
        listed = _LISTED.match(text, text.rfind("\n", 0, sentence.start) + 1) is not None
        head = at(found, sentence.start)
        begins = _HEADS_LIST.search(said) is not None
        spoken = begins and head.passed_on <= BESIDE and _SPEAKS_TO.search(said) is not None
        vouched = spoken or head.to_keep > head.passed_on + BESIDE or (vouched and heads and listed)
        heads = begins or (heads and listed)
        plain = not _within(doubts, sentence) or (vouched and heads and listed)
        if before is not None and _BINDS.match(said):
            _bind(told, before, plain=not _within(doubts, before))
        elif len(said) > LONGEST:
            pass
        elif (read := read_sentence(sentence, stands=heads and listed)) is not None:
            lasts = read.standing == "once" and meant_to_last(head)
            read = _with_its_words(read, text[sentence.start + len(said.rstrip(" .!?")) :])
            told.append(_Said(read._replace(standing="standing") if lasts else read, plain, sentence))
        elif told and _SAID_BEFORE.match(said) and told[-1].told.standing == "once":
            told[-1] = told[-1]._replace(told=told[-1].told._replace(standing="repeated"))
        elif _surely_meant(sentence, head):
            as_it_is = Imperative(as_said(text[sentence.start : sentence.end]), "", refuses=False, standing="standing")
            told.append(_Said(as_it_is, True, sentence))
        before = sentence
    for one, plain, by in told:
        yield Instruction(*one, item.occurred_at, item.session_id, item.id, Span(by.start, by.end), plain)


def _with_its_words(told: Imperative, behind: str) -> Imperative:
    """An instruction that ends before a short quotation, "sign them with", with the words that it says to use."""
    quoted = _WORDS_TO_USE.match(behind) if _WANTS_WORDS.search(told.does) else None
    return told if quoted is None else told._replace(does=f'{told.does} "{quoted[quoted.lastgroup or 0]}"')


def _within(spans: Sequence[Span], sentence: Sentence) -> bool:
    return any(span.start <= sentence.start < span.end for span in spans)


def _surely_meant(sentence: Sentence, odds: Judged) -> bool:
    """True where a sentence that is not in the grammar is the user's instruction all the same. One about somebody must
    speak to the assistant as well."""
    if (
        sentence.asks
        or sentence.text.endswith(":")
        or (_OF_SOMEBODY.match(sentence.text) and not _SPEAKS_TO.search(sentence.text))
    ):
        return False
    return surely_meant(odds) and _IN_DREAMS.search(sentence.text) is None


def _bind(told: list[_Said], before: Sentence, *, plain: bool) -> None:
    """Let the sentence before stand, also one that was no instruction for the moment."""
    read = read_sentence(before, stands=True)
    if read is not None and told and told[-1].told.does == read.does:
        told[-1] = _Said(read, plain, before)
    elif read is not None and len(before.text) <= LONGEST:
        told.append(_Said(read, plain, before))
