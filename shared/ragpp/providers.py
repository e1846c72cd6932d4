"""Asking a provider of models over HTTP, for words or for vectors: its key, and asking again."""

import math
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import SecretStr

from ragpp.errors import ConfigurationError

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 60.0
"""A provider that asks for more patience than this is not waited for."""
NOT_AGAIN: Final = math.inf
"""As the wait of an error: repeating is no use."""
PASSING_STATUS: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
INSTALL: Final = ("Install the libraries of the providers: pip install 'ragpp[llm]'.",)


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how patiently a failed call is made again: after what the provider asks for, else after
    `first_wait_s` doubled each time, at most `longest_wait_s`, at random between half and all of it."""

    most: int
    sleep: Sleep
    asked_s: Callable[[Exception], float | None]
    """The seconds that an error asks to be waited; None leaves it to us, more than LONGEST_WAIT_S is raised at once."""
    first_wait_s: float = FIRST_WAIT_S
    longest_wait_s: float = LONGEST_WAIT_S

    async def call(self, once: Callable[[], Awaitable[T]]) -> T:
        """The result of `once`. Raises its last error."""
        for attempt in range(self.most + 1):
            try:
                return await once()
            except Exception as error:  # of whatever library: its wait decides whether it is raised again
                wait_s = self.asked_s(error)
                if wait_s is None:
                    wait_s = min(self.longest_wait_s, self.first_wait_s * 2**attempt) * random.uniform(0.5, 1.0)  # noqa: S311
                if attempt == self.most or wait_s > LONGEST_WAIT_S:
                    raise
            await self.sleep(wait_s)
        raise AssertionError("the last attempt returns or raises")


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` where it is a number of seconds; None for a date or nothing."""
    try:
        wait_s = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return wait_s if 0 <= wait_s < math.inf else None


def header_key(setting: str, secret: SecretStr | None) -> str:
    """The key; ConfigurationError for one that no header can carry, before an error message can quote it."""
    key = secret.get_secret_value().strip() if secret else ""
    if not (key.isascii() and key.isprintable()):
        raise ConfigurationError(f"{setting} holds characters that an HTTP header cannot carry")
    return key
