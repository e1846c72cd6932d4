"""The arguments of a call, as its method takes them; what does not fit is told under the method's own name."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from pydantic import BaseModel

from ragpp.errors import InvalidInput

P = ParamSpec("P")
T = TypeVar("T")

FIELDS: Final = {"user": "user_id", "session": "session_id", "agent": "agent_id"}
"""Fields by the short words for ids."""
_ELSEWHERE: Final = {
    "content": ("text",),
    "host": ("base_url",),
    "k": ("limit",),
    "key": ("api_key",),
    "max_results": ("limit",),
    "max_tokens": ("token_budget",),
    "message": ("text",),
    "question": ("query",),
    "text": ("query", "content"),
    "thread_id": ("session", "session_id"),
    "timestamp": ("occurred_at",),
    "top_k": ("limit",),
    "url": ("base_url",),
}
"""Parameters by the words that other libraries have for them."""

_AN_ID: Final = "Give it as lists and answers tell it."


def by_field(method: str, given: Mapping[str, object], taken: Collection[str]) -> dict[str, object]:
    """Arguments, with `user` as `user_id` and the like where that alone is `taken`. Raises TypeError for both."""
    named = {word: FIELDS[word] if word not in taken and FIELDS.get(word) in taken else word for word in given}
    if twice := next((word for word, field in named.items() if word != field and field in given), None):
        raise TypeError(f"{method}() takes either {twice!r} or {named[twice]!r}")
    return {named[word]: value for word, value in given.items()}


def bound_to(
    signature: inspect.Signature, method: str, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> inspect.BoundArguments:
    """The arguments by parameter. Raises TypeError, which names the nearest parameter where there is none, and what is
    given by name where too much is given by position."""
    if unknown := next((word for word in kwargs if word not in signature.parameters), None):
        raise TypeError(f"{method}() takes no {unknown!r}{nearest(unknown, set(signature.parameters) - {'self'})}")
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        named = [one.name for one in signature.parameters.values() if one.kind is inspect.Parameter.KEYWORD_ONLY]
        more = f"; name the rest, such as {named[0]}=…" if named and "too many positional" in str(error) else ""
        raise TypeError(f"{method}() {error}{more}") from None


def see_ids(signature: inspect.Signature, given: Mapping[str, object]) -> None:
    """Raises InvalidInput for an id that is no text, or is empty: without it the request would be of another route."""
    for name, parameter in signature.parameters.items():
        if parameter.annotation is not str or parameter.default is not parameter.empty:
            continue
        if not isinstance(value := given[name], str) or not value:
            wrong = "is empty" if value == "" else "must be text"
            raise InvalidInput(f"{name}: {wrong}", suggestions=(_AN_ID,))


def body_among(
    args: tuple[object, ...], method: str, before: Sequence[str], model: type[BaseModel]
) -> BaseModel | Mapping[str, object] | None:
    """The argument that follows those `before` it. Raises TypeError for what is no body, or more than one."""
    rest = args[len(before) :] or (None,)
    if len(rest) == 1 and (rest[0] is None or isinstance(rest[0], BaseModel | Mapping)):
        return rest[0]
    first = f"{' and '.join(before)} first, then " if before else ""
    needed = ", ".join(f"{name}=…" for name, field in model.model_fields.items() if field.is_required())
    raise TypeError(f"{method}() takes {first}a {model.__name__} or its fields by keyword, such as {needed}")


def nearest(word: str, known: Collection[str]) -> str:
    """A question that names which of the `known` is meant by `word`; empty where none is like it."""
    meant = [one for one in _ELSEWHERE.get(word, ()) if one in known]
    found = meant or get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def told_by_name(function: Callable[P, T]) -> Callable[P, T]:
    """`function`, which tells of an argument that does not fit as a verb does; a constructor under its class's name."""
    signature = inspect.signature(function)

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        is_made = function.__name__ == "__init__"
        bound_to(signature, type(args[0]).__name__ if is_made else function.__name__, args, kwargs)
        return function(*args, **kwargs)

    return called
