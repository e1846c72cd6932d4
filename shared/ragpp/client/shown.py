"""The client's methods as they are shown: to a checker by protocols, to `help` and notebooks as functions."""

import inspect
from collections.abc import Callable
from typing import ParamSpec, Protocol, TypeVar, get_type_hints, overload

from pydantic import BaseModel

P = ParamSpec("P")
FieldsP = ParamSpec("FieldsP")
PlainP = ParamSpec("PlainP")
T_co = TypeVar("T_co", covariant=True)


class TakesEither(Protocol[P, FieldsP, T_co]):
    """Is called with a model, or with the fields of one."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co: ...
    @overload
    def __call__(self, *args: FieldsP.args, **kwargs: FieldsP.kwargs) -> T_co: ...


class TakesPlain(Protocol[P, FieldsP, PlainP, T_co]):
    """Is called with plain words, with a model, or with the fields of one."""

    @overload
    def __call__(self, *args: PlainP.args, **kwargs: PlainP.kwargs) -> T_co: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co: ...
    @overload
    def __call__(self, *args: FieldsP.args, **kwargs: FieldsP.kwargs) -> T_co: ...


def shown_as(
    made: Callable[..., object], declared: Callable[..., object], signature: inspect.Signature, owner: type
) -> Callable[..., object]:
    """`made`, with all that whoever looks at a function asks it for, as if it were declared in `owner`."""
    made.__name__, made.__qualname__ = declared.__name__, f"{owner.__name__}.{declared.__name__}"
    made.__module__, made.__doc__ = owner.__module__, inspect.getdoc(declared)
    setattr(made, "__signature__", signature)  # noqa: B010 - a checker knows of none
    return made


def fields_of(model: type[BaseModel], taken: frozenset[str]) -> list[inspect.Parameter]:
    """The fields as parameters by name, with their types as a reader has them: without bounds and checks."""
    types = get_type_hints(model)
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.is_required() else field.get_default(call_default_factory=True),
            annotation=types[name],
        )
        for name, field in model.model_fields.items()
        if name not in taken
    ]
