"""The client's methods as they are shown: to a checker by protocols, to `help` and notebooks as functions."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Final, ParamSpec, Protocol, TypeVar, get_type_hints, overload

from pydantic import BaseModel

P = ParamSpec("P")
FieldsP = ParamSpec("FieldsP")
PlainP = ParamSpec("PlainP")
T_co = TypeVar("T_co", covariant=True)
_INDENT: Final = " " * 4
_ASYNC: Final = re.compile(r"(\b)(MemoryClient\b)")


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
    made: Callable[..., object], declared: Callable[..., object], signature: inspect.Signature, owner: type, told: str
) -> Callable[..., object]:
    """`made`, with all that whoever looks at a function asks it for, as if it were declared in `owner`; `told` is its
    docstring."""
    made.__name__, made.__qualname__ = declared.__name__, f"{owner.__name__}.{declared.__name__}"
    made.__module__, made.__doc__ = owner.__module__, told
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


def arguments_of(plain: Callable[..., object]) -> str:
    """The lines about arguments in its docstring, which come after its first paragraph."""
    return (inspect.getdoc(plain) or "").partition("\n\n")[2]


def awaited(told: str) -> str:
    """A docstring with its examples, which are the indented lines, as a client with an event loop is called."""
    lines = told.split("\n")
    example = [line.removeprefix(_INDENT) if line.startswith(_INDENT) else "" for line in lines]
    for number, column, text in sorted(_awaits(ast.parse("\n".join(example))), reverse=True):
        line = example[number - 1].encode()
        example[number - 1] = (line[:column] + text.encode() + line[column:]).decode()
    shown = (_ASYNC.sub(r"\1Async\2", line).replace("with Async", "async with Async") for line in example)
    return "\n".join(_INDENT + new if new else line for new, line in zip(shown, lines, strict=True))


def _awaits(example: ast.Module) -> Iterator[tuple[int, int, str]]:
    """The texts to insert, each with its line and column: an `await` at each call of a client."""
    owners = {node.value for node in ast.walk(example) if isinstance(node, ast.Attribute)}
    for node in ast.walk(example):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_client(node.func.value):
            is_in_part = node in owners
            yield node.lineno, node.col_offset, "(await " if is_in_part else "await "
            if is_in_part and node.end_lineno is not None and node.end_col_offset is not None:
                yield node.end_lineno, node.end_col_offset, ")"


def _is_client(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in {"memory", "talk"}
