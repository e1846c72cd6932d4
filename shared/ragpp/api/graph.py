"""A person's statements for the graph: relationships that hold, what things are called, which of them are one."""

import re
from typing import Annotated, Final, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from ragpp.api.messages import ChosenId
from ragpp.fields import CalledName, Id, NewId, Text, ValidTime, innocuous
from ragpp.models import EntityLabel, Value

_TYPE: Final = r"^[A-Z][A-Z0-9_]{0,63}$"


def _in_capitals(name: str) -> str:
    if not re.fullmatch(_TYPE, name):
        raise ValueError("is not written in capitals, digits and _, at most 64 of them, such as LIVES_IN")
    return name


class RelationshipIn(Value):
    """A relationship to state. `id` makes a repeat harmless. Who or what its ends are (`source_label`, `target_label`)
    is that of the one that is known by the name, else follows from the type. It holds from `valid_from`, else from now
    on, until `valid_to`. `lasting`: it hardly fades, as kinship and origin, which it is for without being said."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user_id": "u1", "source": "Elena", "type": "LIVES_IN", "target": "Porto", "id": "elena-home"}
        }
    )

    user_id: NewId
    id: ChosenId | None = None
    source: CalledName
    source_label: EntityLabel | None = None
    type: Annotated[
        str, Field(json_schema_extra={"pattern": _TYPE}), AfterValidator(_in_capitals), AfterValidator(innocuous)
    ]
    target: CalledName
    target_label: EntityLabel | None = None
    lasting: bool | None = None
    context: Annotated[Text, Field(max_length=1_000)] = ""
    valid_from: ValidTime | None = None
    valid_to: ValidTime | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.valid_from is not None and self.valid_to is not None and self.valid_to < self.valid_from:
            raise ValueError("valid_to is before valid_from")
        return self


class EntityChange(Value):
    """A change to an entity: what it is called, or what it is; what is absent stays."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "name": "Elena Costa", "label": "PERSON"}}
    )

    user_id: Id
    name: CalledName | None = None
    label: EntityLabel | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.name is None and self.label is None:
            raise ValueError("neither a name nor a label is given")
        return self


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
