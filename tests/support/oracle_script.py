"""Scripts of the oracle: what people say, keep, have done, judge and forget, in the order in which it happens."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias
from uuid import uuid4

from tests.support.oracle_vocabulary import KINDS, Kind

Stage = Literal["observe", "short_term", "forget", "extract", "reflect", "maintain", "erase", "catalog"]
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
class Keep:
    """A resource is kept, and items are taken from it: a document, or where `text` is None what was said in the session
    by then. `hint`: the category of its items. `agent`: who alone may see a document."""

    user: str
    id: str
    session: str
    at: datetime
    text: str | None = None
    hint: str | None = None
    agent: str | None = None


@dataclass(frozen=True)
class Note:
    """An item is stored by hand, with a resource as its source, where that is there."""

    user: str
    id: str
    resource: str
    text: str
    at: datetime
    category: str | None = None
    agent: str | None = None


@dataclass(frozen=True)
class WritePage:
    """The page of a category is made of what there is."""

    user: str
    category: str


@dataclass(frozen=True)
class Forget:
    """A message or several (`ids`), a session or all of a user, as far as they were said by then. What repeats a
    forgotten message is forgotten with it, also what the memory takes for a repetition; unless `replies` stay. Or
    resources, or items that were stored by hand (`ids`)."""

    user: str
    what: Literal["messages", "session", "user", "resources", "items"]
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


Step: TypeAlias = Say | Digest | Job | Act | Pin | Keep | Note | WritePage | Forget | Disturb


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
            for said in (*gone_with(step, self.steps[:place]), *kept_gone_with(step, self.steps[:place]))
        )

    @property
    def remaining(self) -> "Script":
        """The witness's script: all but what is forgotten, and nobody disturbs its workers."""
        kept = [step for step in self.steps if not isinstance(step, Forget | Disturb)]
        return replace(self, steps=tuple(kept)).unsaid(self.forgotten)

    def unsaid(self, gone: Collection[tuple[str, str]]) -> "Script":
        """Without the messages, resources and items of these users and ids."""
        named = Say | Pin | Keep | Note
        kept = [step for step in self.steps if not (isinstance(step, named) and (step.user, step.id) in gone)]
        return replace(self, steps=tuple(kept))

    def without(self, places: Collection[int]) -> "Script":
        """The script without the steps at `places`."""
        return replace(self, steps=tuple(step for place, step in enumerate(self.steps) if place not in places))

    def __str__(self) -> str:
        return "\n".join(f"  {place:2} {step}" for place, step in enumerate(self.steps))


def words_of(script: Script) -> dict[tuple[str, str], str]:
    """A word for each message, document and item in which one is planted, that no other text has; what repeats a
    message has its word."""
    planted = [key for key, text in texts_of(script).items() if "{word}" in text]
    words = {key: f"Qzo{uuid4().hex[:12].translate(_LETTERS)}" for key in planted}
    said = [step for step in script.steps if isinstance(step, Say) and (step.user, step.id) in words]
    again = {(say.user, say.id): words.get((say.user, say.repeats)) for say in said if say.repeats is not None}
    return words | {key: word for key, word in again.items() if word is not None}


def texts_of(script: Script) -> Mapping[tuple[str, str], str]:
    """The texts of messages, documents and items, by user and id."""
    given = [step for step in script.steps if isinstance(step, Say | Keep | Note)]
    return {(step.user, step.id): step.text for step in given if step.text is not None}


def with_word(step: Say | Keep | Note, words: Mapping[tuple[str, str], str]) -> str:
    """The text of `step`, with its word."""
    return (step.text or "").replace("{word}", words.get((step.user, step.id), "nobody"))


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
        case "resources" | "items":
            gone = set()
    return [say for say in said if say.id in gone or (forget.replies == "go" and say.repeats in gone)]


def kept_gone_with(forget: Forget, before: Sequence[Step]) -> list[Keep | Note]:
    """The resources and items that go with `forget`, of those kept in `before`; a resource takes its items along. Those
    of a conversation of which nothing is left go besides."""
    kept = [step for step in before if isinstance(step, Keep | Note) and step.user == forget.user]
    match forget.what:
        case "resources" | "items":
            gone = {step.id for step in kept if step.id in forget.ids}
        case "session":
            gone = {step.id for step in kept if isinstance(step, Keep) and step.session == forget.session}
        case "user":
            gone = {step.id for step in kept}
        case "messages":
            gone = set()
    return [step for step in kept if step.id in gone or (isinstance(step, Note) and step.resource in gone)]
