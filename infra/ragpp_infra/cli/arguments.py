"""Arguments made values, and the problems of those that cannot be."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Final, Self, TypeVar, get_args
from zoneinfo import ZoneInfo

import typer
from pydantic import BaseModel, TypeAdapter, ValidationError

from ragpp.errors import InvalidInput
from ragpp.errors.problems import invalid_fields, problem_of
from ragpp.fields import Moment, known_zone
from ragpp.models import TierName

ModelT = TypeVar("ModelT", bound=BaseModel)
OPTION_OF: Final = {
    "user_id": "--user",
    "session_id": "--session",
    "agent_id": "--agent",
    "token_budget": "--budget",
    "deadline_ms": "--deadline",
    "occurred_at": "--at",
    "start": "--from",
    "end": "--to",
    "content": "text",
    "description": "description",
    "query": "query",
    "source": "source",
    "type": "TYPE",
    "target": "target",
    "valid_from": "--from",
    "valid_to": "--to",
}
"""The command line's word for a field of a request, where it is not `--` and the same word."""


class WrongUsage(InvalidInput, typer.BadParameter, code="MEM-034", status=422, title="Wrong usage"):
    """Values of options or arguments that cannot be. Shown as what the parser itself refuses is."""

    def __init__(
        self, message: str, *, suggestions: tuple[str, ...] = (), details: dict[str, object] | None = None
    ) -> None:
        typer.BadParameter.__init__(self, message)
        InvalidInput.__init__(self, message, suggestions=suggestions, details=details)
        self._told = message

    @classmethod
    def of(
        cls, wrong: Mapping[str, str], *, suggestions: tuple[str, ...] = (), details: dict[str, object] | None = None
    ) -> Self:
        """The error for what is `wrong`: why, by the name of the option or argument."""
        error = cls(
            "; ".join(f"{name}: {why}" for name, why in wrong.items()), suggestions=suggestions, details=details
        )
        told = [f"Invalid value for '{name}': {why}" for name, why in wrong.items()]
        error._told = "\n".join(". ".join((one, *(more.rstrip(".") for more in suggestions))) for one in told)
        return error

    def format_message(self) -> str:
        return self._told


def input_error(error: ValidationError) -> InvalidInput:
    """The problem of values that do not fit a request, named by field."""
    return invalid_fields([dict(item) for item in error.errors()])


def checked(kind: type[ModelT], values: Mapping[str, object]) -> ModelT:
    """`values` as a `kind`. Raises WrongUsage that names the options."""
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problem = problem_of(input_error(error))
        wrong = {_option_of(refused.field): refused.reason for refused in problem.errors}
        fields = {"errors": [refused.model_dump() for refused in problem.errors]}
        raise WrongUsage.of(wrong, details=dict(fields)) from error


def _option_of(field: str) -> str:
    last = field.rpartition(".")[2]
    return OPTION_OF.get(last, f"--{last.replace('_', '-')}")


def one_of(text: str | None, choice: Collection[str], option: str) -> str | None:
    """One of `choice`. Raises WrongUsage."""
    if text is not None and text not in choice:
        raise WrongUsage.of({option: f"there is no {text!r}"}, suggestions=(f"Choose among {', '.join(choice)}.",))
    return text


def parse_moment(text: str | None, option: str) -> datetime | None:
    """A date or a moment; without a time zone it is UTC. Raises WrongUsage."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return TypeAdapter(Moment).validate_python(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except ValueError as error:
        hint = ("Write it as 2026-03-08 or 2026-03-08T13:56:00Z.",)
        raise WrongUsage.of({option: f"{text!r} is no moment"}, suggestions=hint) from error


def parse_window(
    start: str | None, end: str | None, *, options: tuple[str, str]
) -> tuple[datetime | None, datetime | None]:
    """The moments that two options name. Raises WrongUsage for one that is none, and where the first is after the
    other."""
    begin, until = (parse_moment(text, option) for text, option in zip((start, end), options, strict=True))
    if begin is not None and until is not None and begin > until:
        raise WrongUsage.of({options[0]: f"{start} is after {end}, which is {options[1]}"})
    return begin, until


def parse_zone(name: str | None) -> ZoneInfo | None:
    """The time zone of that name. Raises WrongUsage for a name of none."""
    try:
        return None if name is None else ZoneInfo(known_zone(name))
    except ValueError as error:
        raise WrongUsage.of({"--time-zone": f"{name!r} {error}"}) from error


def parse_tiers(text: str | None) -> list[str] | None:
    """Names of tiers, separated by commas. Raises WrongUsage for one that there is not."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in get_args(TierName)]
    if unknown or not names:
        hint = (f"Choose among {', '.join(get_args(TierName))}.",)
        raise WrongUsage.of({"--tiers": f"there is no tier {', '.join(map(repr, unknown or ['']))}"}, suggestions=hint)
    return names
