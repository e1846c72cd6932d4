"""Conditions on the metadata of what is recalled or listed, as a tree of six operators."""

from collections.abc import Iterator
from typing import Annotated, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_serializer,
    model_validator,
)

from ragpp.fields import storable

MAX_FILTER_DEPTH: Final = 8
MAX_FILTER_CONDITIONS: Final = 64
MAX_FILTER_VALUES: Final = 100
MAX_FILTER_CHARS: Final = 16_384
"""The most characters of a filter that stands in an address, as JSON."""

Name = Annotated[str, Field(min_length=1, max_length=256), AfterValidator(storable)]
Key = Name | Annotated[tuple[Name, ...], Field(min_length=1, max_length=MAX_FILTER_DEPTH)]
"""A key of metadata, or the keys that lead to a value within values, the outermost first."""
Scalar = (
    StrictBool
    | Annotated[StrictInt, Field(ge=-(10**18), le=10**18)]
    | Annotated[StrictFloat, Field(allow_inf_nan=False)]
    | Annotated[StrictStr, Field(max_length=1_000), AfterValidator(storable)]
    | None
)


class Equal(BaseModel):
    """A key and the value that it has to have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Key
    value: Scalar

    @model_serializer
    def _told(self) -> dict[str, object]:
        """Also where a dump leaves out what is None."""
        return {"key": self.key, "value": self.value}


class OneOf(BaseModel):
    """A key and the values of which it has to have one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Key
    values: Annotated[tuple[Scalar, ...], Field(min_length=1, max_length=MAX_FILTER_VALUES)]


Parts = Annotated[tuple["MetadataFilter", ...], Field(min_length=1, max_length=MAX_FILTER_CONDITIONS)]


class MetadataFilter(BaseModel):
    """A condition with exactly one operator. A list in metadata equals whatever one of its items equals; a key that is
    missing equals nothing, also not null. Numbers are equal by their value, texts letter by letter, and values of two
    kinds never."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        json_schema_extra={
            "example": {
                "and": [
                    {"equal": {"key": "project", "value": "apollo"}},
                    {"not": {"in": {"key": "status", "values": ["draft", "void"]}}},
                    {"exists": ["customer", "id"]},
                ]
            }
        },
    )

    equal: Equal | None = None
    in_: OneOf | None = Field(default=None, alias="in")
    exists: Key | None = None
    and_: Parts | None = Field(default=None, alias="and")
    or_: Parts | None = Field(default=None, alias="or")
    not_: "MetadataFilter | None" = Field(default=None, alias="not")

    @property
    def parts(self) -> tuple["MetadataFilter", ...]:
        """The conditions that this one is made of; none where it looks at a key itself."""
        return self.and_ or self.or_ or (() if self.not_ is None else (self.not_,))

    @model_serializer(mode="wrap")
    def _told(self, dumped: SerializerFunctionWrapHandler) -> dict[str, object]:
        """The one operator alone."""
        return {name: value for name, value in dumped(self).items() if value is not None}

    @model_validator(mode="after")
    def _one_operator(self) -> Self:
        given = [one for one in (self.equal, self.in_, self.exists, self.and_, self.or_, self.not_) if one is not None]
        if len(given) != 1:
            raise ValueError(
                f"has {len(given) or 'no'} operators, and must have exactly one of equal, in, exists, and, or, not"
            )
        depths = [depth for depth, _ in _within(self, 1)]
        if max(depths) > MAX_FILTER_DEPTH:
            raise ValueError(f"is deeper than {MAX_FILTER_DEPTH} levels")
        if len(depths) > MAX_FILTER_CONDITIONS:
            raise ValueError(f"has more than {MAX_FILTER_CONDITIONS} conditions")
        return self


def _within(condition: MetadataFilter, depth: int) -> Iterator[tuple[int, MetadataFilter]]:
    """`condition` and all that it is made of, each with how deep it is."""
    yield depth, condition
    for part in condition.parts:
        yield from _within(part, depth + 1)
