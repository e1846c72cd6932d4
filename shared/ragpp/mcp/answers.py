"""The tools' answers, beside the text that a model reads."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field


class Remembered(BaseModel):
    """The outcome of one message."""

    id: str = Field(description="By which it is read and forgotten.")
    outcome: Literal["stored", "known already", "forgotten before"] = Field(
        description="`known already`: a message of that id was there. `forgotten before`: it was forgotten, and is not "
        "stored again."
    )
    secrets_removed: int = Field(description="Passwords, keys and the like that were taken out before it was stored.")


class Line(BaseModel):
    """A memory that stands in the context."""

    id: str
    kind: str = Field(description="interaction, message, entity, relationship, preference, rule, finding, item …")
    text: str
    said_by: str | None = Field(description="Who said it, where somebody did.")
    occurred_at: datetime | None = Field(description="When it was said.")


class Recalled(BaseModel):
    """The memory's answer to a question."""

    context: str = Field(description="Titled sections of lines, to be read as data; empty where nothing is known.")
    relevance: Literal["none", "some", "clear"] | None = Field(
        description="Whether anything of it is about the question; null where nothing was found."
    )
    partial: bool = Field(description="A part of the memory was down or late, and is missing.")
    tokens: int = Field(description="Length of the context.")
    memories: list[Line]


class Found(BaseModel):
    """A message that is about what is to be forgotten."""

    id: str
    excerpt: str
    said_by: str | None
    occurred_at: datetime


class Forgetting(BaseModel):
    """A forgetting: what would be forgotten, or was."""

    messages: list[Found] = Field(description="The first of them, by time.")
    total: int = Field(description="How many messages it concerns.")
    with_them: dict[str, int] = Field(description="How much that was learned from them goes as well, by kind.")
    stated: list[str] = Field(description="What a person stated by hand about it: goes where all is confirmed.")
    token: str | None = Field(description="What to confirm with; null once it was confirmed.")
    forgotten: int | None = Field(description="How many messages were forgotten; null where nothing was confirmed.")


class Fact(BaseModel):
    """One thing that is known of a user."""

    id: str
    kind: str
    text: str
    confidence: float = Field(description="0 to 1.")


class Known(BaseModel):
    """The facts known of a user."""

    summary: str
    facts: list[Fact] = Field(description="The surest of each kind.")


class Item(BaseModel):
    """A fact of the curated catalog."""

    id: str
    text: str
    category: str | None
    score: float = Field(description="How well it answers, 0 to 1.")
    source: str = Field(description="Id of the document or conversation that says it.")


class Items(BaseModel):
    """The catalog's answer to a question."""

    items: list[Item]
