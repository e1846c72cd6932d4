"""Arguments that a model wrote, read as what they have to be. Pure."""

from collections.abc import Mapping
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from ragpp.errors import InvalidInput
from ragpp.errors.problems import invalid_fields
from ragpp.tools.specifications import Arguments, Tool

ModelT = TypeVar("ModelT", bound=BaseModel)
_AGAIN: Final = "Call the tool again with arguments as its description has them."


def read(model: type[ModelT], given: object) -> ModelT:
    """`given` as a value. Raises InvalidInput, which repeats nothing of it."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        refused = invalid_fields([dict(item) for item in error.errors()])
        raise InvalidInput(refused.message, suggestions=(_AGAIN,), details=refused.details) from error


def arguments_of(tool: Tool, given: object) -> Arguments:
    """The arguments of `tool`: of JSON, or of a mapping; of nothing where there are none.

    Raises InvalidInput.
    """
    if isinstance(given, str | bytes | bytearray):
        given = _from_json(given)
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise InvalidInput("the arguments are no JSON object", suggestions=(_AGAIN,))
    return read(tool.arguments, dict(given))


def _from_json(written: str | bytes | bytearray) -> object:
    if not written.strip():  # as some models have it where there are no arguments
        return None
    try:
        return from_json(written)
    except ValueError as error:
        raise InvalidInput("the arguments are no valid JSON", suggestions=(_AGAIN,)) from error
