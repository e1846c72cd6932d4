"""Whole lives: months of one user's chat with an assistant, what a careful friend would know after it, what a careless
one would believe, and questions. The format and the metrics are those of the evaluation folder's `lives`; here is what
is counted of a memory's claims and of its answers, by the metrics' own names. Pure.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue

from benchmarks.evaluation import EVIDENCE, whole
from benchmarks.figures import Figures
from benchmarks.frontier import Context, Line
from benchmarks.sealed import sealed
from ragpp.api import MessageIn, RecalledMemory, RecallResponse
from ragpp.models import Role

Kept = Literal["said", "relationships", "preferences", "rules", "findings"]
"""Where a claim is from; `said`: a message, kept as it is."""
NOTHING: Final = "nothing"
"""The kind of question that the life does not answer."""
INSTRUCTION: Final = "instruction"
FIRST: Final = 3

_SELF: Final = re.compile(
    r"\b(?:i(?:'?(?:m|ve|d|ll))?|me|my|mine|we(?:'?re)?|ours?|us|to(?:day|morrow|night)|yesterday"
    r"|(?:next|last|this) (?:week|month|year|\w+day))\b",
    re.IGNORECASE,
)
_SOMEBODY: Final = re.compile(r"\b(?:s?he|his|hers?|him|they|their|them)\b", re.IGNORECASE)
_NAMED: Final = re.compile(r"(?<=\S )[A-ZÀ-Þ]\w+|^[A-ZÀ-Þ]\w+ (?!is )\w")
_QUOTED: Final = re.compile(r"[\"“”][^\"“”]*[\"“”]")


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True)


class Said(_Value):
    """A message of a life."""

    id: str
    session: str
    role: Role
    name: str | None
    content: str
    occurred_at: AwareDatetime


class Fact(_Value):
    """`match`: regular expressions that all find something in a claim that states it."""

    text: str
    kind: str
    sources: tuple[str, ...]
    state: Literal["current", "past", "future"]
    match: tuple[str, ...]


class Trap(_Value):
    """A wrong claim, and what finds it."""

    text: str
    match: tuple[str, ...]


class Question(_Value):
    """`answers`: messages that each give a needed part. `helps`: about the same. `contradicts`: outdated."""

    q: str
    name: str | None
    kind: str
    answers: frozenset[str]
    helps: frozenset[str]
    contradicts: frozenset[str]
    as_of: AwareDatetime | None = None


class Life(_Value):
    """`end`: the moment at which its questions are asked."""

    id: str
    end: AwareDatetime
    messages: tuple[Said, ...]
    facts: tuple[Fact, ...]
    traps: tuple[Trap, ...]
    questions: tuple[Question, ...]

    def sessions(self) -> dict[str, list[MessageIn]]:
        """The messages by session, in order."""
        sessions: dict[str, list[MessageIn]] = {}
        for said in self.messages:
            sessions.setdefault(said.session, []).append(
                MessageIn(
                    id=said.id, role=said.role, name=said.name, content=said.content, occurred_at=said.occurred_at
                )
            )
        return sessions

    def outdated(self) -> frozenset[str]:
        """The messages that a mark is right on."""
        past = {source for fact in self.facts if fact.state == "past" for source in fact.sources}
        return frozenset(past.union(*(asked.contradicts for asked in self.questions)))


def life_files(folder: Path) -> list[Path]:
    """The files of lives in an evaluation folder and beside these modules, sealed ones too."""
    return [
        path for part in (folder, Path(__file__).parent / "data") for path in sorted((part / "lives").glob("*.json"))
    ]


def read_life(path: Path) -> Life:
    """The life in a file. ValueError for a sealed one that was changed since."""
    return Life.model_validate_json(sealed(path))


@dataclass(frozen=True)
class Claim:
    """A sentence or a triple that a memory says it knows. `holds`: now."""

    kept: Kept
    text: str
    holds: bool


def claim_of(kept: Kept, row: Mapping[str, JsonValue]) -> Claim | None:
    """The claim that a row of a list of what was learned makes; None for a deleted one."""
    if row.get("deleted"):
        return None
    text = row.get("text")
    if kept == "relationships":
        text = f"{row['source']} {row['type']} {row['target']}"
    elif kept == "preferences" and not text:
        text = f"{row['category']} {row['key']}: {row['value']}"
    over = any(row.get(name) for name in ("valid_to", "until", "proposed", "aside")) or row.get("verdict") == "rejected"
    return Claim(kept, str(text or ""), not over and bool(row.get("active", True)) and bool(row.get("current", True)))


def messages_as_claims(life: Life) -> list[Claim]:
    """The claims of a memory that keeps every message of a user as it is."""
    return [
        Claim("said", f"{said.name}: {said.content}" if said.name else said.content, holds=True)
        for said in life.messages
        if said.role == "user"
    ]


def stands_alone(text: str) -> bool:
    """True where a claim can be read without its conversation: nobody and no day in it is left to guess."""
    bare = _QUOTED.sub("", text)
    return not _SELF.search(bare) and not (_SOMEBODY.search(bare) and not _NAMED.search(bare))


def _states(claim: Claim, match: Sequence[str]) -> bool:
    return claim.holds and all(re.search(one, claim.text, re.IGNORECASE) for one in match)


def knowledge(life: Life, claims: Sequence[Claim]) -> tuple[Figures, list[str]]:
    """The claims that are right and wrong, beside those of keeping every message; and each fact that is not known."""
    figures, missed = Figures(), list[str]()
    for fact in life.facts:
        stating = [claim for claim in claims if _states(claim, fact.match)]
        if fact.state == "past":
            figures.add("outdated held as current", bool(stating))
            continue
        known = any(fact.kind == INSTRUCTION or stands_alone(claim.text) for claim in stating)
        figures.add("known", known)
        figures.add("known, also where not readable alone", bool(stating))
        figures.add(f"known {fact.kind}", known)
        if not known:
            missed.append(f"{fact.kind}: {fact.text}")
    for trap in life.traps:
        figures.add("traps asserted", any(_states(claim, trap.match) for claim in claims))
    verbatim = messages_as_claims(life)
    for fact in life.facts:
        stating = [claim for claim in verbatim if _states(claim, fact.match)]
        if fact.state == "past":
            figures.add("(every message kept as it is: outdated held as current)", bool(stating))
        else:
            alone = any(fact.kind == INSTRUCTION or stands_alone(claim.text) for claim in stating)
            figures.add("(every message kept as it is: known)", alone)
    current = [claim for claim in claims if claim.holds]
    listed = sum(fact.state != "past" for fact in life.facts)
    figures.add("current claims for each listed fact", len(current), listed)
    told = [claim for claim in current if claim.kept != "rules"]
    unclear = sum(not stands_alone(claim.text) for claim in told)
    figures.add("claims not readable alone", unclear, max(1, len(told)))
    return figures, missed


def rests_on(memory: RecalledMemory) -> list[str]:
    """The messages that a memory rests on, in its order."""
    return list(dict.fromkeys(map(whole, memory.sources)))


def shown(answer: RecallResponse) -> list[RecalledMemory]:
    """The memories in the context, best first."""
    return [memory for memory in answer.memories if memory.in_context]


def lines_of(question: Question, answer: RecallResponse) -> Context:
    """The context as lines that are about the question or not."""
    return Context(
        lines=[
            Line(
                score=memory.score,
                tokens=memory.tokens,
                about=bool(set(rests_on(memory)) & (question.answers | question.helps)),
                answers=question.answers & set(rests_on(memory)),
            )
            for memory in shown(answer)
        ],
        tokens=answer.tokens,
        wanted=question.answers,
    )


def of_context(question: Question, answer: RecallResponse, title: str) -> Figures:
    """Figures of a context; names begin with `title`, which tells its budget."""
    figures, context = Figures(), lines_of(question, answer)
    lines = len(context.lines)
    if question.kind == NOTHING:
        figures.add(f"{title}: lines where nothing is known", lines)
        figures.add(f"{title}: tokens where nothing is known", answer.tokens)
        return figures
    about = sum(line.about for line in context.lines)
    answers = frozenset[str]().union(*(line.answers for line in context.lines))
    figures.add(f"{title}: lines about the question", about, lines)
    figures.add(f"{title}: the same, mean of the questions", about / lines if lines else 0.0)
    figures.add(f"{title}: tokens", answer.tokens)
    figures.add(f"{title}: lines", lines)
    figures.add(f"{title}: an answer in the context", bool(answers))
    figures.add(f"{title}: all answers in the context", bool(lines) and question.answers <= answers)
    return figures


def ranked(answer: RecallResponse) -> list[str]:
    """Messages by the first memory that rests on them, EVIDENCE of a memory at most."""
    return list(dict.fromkeys(source for memory in answer.memories for source in rests_on(memory)[:EVIDENCE]))


def place(order: Sequence[str], wanted: Collection[str]) -> int:
    """Where the first of `wanted` is, from 0; behind all where none is."""
    return next((at for at, message in enumerate(order) if message in wanted), len(order))


def of_ranking(question: Question, answer: RecallResponse, outdated: Collection[str]) -> Figures:
    """Figures of first places, marks and the relevance that is told; `outdated`: where a mark is right."""
    figures = Figures()
    if question.kind == NOTHING:
        figures.add("'none' where nothing is known", answer.relevance == "none")
        figures.add("'clear' where nothing is known", answer.relevance == "clear")
        return figures
    order = ranked(answer)
    first = place(order, question.answers) < min(FIRST, len(order))
    figures.add("answer among the first three", first)
    figures.add(f"first three, {question.kind}", first)
    figures.add("'none' where something is known", answer.relevance == "none")
    if question.contradicts:
        figures.add("outdated above the answer", place(order, question.contradicts) < place(order, question.answers))
    for memory in shown(answer):
        if memory.corrected_by:
            figures.add("false 'since corrected' of all marks", not set(rests_on(memory)) & set(outdated))
    return figures
