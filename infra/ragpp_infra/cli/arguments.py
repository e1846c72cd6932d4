"""Arguments made values, and the problems of those that cannot be."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError

from ragpp.errors import InvalidInput
from ragpp.errors.problems import invalid_fields
from ragpp.fields import Moment
from ragpp.models import TierName

ModelT = TypeVar("ModelT", bound=BaseModel)


def input_error(error: ValidationError) -> InvalidInput:
    """The problem of values that do not fit a request, named by field."""
    return invalid_fields([dict(item) for item in error.errors()])


def checked(kind: type[ModelT], values: Mapping[str, object]) -> ModelT:
    """`values` as a `kind`. Raises InvalidInput that names the fields."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise input_error(error) from error


def parse_moment(text: str | None, option: str) -> datetime | None:
    """A date or a moment; without a time zone it is UTC. Raises InvalidInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return TypeAdapter(Moment).validate_python(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except ValueError as error:
        hint = ("Write it as 2026-03-08 or 2026-03-08T13:56:00Z.",)
        raise InvalidInput(f"{option}: {text!r} is no moment", suggestions=hint) from error


def parse_tiers(text: str | None) -> list[str] | None:
    """Names of tiers, separated by commas. Raises InvalidInput for one that there is not."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in get_args(TierName)]
    if unknown or not names:
        hint = (f"Choose among {', '.join(get_args(TierName))}.",)
        raise InvalidInput(f"--tiers: there is no tier {', '.join(map(repr, unknown or ['']))}", suggestions=hint)
    return names
