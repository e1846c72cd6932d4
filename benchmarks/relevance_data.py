"""Questions of `eval_relevance`: what a memory answers, what it nearly answers, and what is foreign to it."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, get_args

from pydantic import AwareDatetime, BaseModel, ConfigDict

from benchmarks import eval_beam, eval_unasked, locomo
from benchmarks.evaluation import Conversation, Question
from benchmarks.sealed import sealed
from ragpp.api import MessageIn
from ragpp.models import Role

Kind = Literal["answered", "near", "foreign"]
Part = Literal["tuned on", "held out", "blind"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
BLIND: Final = Path(__file__).parent / "data" / "relevance"
SESSIONS: Final = 4
"""The sessions of each LoCoMo conversation that are a new user's whole memory."""
SEED: Final = 16
ELSEWHERE: Final = "of another memory"
_ABOUT_ALL: Final = frozenset({"event_ordering", "summarization"})
"""BEAM's questions that ask for everything there is, which no other memory can be asked."""


@dataclass(frozen=True)
class Case:
    """A question to the memory of `user`. `answered`: something there answers it; `near`: it is about what is there,
    and nothing answers it; `foreign`: it is about nothing there. `asks`: the kind of question within its set."""

    set: str
    part: Part
    user: str
    kind: Kind
    asks: str
    query: str
    as_of: datetime | None = None


@dataclass(frozen=True)
class Memories:
    """Conversations, a user each, and what is asked of them."""

    conversations: Sequence[Conversation]
    cases: Sequence[Case]


def of_locomo(folder: Path) -> Memories:
    """LoCoMo's conversations. Near: the adversarial questions, most of which ask of one speaker what the other said,
    and foreign ones with the speakers' names put in the place of the others'."""
    conversations, cases = locomo.load(folder), list[Case]()
    for one, part, others in _with_others(conversations):
        case = _caser("LoCoMo", part, one)
        cases += [case(_kind_of(own), own.category, own.text) for own in one.questions]
        for other, asked in _drawn(others, sum(_kind_of(own) == "answered" for own in one.questions)):
            cases.append(case("foreign", ELSEWHERE, asked.text))
            renamed = _renamed(asked.text, _speakers(other), _speakers(one))
            if renamed != asked.text:
                cases.append(case("near", "foreign, renamed", renamed))
    return Memories(conversations, cases)


def of_new_users(folder: Path) -> Memories:
    """The first SESSIONS of each conversation, each the whole memory of a user. Near: what the same two people are
    asked that was said in another session."""
    conversations, cases = list[Conversation](), list[Case]()
    for whole, part, others in _with_others(locomo.load(folder)):
        for session in list(whole.sessions)[:SESSIONS]:
            said = {message.id for message in whole.sessions[session]}
            texts = {identifier: text for identifier, text in whole.texts.items() if identifier in said}
            name, sessions = f"{whole.id}-{session}", {session: whole.sessions[session]}
            one = replace(whole, id=name, sessions=sessions, texts=texts)
            case = _caser("new users", part, one)
            own = [asked for asked in whole.questions if _kind_of(asked) == "answered"]
            told = [asked for asked in own if said.issuperset(asked.gold)]
            untold = [asked for asked in own if said.isdisjoint(asked.gold)]
            cases += [case("answered", asked.category, asked.text) for asked in told]
            draw = random.Random(f"{SEED}{one.id}")
            cases += [case("near", "not told yet", asked.text) for asked in draw.sample(untold, len(told))]
            cases += [case("foreign", ELSEWHERE, asked.text) for _, asked in _drawn(others, len(told), one.id)]
            conversations.append(one)
    return Memories(conversations, cases)


def of_beam(folder: Path, chats: int | None = None) -> Memories:
    """BEAM's chats, asked as of their end. Near: those for which the chat has no information, by the data's word."""
    conversations, cases = eval_beam.load(folder, unanswered=True)[:chats], list[Case]()
    for one, part, others in _with_others(conversations):
        case = _caser("BEAM", part, one)
        cases += [case("answered" if own.gold else "near", own.category, own.text) for own in one.questions]
        count = sum(bool(own.gold) for own in one.questions)
        cases += [case("foreign", ELSEWHERE, asked.text) for _, asked in _drawn(others, count)]
    return Memories(conversations, cases)


def of_unasked(folder: Path) -> Memories:
    """Remarks that only hint at a memory, and questions that a stated preference applies to: nothing asks for them."""
    conversations = eval_unasked.load(folder)
    *hints, preferences = conversations
    cases = [
        _caser("hints", part, one)("answered", own.category, own.text)
        for one, part, _ in _with_others(hints)
        for own in one.questions
    ]
    for place, own in enumerate(preferences.questions):
        part: Part = "tuned on" if 2 * place < len(preferences.questions) else "held out"
        cases.append(_caser("preferences", part, preferences)("answered", own.category, own.text))
    return Memories(conversations, cases)


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Said(_Line):
    conversation: str
    session: str
    id: str
    role: Role
    name: str | None = None
    occurred_at: AwareDatetime
    content: str


class _Asked(_Line):
    conversation: str
    about: Kind
    question: str
    answer: tuple[str, ...]


def of_blind() -> Memories:
    """Three small memories and an empty one, written without sight of any figure: nothing is tuned on them."""
    said = [_Said.model_validate_json(line) for line in sealed(BLIND / "messages_blind.jsonl").splitlines()]
    asked = [_Asked.model_validate_json(line) for line in sealed(BLIND / "questions_blind.jsonl").splitlines()]
    conversations = []
    for name in dict.fromkeys(one.conversation for one in said):
        sessions: dict[str, list[MessageIn]] = {}
        for one in said:
            if one.conversation == name:
                message = one.model_dump(exclude={"conversation", "session"}, exclude_none=True)
                sessions.setdefault(one.session, []).append(MessageIn.model_validate(message))
        texts = {one.id: one.content for one in said if one.conversation == name}
        conversations.append(Conversation(name, sessions, texts, ()))
    cases = [Case("blind", "blind", one.conversation, one.about, one.conversation, one.question) for one in asked]
    return Memories(conversations, cases)


def _with_others(
    conversations: Sequence[Conversation],
) -> Iterator[tuple[Conversation, Part, list[Conversation]]]:
    """Each with its part, the first half of all or the second, and the others of that part, whose questions are foreign
    to it."""
    half = (len(conversations) + 1) // 2
    for place, one in enumerate(conversations):
        part: Part = "tuned on" if place < half else "held out"
        same = conversations[:half] if place < half else conversations[half:]
        yield one, part, [other for other in same if other is not one]


def _caser(name: str, part: Part, one: Conversation) -> Callable[[Kind, str, str], Case]:
    return lambda kind, asks, query: Case(name, part, one.id, kind, asks, query, one.as_of)


def _kind_of(own: Question) -> Kind:
    return "near" if own.category == "adversarial" else "answered"


def _drawn(others: Sequence[Conversation], count: int, seed: str = "") -> list[tuple[Conversation, Question]]:
    """At most `count` of the others' questions that are answered there, the same each time."""
    every = [
        (other, asked)
        for other in others
        for asked in other.questions
        if asked.gold and _kind_of(asked) == "answered" and asked.category not in _ABOUT_ALL
    ]
    return random.Random(f"{SEED}{seed}").sample(every, min(count, len(every)))


def _speakers(one: Conversation) -> list[str]:
    said = (message.name for session in one.sessions.values() for message in session)
    return [name for name in dict.fromkeys(said) if name is not None]


def _renamed(text: str, names: Iterable[str], instead: Iterable[str]) -> str:
    for name, other in zip(names, instead, strict=False):
        text = re.sub(rf"\b{re.escape(name)}\b", other, text)
    return text
