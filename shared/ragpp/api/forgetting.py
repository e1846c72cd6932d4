"""Deleting, and finding what is to be deleted."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from ragpp.api.messages import TierStatusName
from ragpp.fields import MAX_MESSAGES, Id, Listed, NewName, Said, Whole
from ragpp.models import Role, TierName, Value


class Forgotten(Value):
    """A deletion's result. A tier other than `ok` is cleaned by the workers as soon as it answers."""

    forgotten: int
    tiers: dict[TierName, TierStatusName] = Field(default_factory=dict)


class ForgottenMessage(Forgotten):
    """The result of deleting a message. `repeated_by`: the messages of others than the user that repeat it, by time;
    with `replies` they went, too. `dry_run`: nothing was done, and `forgotten` would be. `job`: what forgets them,
    where they are more than 1,000."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "forgotten": 1,
                "tiers": {"episodic": "ok", "short_term": "ok", "semantic": "ok", "procedural": "ok", "catalog": "ok"},
                "repeated_by": ["m-18"],
                "dry_run": False,
                "job": None,
            }
        }
    )

    repeated_by: tuple[str, ...] = ()
    dry_run: bool = False
    job: str | None = None


class AboutIn(Value):
    """Either an entity, by its id or by any name, also one that the graph does not know; or words, all of which a
    message has, in any regular form."""

    entity: NewName | None = None
    words: Annotated[Said, Field(min_length=1, max_length=1_000)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.entity is None) == (self.words is None):
            raise ValueError("says either `entity` or `words`")
        return self


class ConfirmIn(Value):
    """Either ids of messages that were listed, or the `token` of the list for all of them, with what was `stated`."""

    ids: Annotated[Listed[Id], Field(min_length=1, max_length=MAX_MESSAGES)] | None = None
    token: Annotated[str, Field(min_length=1, max_length=64)] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.ids is None) == (self.token is None):
            raise ValueError("says either `ids` or `token`")
        return self


class ForgetRequest(Value):
    """The messages to find, by what they are about. `replies`: also those that only repeat one of them. `confirm`:
    which to forget; without it nothing is changed."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "about": {"entity": "Elena"}}})

    user_id: Id
    about: AboutIn
    replies: bool = True
    confirm: ConfirmIn | None = None
    cursor: Annotated[str, Field(max_length=4_096)] | None = None
    limit: Whole = Field(default=50, ge=1, le=200)


Why = Literal["mention", "name", "words", "repeats"]
"""mention: the graph knows it from this message; name: the message has a name of it; words: the message has the words;
repeats: it says again what one of the others says."""


class FoundMessage(Value):
    """A message that is about it."""

    id: str
    session_id: str
    occurred_at: datetime
    role: Role
    name: str | None = None
    excerpt: str
    why: tuple[Why, ...]


class StatedAbout(Value):
    """A statement about it that a person made by hand, which no message holds."""

    kind: Literal["relationship", "preference", "rule", "finding"]
    id: str
    text: str


class ForgetAnswer(Value):
    """The messages about it, by time, a page at a time, or what is left of them. `total`: of all pages. `stated`: what
    a person set by hand about it. `token`: stands for all of these in `confirm`. `names`: what the entity is called.
    `with_them`: how much that was learned would go as well. `forgotten`: how many messages went now, null where nothing
    was confirmed; a tier other than `ok` is cleaned by the workers. `job`: what forgets them, where they are more than
    1,000."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "found": [
                    {
                        "id": "m-17",
                        "session_id": "s1",
                        "occurred_at": "2026-03-08T13:56:00Z",
                        "role": "user",
                        "name": "Maria",
                        "excerpt": "My sister Elena moved to Porto last spring.",
                        "why": ["mention", "name"],
                    }
                ],
                "total": 1,
                "stated": [{"kind": "relationship", "id": "r-4", "text": "Elena LIVES_IN Lisbon"}],
                "next_cursor": None,
                "token": "9f86d081884c7d659a2feaa0c55ad015",
                "names": ["Elena"],
                "with_them": {
                    "entities": 2,
                    "relationships": 2,
                    "preferences": 0,
                    "rules": 0,
                    "findings": 0,
                    "items": 0,
                },
                "forgotten": None,
                "tiers": {},
                "job": None,
            }
        }
    )

    found: tuple[FoundMessage, ...]
    total: int
    stated: tuple[StatedAbout, ...] = ()
    next_cursor: str | None = None
    token: str
    names: tuple[str, ...] = ()
    with_them: dict[str, int]
    forgotten: int | None = None
    tiers: dict[TierName, TierStatusName] = Field(default_factory=dict)
    job: str | None = None
