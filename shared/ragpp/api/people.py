"""The profile of one user: what is known of them in a few words."""

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict

from ragpp.models import Value


class ProfileItem(Value):
    """One thing that is known. `id`: by which it is read, confirmed, rejected, corrected or forgotten. `sure`: its
    confidence is that of what needs no review, or it holds until another takes its place. `since`: when it was first
    said, or since when it holds."""

    id: str
    kind: Literal["entity", "relationship", "preference", "rule", "finding"]
    text: str
    confidence: float
    sure: bool
    since: datetime | None = None


class Profile(Value):
    """The profile of one user. `text`: the surest in one paragraph, the same for the same memory; the lists: by
    kind, the surest first, without what was rejected, has ended, or is put aside."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "text": "Elena lives in Porto and is sister of Maria. Preferences: tone: short and direct.",
                "relationships": [
                    {
                        "id": "9e4217b4beb406b8d2bc54368498e5b3",
                        "kind": "relationship",
                        "text": "Elena LIVES_IN Porto",
                        "confidence": 0.6,
                        "sure": True,
                        "since": "2026-03-08T13:56:00Z",
                    }
                ],
            }
        }
    )

    user_id: str
    text: str
    entities: tuple[ProfileItem, ...] = ()
    relationships: tuple[ProfileItem, ...] = ()
    preferences: tuple[ProfileItem, ...] = ()
    rules: tuple[ProfileItem, ...] = ()
    findings: tuple[ProfileItem, ...] = ()
