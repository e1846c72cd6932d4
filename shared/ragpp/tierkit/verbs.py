"""The verbs of a protocol, and classes that have a method for each of them, made from its signatures once."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar, cast

OwnT = TypeVar("OwnT", bound=type)


def verbs_of(protocol: type[Protocol]) -> Mapping[str, Callable[..., Awaitable[object]]]:  # type: ignore[valid-type]  # a protocol class as a value
    """The public coroutines of `protocol`, by name."""
    found = inspect.getmembers(protocol, inspect.iscoroutinefunction)
    return {name: function for name, function in found if not name.startswith("_")}


def add_verbs(
    own: OwnT,
    protocol: type[Protocol],  # type: ignore[valid-type]  # as above
    make: Callable[[str], Callable[..., Awaitable[object]]],
) -> OwnT:
    """`own`, with a method for each verb of `protocol` that it does not have: what `make` makes of its name,
    with the name, the signature and the docstring of the protocol's."""
    for name, declared in verbs_of(protocol).items():
        if not hasattr(own, name):
            method = functools.wraps(cast("Callable[..., object]", declared))(make(name))
            setattr(own, name, method)
    return own
