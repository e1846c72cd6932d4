"""Scripts of the oracle: what several people say, have done, judge and forget, in the order in which it happens."""

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias
from uuid import uuid4

from tests.support.oracle_vocabulary import (
    CARRIERS,
    DAYS,
    KINDS,
    NAMED,
    OWN_REPLIES,
    PARTLY,
    REPEATING,
    SAID,
    Kind,
)

Stage = Literal["observe", "short_term", "forget", "extract", "reflect", "maintain", "erase"]
JobStage = Literal["extract", "reflect", "maintain"]
Deed = Literal[
    "confirm",
    "reject",
    "confirm_preference",
    "reject_preference",
    "confirm_rule",
    "rule_text",
    "rule_priority",
    "rule_off",
]
STEP: Final = timedelta(minutes=1)
ENDS: Final = datetime(2024, 3, 10, 12, tzinfo=UTC)
"""The moment at which both memories are made equal and compared."""


@dataclass(frozen=True)
class Say:
    """A message. Where `text` has `{word}`, a word is planted that nobody else says. `repeats`: the message that an
    assistant repeats here; `names`: of whom it says more."""

    user: str
    session: str
    id: str
    text: str
    at: datetime
    role: Literal["user", "assistant"] = "user"
    name: str | None = None
    repeats: str | None = None
    names: str | None = None


@dataclass(frozen=True)
class Digest:
    """The workers do what is due."""


@dataclass(frozen=True)
class Job:
    """An extraction from all that was said until the day's end, a reflection on it, or decay."""

    user: str
    stage: JobStage
    day: str


@dataclass(frozen=True)
class Act:
    """A person's act at a moment on one of the things of that sort; `pick` says which, the first again after the
    last."""

    user: str
    deed: Deed
    pick: int
    at: datetime


@dataclass(frozen=True)
class Pin:
    """A person pins a message."""

    user: str
    id: str


@dataclass(frozen=True)
class Forget:
    """A message or several (`ids`), a session or all of a user, as far as they were said by then. What repeats a
    forgotten message is forgotten with it, also what the memory takes for a repetition; unless `replies` stay."""

    user: str
    what: Literal["messages", "session", "user"]
    ids: tuple[str, ...] = ()
    session: str = ""
    replies: Literal["go", "stay"] = "go"


@dataclass(frozen=True)
class Disturb:
    """A worker is stopped or killed at the point numbered `at` of its work on a stage; one that was stopped goes on
    after the next forgetting."""

    how: Literal["stop", "kill"]
    stage: Stage
    at: int


Step: TypeAlias = Say | Digest | Job | Act | Pin | Forget | Disturb


@dataclass(frozen=True)
class Script:
    """`kinds`: what it was made of; `summaries` and `model` among them are how the memories are opened."""

    steps: tuple[Step, ...]
    kinds: frozenset[Kind] = field(default=KINDS)

    @property
    def users(self) -> list[str]:
        return sorted({step.user for step in self.steps if isinstance(step, Say)})

    @property
    def forgotten(self) -> frozenset[tuple[str, str]]:
        """User and id of what is forgotten at its end."""
        return frozenset(
            (step.user, said.id)
            for place, step in enumerate(self.steps)
            if isinstance(step, Forget)
            for said in gone_with(step, self.steps[:place])
        )

    @property
    def remaining(self) -> "Script":
        """What the witness gets: all but what is forgotten, and nobody disturbs its workers."""
        kept = [step for step in self.steps if not isinstance(step, Forget | Disturb)]
        return replace(self, steps=tuple(kept)).unsaid(self.forgotten)

    def unsaid(self, gone: Collection[tuple[str, str]]) -> "Script":
        """Without the messages of these users and ids."""
        kept = [step for step in self.steps if not (isinstance(step, Say | Pin) and (step.user, step.id) in gone)]
        return replace(self, steps=tuple(kept))

    def without(self, places: Collection[int]) -> "Script":
        """The script without the steps at `places`."""
        return replace(self, steps=tuple(step for place, step in enumerate(self.steps) if place not in places))

    def __str__(self) -> str:
        return "\n".join(f"  {place:2} {step}" for place, step in enumerate(self.steps))


def words_of(script: Script) -> dict[tuple[str, str], str]:
    """A word for each message in which one is planted, that no other text has; what repeats a message has its word."""
    said = [step for step in script.steps if isinstance(step, Say) and "{word}" in step.text]
    words = {(say.user, say.id): f"Qzo{uuid4().hex[:12].translate(_LETTERS)}" for say in said}
    again = {(say.user, say.id): words.get((say.user, say.repeats)) for say in said if say.repeats is not None}
    return words | {key: word for key, word in again.items() if word is not None}


HINT: Final = "qzo"
_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")


def gone_with(forget: Forget, before: Sequence[Step]) -> list[Say]:
    """The messages that go with `forget`, of those said in `before`."""
    said = [step for step in before if isinstance(step, Say) and step.user == forget.user]
    match forget.what:
        case "messages":
            gone = {say.id for say in said if say.id in forget.ids}
        case "session":
            gone = {say.id for say in said if say.session == forget.session}
        case "user":
            gone = {say.id for say in said}
    return [say for say in said if say.id in gone or (forget.replies == "go" and say.repeats in gone)]


def script_of(seed: int, kinds: frozenset[Kind] = KINDS, length: int = 10) -> Script:
    """A script of about `length` messages; the same for the same arguments."""
    return _Author(random.Random(seed), kinds, length).write()


def repeating(said: str, name: str | None) -> str:
    """How an assistant repeats that, and what more it says of somebody."""
    return PARTLY.format(start=said.rstrip("."), name=name) if name else REPEATING.format(said=said)


class _Author:
    """Writes one script."""

    def __init__(self, chance: random.Random, kinds: frozenset[Kind], length: int) -> None:
        self._chance, self._kinds, self._length = chance, kinds, length
        self._steps: list[Step] = []
        self._now = datetime.fromisoformat(f"{DAYS[0]}T08:00:00+00:00")
        self._spoken = sorted(kinds & SAID.keys()) or ["small_talk"]
        self._themes = chance.sample(self._spoken, k=min(len(self._spoken), chance.randint(2, 4)))
        sessions = {f"u{number}": chance.randint(1, 3) for number in range(1, chance.choice((1, 1, 1, 2, 3)) + 1)}
        self._places = [(user, f"s{number}") for user, count in sessions.items() for number in range(1, count + 1)]
        self._name = chance.choice((None, "Maria"))
        self._own = chance.sample(OWN_REPLIES, k=len(OWN_REPLIES))
        self._named = chance.sample(NAMED, k=len(NAMED))

    def write(self) -> Script:
        steps_between = [self._job, self._act, self._pin, self._disturb, self._forget]
        days = sorted(self._chance.choices(range(len(DAYS)), k=self._length))
        for number, day in enumerate(days):
            self._now = max(self._now + STEP, datetime.fromisoformat(f"{DAYS[day]}T08:00:00+00:00"))
            self._say(f"m{number}")
            if self._chance.random() < 0.5:
                self._steps.append(Digest())
            if self._chance.random() < 0.4:
                self._chance.choice(steps_between)()
        if not any(isinstance(step, Forget) for step in self._steps):
            self._forget()
        if self._chance.random() < 0.3:
            self._forget()
        return Script(tuple(self._with_words()), self._kinds)

    def _say(self, identifier: str) -> None:
        user, session = self._chance.choice(self._places)
        theme = self._chance.choice(self._themes)
        text = self._chance.choice(SAID[theme])
        said = Say(user, session, identifier, text, self._now, name=self._name)
        self._steps.append(said)
        if "replies" in self._kinds and self._chance.random() < 0.4:
            self._now += STEP
            repeats = self._chance.random() < 0.6
            own = self._own.pop() if self._own else "{word}, noted."
            answer, of = (repeating(text, None), identifier) if repeats else (own, None)
            reply = Say(user, session, f"{identifier}r", answer, self._now, "assistant", repeats=of)
            if repeats and self._named and "staying" in self._kinds and self._chance.random() < 0.5:
                name = self._named.pop()
                reply = replace(reply, names=name, text=repeating(text, name))
            self._steps.append(reply)

    def _job(self) -> None:
        if "jobs" in self._kinds:
            stage: JobStage = self._chance.choice(("extract", "reflect", "reflect", "maintain"))
            # asked again, a model answers otherwise to a day of which it had read but a part
            day = self._now - timedelta(days=1 if "model" in self._kinds else 0)
            self._steps.append(Job(self._user(), stage, day.date().isoformat()))

    def _act(self) -> None:
        if "acts" in self._kinds:
            deeds: tuple[Deed, ...] = ("confirm", "reject", "confirm_preference", "reject_preference")
            if "rules" in self._kinds:
                deeds = (*deeds, "confirm_rule", "rule_text", "rule_priority", "rule_off")
            at = self._now + timedelta(seconds=len(self._steps) % 50 + 1)
            self._steps.append(Act(self._user(), self._chance.choice(deeds), self._chance.randrange(8), at))

    def _pin(self) -> None:
        if "acts" in self._kinds:
            said = self._chance.choice(self._said())
            self._steps.append(Pin(said.user, said.id))

    def _disturb(self) -> None:
        if "workers" in self._kinds:
            stages: tuple[Stage, ...] = ("observe", "observe", "short_term", "extract", "reflect", "forget", "erase")
            how: Literal["stop", "kill"] = self._chance.choice(("stop", "kill"))
            self._steps.append(Disturb(how, self._chance.choice(stages), self._chance.randrange(40)))

    def _forget(self) -> None:
        said = self._chance.choice(self._said())
        roll = self._chance.random()
        if roll < 0.12 and "users" in self._kinds:
            self._steps.append(Forget(said.user, "user"))
        elif roll < 0.3 and "sessions" in self._kinds:
            self._steps.append(Forget(said.user, "session", session=said.session))
        else:
            own = [one.id for one in self._said() if one.user == said.user]
            repeated = [one.repeats for one in self._said() if one.user == said.user and one.repeats is not None]
            stay = "staying" in self._kinds and bool(repeated) and self._chance.random() < 0.5
            own = repeated if stay else own
            count = 1 if roll < 0.7 else min(len(own), self._chance.randint(2, 3))
            ids = tuple(sorted(self._chance.sample(own, count)))
            self._steps.append(Forget(said.user, "messages", ids, replies="stay" if stay else "go"))
        last = self._steps[-1]
        # what is said before a session is gone may repeat it by the way, and is not learned from
        if self._chance.random() < 0.5 or (isinstance(last, Forget) and last.what != "messages"):
            self._steps.append(Digest())

    def _with_words(self) -> Iterator[Step]:
        """The steps, each forgotten message of a person's with something besides that only it says."""
        gone = Script(tuple(self._steps)).forgotten
        texts: dict[str, str] = {}
        for step in self._steps:
            if isinstance(step, Say) and step.role == "user" and (step.user, step.id) in gone:
                theme = self._chance.choice(self._themes)
                texts[step.id] = f"{step.text} {self._chance.choice(CARRIERS[theme])}"
                yield replace(step, text=texts[step.id])
            elif isinstance(step, Say) and step.repeats in texts:
                yield replace(step, text=repeating(texts[step.repeats], step.names))
            else:
                yield step

    def _user(self) -> str:
        return self._chance.choice(self._said()).user

    def _said(self) -> list[Say]:
        return [step for step in self._steps if isinstance(step, Say)]
