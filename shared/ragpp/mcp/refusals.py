"""Refusals, in the tools' own words: what is wrong, and what to do about it."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from difflib import SequenceMatcher
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from ragpp.errors import InvalidInput, MemorySystemError

P = ParamSpec("P")
T = TypeVar("T")

_OURS: Final = {
    "user_id": "user",
    "query": "question",
    "k": "limit",
    "messages.0.content": "text",
    "messages.0": "text",
    "about.entity": "about",
    "about.words": "about",
    "confirm.ids": "only_ids",
    "confirm.token": "token",
}
"""The names here of arguments that the gateway knows by others."""
_COMMAND_LINES: Final = "`user_id` (--user)"
_NEAR: Final = 0.75
"""How alike two words are at least, of which one may be meant by the other."""


def refusing(refusal: Callable[[str], Exception]) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Awaitable[T]]]:
    """Tells what is refused as a `refusal` of the protocol."""

    def decorate(function: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        @wraps(function)
        async def told(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return await function(*args, **kwargs)
            except MemorySystemError as error:
                raise refusal(in_our_words(error)) from error

        return told

    return decorate


def in_our_words(error: MemorySystemError) -> str:
    """An error as a model reads it: the arguments by their names here, and nothing that only another door has."""
    refused = error.details.get("errors")
    fields = [one for one in refused if isinstance(one, Mapping)] if isinstance(refused, Sequence) else []
    message = "; ".join(f"{_our_name(str(one['field']))}: {one['reason']}" for one in fields) or error.message
    advice = () if tuple(error.suggestions) == InvalidInput.default_suggestions else error.suggestions
    return " ".join((f"{message.rstrip('.')}.", *advice)).replace(_COMMAND_LINES, "`user`")


def check_names(called: str, given: Collection[str], taken: Sequence[str], needed: Collection[str] = ()) -> None:
    """Raises InvalidInput where `called` is `given` arguments that it does not take, or not those that it needs."""
    unknown = [name for name in given if name not in taken]
    missing = [name for name in needed if name not in given]
    if unknown:
        meant = [_meant(name, [one for one in taken if one not in given], missing) for name in unknown]
        problem = "; ".join(
            f"`{called}` has no argument `{name[:100]}`" + (f", but `{near}`" if near else "")
            for name, near in zip(unknown, meant, strict=True)
        )
        raise InvalidInput(problem, suggestions=(f"It takes {', '.join(f'`{one}`' for one in taken)}.",))
    if missing:
        raise InvalidInput(f"`{called}` needs {' and '.join(f'`{name}`' for name in missing)}")


def _meant(name: str, left: Sequence[str], missing: Sequence[str]) -> str | None:
    """The argument that a name may be meant for: one with a word like one of its own, else the only one missing."""
    alike = {one: max(_alikeness(a, b) for a in name.split("_") for b in one.split("_")) for one in left}
    best = max(alike, key=alike.__getitem__, default=None)
    if best is not None and alike[best] >= _NEAR:
        return best
    return missing[0] if len(missing) == 1 else None


def _alikeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold()[:100], other.casefold()).ratio()


def _our_name(field: str) -> str:
    for theirs, ours in _OURS.items():
        if field == theirs or field.startswith(f"{theirs}."):
            return ours + field.removeprefix(theirs)
    return field
