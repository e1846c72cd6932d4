"""How much there is to write of a call's arguments, known before it is written."""

from collections.abc import Collection, Mapping
from typing import Final

from pydantic import BaseModel

BYTES_OF_A_NUMBER: Final = 20
BYTES_OF_NAMES: Final = 100
"""The names of a model's fields, in bytes."""


def json_bytes(value: object, enough: int) -> int:
    """About how many bytes of JSON `value` is; where that is more than `enough`, at least that: what is large is not
    looked at whole. Of a vector its length tells."""
    found, waiting = 0, [value]
    while waiting and found <= enough:
        one = waiting.pop()
        if isinstance(one, str):
            found += len(one)
        elif isinstance(one, BaseModel):
            found += BYTES_OF_NAMES
            waiting.extend(vars(one).values())
        elif isinstance(one, Mapping):
            waiting.extend(one)
            waiting.extend(one.values())
        elif isinstance(one, Collection) and not isinstance(next(iter(one), None), float):
            waiting.extend(one)
        else:
            found += BYTES_OF_A_NUMBER * (len(one) if isinstance(one, Collection) else 1)
    return found
