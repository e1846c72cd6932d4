"""The mark that stays of a forgotten interaction: a keyed hash, by which it is known again and not what it was."""

import hashlib
import hmac
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final

from pydantic import SecretStr

from ragpp.errors import InvalidInput, Outdated
from ragpp.fields import joined
from ragpp.health import SCRATCH_TENANT
from ragpp.models import Scope

MARK_CHARS: Final = 32
"""Hexadecimal digits, 128 bits: two ids of a user never meet by chance."""
_BLOCK: Final = hashlib.sha256().block_size
ERASED: Final = "erased-"
"""The beginning of an erased user's name."""


class SourceMarks:
    """The marks of sources, HMAC-SHA256 with a deployment's key. With another key nothing forgotten is known again."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key.get_secret_value().encode()

    @cached_property
    def blocks(self) -> tuple[bytes, bytes]:
        """The inner and the outer block of HMAC-SHA256 (RFC 2104), by which a database makes `of` itself: a mark is the
        first MARK_CHARS digits of SHA-256(outer + SHA-256(inner + what is said)). They are as secret as the key."""
        key = hashlib.sha256(self._key).digest() if len(self._key) > _BLOCK else self._key
        padded = key.ljust(_BLOCK, b"\0")
        return bytes(one ^ 0x36 for one in padded), bytes(one ^ 0x5C for one in padded)

    def of(self, scope: Scope, source_id: str) -> str:
        """The mark of one of the user's sources."""
        return self._mark(joined(scope.tenant_id, scope.user_id, source_id))

    def known_by(self, scope: Scope, source_id: str) -> tuple[str, ...]:
        """The marks by which a source is known that was forgotten: its own, and the one that it had while U+001F might
        be in ids and was not escaped."""
        former = "\x1f".join((scope.tenant_id, scope.user_id, source_id))
        return tuple(dict.fromkeys((self.of(scope, source_id), self._mark(former))))

    def _mark(self, said: str) -> str:
        return hmac.new(self._key, said.encode(), hashlib.sha256).hexdigest()[:MARK_CHARS]

    def of_user(self, scope: Scope) -> str:
        """The name of a user who was erased: nobody's id, and the same whenever it is asked."""
        said = "\x1e".join(("erased", scope.tenant_id, scope.user_id))
        return ERASED + hmac.new(self._key, said.encode(), hashlib.sha256).hexdigest()[:MARK_CHARS]

    def of_query(self, text: str) -> str:
        """A hash for the words of a question in the audit: whoever guesses them cannot tell without the key."""
        return hmac.new(self._key, f"query\x1e{text}".encode(), hashlib.sha256).hexdigest()

    def mask_key(self, scope: Scope) -> bytes:
        """The key of the masks that stand for a user's personal data: the same value has another mask elsewhere."""
        said = "\x1e".join(("mask", scope.tenant_id, scope.user_id))
        return hmac.digest(self._key, said.encode(), hashlib.sha256)

    def of_all(self, scope: Scope, source_ids: Iterable[str]) -> dict[str, str]:
        """The id of each source by each of its marks."""
        return {mark: source_id for source_id in source_ids for mark in self.known_by(scope, source_id)}


def check_epoch(carried: int | None, current: int) -> None:
    """Raise Outdated for a derived write that carries another epoch than the store's, older or not: a store that lost
    its data, or was restored, is in another one, too. None is of a write that is not derived."""
    if carried is not None and carried != current:
        raise outdated()


def refuse_all_but_scratch(scope: Scope) -> None:
    """Raise InvalidInput for another tenant than the SCRATCH_TENANT: what keeps late writers out is not swept away."""
    if scope.tenant_id != SCRATCH_TENANT:
        raise InvalidInput("only what is left of the scratch tenant can be swept away")


def outdated() -> Outdated:
    """The error of a derived write that comes too late."""
    return Outdated("something of this user was forgotten since what the write rests on was read")


def left_of(sources: Collection[str], forgotten: Collection[str]) -> tuple[str, ...] | None:
    """An entry's sources; None when any of them was forgotten, for then nothing may be learned from it: what it says
    may be the words of each."""
    return None if set(sources) & set(forgotten) else tuple(sources)
