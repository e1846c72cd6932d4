"""The workload of all systems: the same messages, the same questions, in the same order."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks import locomo
from benchmarks.beside.system import Message
from benchmarks.evaluation import Conversation
from benchmarks.proof import conversation
from ragpp.api import MessageIn

UNASKED: Final = "adversarial"
"""The category of questions that have no answer; the others are asked."""
SAID_AT: Final = "%I:%M %p on %d %B, %Y"
FORMS: Final = (
    (r"My (\w+) (\w+) lives in .*", r"Where does my \1 \2 live?"),
    (r"I prefer (\w+) over (\w+)\.", r"What do I prefer, \1 or \2?"),
    (r"We talked about (.*) with (\w+) for .*", r"How long did we talk about \1 with \2?"),
    (r"(\w+) works at .*", r"Where does \1 work?"),
    (r"Remember (.*), and that number .*", r"Which number matters beside \1?"),
)
"""A made-up message, and a question that it answers."""


@dataclass(frozen=True)
class Asked:
    """A question of LoCoMo with the ids of the messages that hold its evidence."""

    user: str
    text: str
    gold: tuple[str, ...]


@dataclass(frozen=True)
class Workload:
    """`people`: made-up users with their messages. `speakers`: one user a conversation of LoCoMo, and what is asked of
    each in `questions`."""

    people: Mapping[str, Sequence[Message]]
    speakers: Mapping[str, Sequence[Message]]
    questions: Sequence[Asked]

    def searches(self, users: Sequence[str], count: int, seed: int) -> list[tuple[str, str]]:
        """So many questions to random ones of `users`, who are people, each about one of their messages."""
        chance = random.Random(seed)
        chosen = [chance.choice(users) for _ in range(count)]
        return [(user, question_about(chance.choice(self.people[user]).content)) for user in chosen]

    def one_each(self, users: Sequence[str], count: int, seed: int) -> list[tuple[str, str]]:
        """The same, of so many of `users` at most, each asked once."""
        chance = random.Random(seed)
        chosen = chance.sample(users, min(count, len(users)))
        return [(user, question_about(chance.choice(self.people[user]).content)) for user in chosen]

    def texts(self) -> list[str]:
        """Every text that a system which embeds lines and questions embeds, once."""
        lines = [message.line for said in (*self.people.values(), *self.speakers.values()) for message in said]
        about = [question_about(message.content) for said in self.people.values() for message in said]
        return list(dict.fromkeys([*lines, *about, *(question.text for question in self.questions)]))


def question_about(content: str) -> str:
    """A question that a made-up message answers. Raises ValueError for what is none."""
    for pattern, question in FORMS:
        match = re.fullmatch(pattern, content)
        if match:
            return match.expand(question)
    raise ValueError(f"no made-up message: {content}")


def made_up(users: int, messages: int) -> dict[str, list[Message]]:
    """Conversations of so many users, so many messages each; their lines are the bare texts."""
    return {
        f"user-{number}": [_plain(message) for message in conversation(number, messages, "m")]
        for number in range(users)
    }


def load(data: Path, users: int, messages: int) -> Workload:
    """Made-up users, and LoCoMo's development half as it is in the folder `data`."""
    conversations = locomo.load(data)
    return Workload(
        people=made_up(users, messages),
        speakers={_speakers(one): _lines(one) for one in conversations},
        questions=[
            Asked(_speakers(one), question.text, question.gold)
            for one in conversations
            for question in one.questions
            if question.category != UNASKED
        ],
    )


def _speakers(one: Conversation) -> str:
    return f"locomo-{one.id}"


def _lines(one: Conversation) -> list[Message]:
    """The turns; their lines are those of the plain methods that the evaluation data comes with."""
    return [
        Message(
            id=message.id or "",
            session=session,
            speaker=message.name or "",
            content=message.content,
            line=f'({_moment(message)}) {message.name} said, "{message.content}"',
            at=message.occurred_at.isoformat() if message.occurred_at else "",
        )
        for session, messages in one.sessions.items()
        for message in messages
    ]


def _moment(message: MessageIn) -> str:
    return message.occurred_at.strftime(SAID_AT) if message.occurred_at else ""


def _plain(message: MessageIn) -> Message:
    at = message.occurred_at.isoformat() if message.occurred_at else ""
    return Message(message.id or "", "s", "", message.content, message.content, at)
