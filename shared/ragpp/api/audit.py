"""The audit, as it is read: who asked for what, how it ended, and which memories it returned or changed."""

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, JsonValue

from ragpp.models import Value

AuditOutcome = Literal["ok", "refused", "failed"]


class AuditEntry(Value):
    """One request, or for those that a key was refused for, all of a few minutes. `memory_ids`: what it returned or
    changed; `marks`: the same by keyed hashes, of what may have been forgotten since. `items`: how many there were."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "id": "0b4c9c1e-5a35-4a0e-9d6c-0f6f0b7f4f7a",
                "at": "2026-03-08T13:56:00Z",
                "key_id": "key_0123456789ab",
                "user_id": "u1",
                "agent_id": "sales",
                "action": "POST /v1/recall",
                "status": 200,
                "elapsed_ms": 14.2,
                "query_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "items": 2,
                "memory_ids": ["m-17"],
                "marks": ["5d41402abc4b2a76b9719d911017c592"],
                "details": None,
            }
        }
    )

    id: str
    at: datetime
    key_id: str
    user_id: str | None = None
    agent_id: str | None = None
    action: str
    status: int
    elapsed_ms: float = 0.0
    query_sha256: str | None = None
    items: int = 0
    memory_ids: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    details: dict[str, JsonValue] | None = None
