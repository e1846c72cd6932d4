"""The arguments of a call, as its method takes them; what does not fit is told under the method's own name."""

import inspect
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Final

FIELDS: Final = {"user": "user_id", "session": "session_id", "agent": "agent_id"}
"""Fields by the short words for ids."""


def by_field(method: str, given: Mapping[str, object], taken: Collection[str]) -> dict[str, object]:
    """Arguments, with `user` as `user_id` and the like where that alone is `taken`. Raises TypeError for both."""
    named = {word: FIELDS[word] if word not in taken and FIELDS.get(word) in taken else word for word in given}
    if twice := next((word for word, field in named.items() if word != field and field in given), None):
        raise TypeError(f"{method}() takes either {twice!r} or {named[twice]!r}")
    return {named[word]: value for word, value in given.items()}


def bound_to(
    signature: inspect.Signature, method: str, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> inspect.BoundArguments:
    """The arguments by parameter. Raises TypeError, which names the nearest parameter where there is none."""
    if unknown := next((word for word in kwargs if word not in signature.parameters), None):
        raise TypeError(f"{method}() takes no {unknown!r}{nearest(unknown, set(signature.parameters) - {'self'})}")
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{method}() {error}") from None


def nearest(word: str, known: Collection[str]) -> str:
    """A question that names which of the `known` is meant by `word`; empty where none is like it."""
    found = get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
