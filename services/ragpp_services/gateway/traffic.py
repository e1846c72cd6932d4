"""How often a key may ask, and how much at once: counted in this process, so that no tenant takes all of it."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ragpp.errors import RateLimited, TooManyAtOnce

MOST_KEYS: Final = 10_000
"""Known at once; beyond it, those that have nothing under way and asked nothing lately are forgotten."""
SOON_S: Final = 1
"""When to ask again whose requests are all under way: nobody knows when one is answered."""


@dataclass
class _Key:
    """`tokens`: requests that it may send at once at the moment `at`. `running`: those under way. `bytes`: of their
    bodies."""

    tokens: float
    at: float
    running: int = 0
    bytes: int = 0


class Underway:
    """A request of a key that is under way."""

    def __init__(self, traffic: "Traffic", key: _Key) -> None:
        self._traffic, self._key = traffic, key
        self.bytes = 0

    def holds(self, size: int) -> None:
        """Count its body for `size` bytes until it is answered: what has come of it, or what is said to come. Raises
        TooManyAtOnce where that is too much beside the bodies of others; one that is alone is never too much."""
        self._traffic.count(self._key, size - self.bytes, own=self.bytes)
        self.bytes = size

    def release(self) -> None:
        """It is answered."""
        self._traffic.count(self._key, -self.bytes)
        self.bytes = 0


class Traffic:
    """Token buckets by key: each holds `burst` requests and is filled by `per_s` a second.

    `monotonic` answers seconds. `per_s` 0: as often as it likes; `burst` is then not looked at. `at_once` 0: as many as
    it likes. `key_bytes`, `all_bytes`: of the bodies that are under way, of one key and of all together; 0: as many as
    they like.
    """

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        per_s: float = 0,
        burst: int = 1,
        at_once: int = 0,
        key_bytes: int = 0,
        all_bytes: int = 0,
    ) -> None:
        self._monotonic = monotonic
        self._per_s, self._burst, self._at_once = per_s, max(1, burst), at_once
        self._key_bytes, self._all_bytes, self._bytes = key_bytes, all_bytes, 0
        self._keys: dict[str, _Key] = {}

    @contextmanager
    def admitted(self, key_id: str) -> Iterator[Underway]:
        """A request of the key under way. Raises RateLimited, TooManyAtOnce; what is refused takes nothing."""
        key = self._filled(key_id)
        if self._at_once and key.running >= self._at_once:
            raise TooManyAtOnce(
                f"{key.running} requests of this key are under way, and {self._at_once} are answered at once",
                details={"retry_after_s": SOON_S},
            )
        if self._per_s:
            if key.tokens < 1:
                raise RateLimited(
                    f"this key may send {self._per_s:g} requests a second, and {self._burst} at a time",
                    details={"retry_after_s": max(1, math.ceil((1 - key.tokens) / self._per_s))},
                )
            key.tokens -= 1
        key.running += 1
        underway = Underway(self, key)
        try:
            yield underway
        finally:
            underway.release()
            key.running -= 1

    def count(self, key: _Key, more: int, *, own: int = 0) -> None:
        """`more` bytes of a body are under way, of which `own` are counted already. Raises TooManyAtOnce."""
        for whose, most, held in (
            ("this key's", self._key_bytes, key.bytes),
            ("all", self._all_bytes, self._bytes),
        ):
            if most and more > 0 and held > own and held + more > most:
                raise TooManyAtOnce(
                    f"{held:,} bytes of {whose} requests are under way, and {most:,} are taken at once",
                    details={"retry_after_s": SOON_S},
                )
        key.bytes += more
        self._bytes += more

    def headers(self, key_id: str) -> dict[str, str]:
        """The requests that the key may still make, in the fields of draft-ietf-httpapi-ratelimit-headers: of `q`
        requests in `w` seconds `r` are left, and in `t` seconds it is all of them again. Empty without a rate."""
        if not self._per_s:
            return {}
        key = self._filled(key_id)
        window = max(1, math.ceil(self._burst / self._per_s))
        again = math.ceil((self._burst - key.tokens) / self._per_s)
        return {
            "RateLimit-Policy": f'"key";q={self._burst};w={window}',
            "RateLimit": f'"key";r={math.floor(key.tokens)};t={again}',
        }

    @property
    def known(self) -> int:
        """Keys that are counted."""
        return len(self._keys)

    def _filled(self, key_id: str) -> _Key:
        now = self._monotonic()
        key = self._keys.get(key_id)
        if key is None:
            if len(self._keys) >= MOST_KEYS:
                self._forget_idle(now)
            key = self._keys[key_id] = _Key(tokens=self._burst, at=now)
        key.tokens = min(self._burst, key.tokens + (now - key.at) * self._per_s)
        key.at = now
        return key

    def _forget_idle(self, now: float) -> None:
        """Forget the keys without a running request whose bucket is full again: nothing of them is lost."""
        full_s = self._burst / self._per_s if self._per_s else 0.0
        self._keys = {name: key for name, key in self._keys.items() if key.running or now - key.at < full_s}
