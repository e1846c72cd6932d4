"""Merging and splitting entities."""

from pydantic import ConfigDict

from ragpp.fields import Id
from ragpp.models import Value


class MergeIn(Value):
    """Which entity is the same as the one in the path and is absorbed by it."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "absorb_id": "6b0c"}})

    user_id: Id
    absorb_id: Id


class SplitIn(Value):
    """Which absorbed entity becomes its own again."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "absorbed_id": "6b0c"}})

    user_id: Id
    absorbed_id: Id
