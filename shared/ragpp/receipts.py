"""Receipts: what a write answers, so that a later recall can wait until it has been digested."""

import re
from collections.abc import Iterable
from typing import Final

from pydantic import Field

from ragpp.errors import InvalidInput
from ragpp.models import Value

_FORM: Final = re.compile(r"r1\.([0-9a-f]{1,16})\.([0-9a-f]{1,16})")
MAX_EVENT: Final = 2**63 - 1


class Receipt(Value):
    """The ledger events of one write, first to last; both 0 when the write recorded none."""

    first_event: int = Field(ge=0, le=MAX_EVENT)
    last_event: int = Field(ge=0, le=MAX_EVENT)

    @classmethod
    def of(cls, event_ids: Iterable[int | None]) -> "Receipt":
        """The receipt of a write whose entries have these events."""
        known = [event_id for event_id in event_ids if event_id is not None]
        return cls(first_event=min(known, default=0), last_event=max(known, default=0))

    @classmethod
    def parse(cls, text: str, *, field: str = "receipt") -> "Receipt":
        """Raises InvalidInput for a text that `str(receipt)` did not make."""
        match = _FORM.fullmatch(text)
        if match is None or int(match[1], 16) > MAX_EVENT or int(match[2], 16) > MAX_EVENT:
            raise InvalidInput(
                "the receipt is not one that a write answered",
                suggestions=("Pass the `receipt` of a POST /v1/interactions answer as it was given.",),
                details={"errors": [{"field": field, "reason": "is not one that a write answered"}]},
            )
        return cls(first_event=int(match[1], 16), last_event=int(match[2], 16))

    def __str__(self) -> str:
        return f"r1.{self.first_event:x}.{self.last_event:x}"
