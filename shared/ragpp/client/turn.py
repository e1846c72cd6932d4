"""One call of a model: what is asked of the memory before it, and what is remembered after it."""

import logging
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast
from uuid import uuid4

from pydantic import ValidationError

from ragpp.api import MessageIn, RecallRequest, RecallResponse, StoreRequest
from ragpp.client.provider import Given, Provider, at, last_asked, messages_of, newly_said, role_of, words
from ragpp.clock import Clock
from ragpp.fields import MAX_CONTENT_CHARS
from ragpp.introducing import introduced
from ragpp.models import Role

LONGEST_QUERY: Final = 20_000
MOST_KNOWN: Final = 1_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Whose:
    """Whose calls they are, and of which conversation."""

    provider: Provider
    user: str
    session: str
    agent: str | None
    name: str | None
    token_budget: int | None
    clock: Clock
    ids: dict[int, str] = field(default_factory=dict)
    """The ids of messages, by what they say: what the caller shows the model need not be recalled as well."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Around `ids`: threads share a client."""

    def id_of(self, role: str, text: str) -> str:
        """A new id, for what is said now."""
        with self.lock:
            if len(self.ids) >= MOST_KNOWN:
                self.ids.pop(next(iter(self.ids)))
            made = self.ids[hash((role, text))] = f"m-{uuid4().hex}"
        return made

    def ids_of(self, shown: Collection[int]) -> set[str]:
        """Those of the messages that are `shown`, by their hashes."""
        with self.lock:
            return {self.ids[key] for key in shown if key in self.ids}


@dataclass
class Turn:
    """One call: what is asked of the memory before it, and what is remembered after it."""

    whose: Whose
    given: Given
    began: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.whose.clock()
        self.given = {**self.given, "messages": list(cast("Iterable[object]", self.given.get("messages") or ()))}

    def question(self) -> RecallRequest | None:
        """The recall of what the user said last; None where nobody said anything. Raises ValidationError."""
        said = last_asked(self.given)
        if not said.strip():
            return None
        shown = {hash((role_of(one), words(at(one, "content")))) for one in messages_of(self.given)}
        told: dict[str, object] = {
            "user_id": self.whose.user,
            "agent_id": self.whose.agent,
            "name": self.whose.name,
            "query": said[-LONGEST_QUERY:],
            "token_budget": self.whose.token_budget,
            "exclude": self.whose.ids_of(shown) or None,
        }
        return RecallRequest.model_validate({name: value for name, value in told.items() if value is not None})

    def with_context(self, answer: RecallResponse) -> Given:
        """The model's arguments: with what is known, unless nothing of it is about the question."""
        known = introduced(answer.context, answer.relevance)
        return self.whose.provider.with_context(self.given, known) if known else self.given

    def said(self, reply: str) -> list[StoreRequest]:
        """The writes of what is new in the call, and of the answer, as far as there are words in either; each for
        itself where both may be too much for one request. Raises ValidationError."""
        asked = self._message("user", self.whose.name, newly_said(self.given), self.began)
        messages = [one for one in (asked, self._message("assistant", None, reply, self.whose.clock())) if one]
        is_much = sum(len(one.content) for one in messages) > MAX_CONTENT_CHARS
        told = {"user_id": self.whose.user, "session_id": self.whose.session, "agent_id": self.whose.agent}
        known = {name: value for name, value in told.items() if value is not None}
        writes = [(one,) for one in messages] if is_much else [tuple(messages)] if messages else []
        return [StoreRequest.model_validate({**known, "messages": write}) for write in writes]

    def _message(self, role: Role, name: str | None, text: str, moment: datetime) -> MessageIn | None:
        """It, cut at what a message may have; None where it has no words, or cannot be one, which is logged."""
        if not text.strip():
            return None
        made, cut = self.whose.id_of(role, text), text[:MAX_CONTENT_CHARS]
        try:
            return MessageIn(id=made, role=role, name=name, content=cut, occurred_at=moment)
        except ValidationError as error:
            _log.warning("not remembered: what the %s said: %s", role, error.errors()[0]["type"])
            return None
