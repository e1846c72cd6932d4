"""Who is asking: an API key, what it may do, and for whom."""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Protocol, get_args

from ragpp.api import KeyScope
from ragpp.errors import Forbidden, InvalidInput, MemorySystemError, TierUnavailable, Unauthenticated
from ragpp.models import Scope, Visibility
from ragpp.observability.metrics import cache_asked
from ragpp_services.gateway.store import KeyRow

SCOPES: Final[frozenset[KeyScope]] = frozenset(get_args(KeyScope))
FRESH_S: Final = 5.0
"""How long a verified key is not looked up again: a revocation takes effect within it."""
STALE_READ_S: Final = 600.0
"""How long a verified key may still read while the key store cannot be reached (design §8)."""
WITHOUT_SHARE: Final = (
    "Keep it for that agent alone: `visibility` agent (--visibility agent), or leave it out.",
    "Use a key with the scope `share`: `ragpp key create --agent … --scopes read,write,share`.",
)
_KEY: Final = re.compile(r"^rp_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$")
_MAX_CACHED: Final = 10_000


@dataclass(frozen=True)
class Principal:
    """The bearer of a valid key. `user_id`, `agent_id`: the only ones that the key may act for, where bound.
    `visibility`: that of what is written without one, where the key has one."""

    key_id: str
    tenant_id: str
    scopes: frozenset[str]
    user_id: str | None
    agent_id: str | None
    visibility: Visibility | None = None

    @property
    def default_visibility(self) -> Visibility:
        """That of what is written without one: the key's own, else `agent` where it is bound to one."""
        return self.visibility or ("shared" if self.agent_id is None else "agent")

    def need_to_share(self, suggestions: tuple[str, ...] = WITHOUT_SHARE) -> None:
        """Raises Forbidden, with what to do about it, for a key that writes for one agent alone: it is bound to one and
        lacks the scope `share`."""
        if self.agent_id is not None:
            why = "this key is bound to an agent, and for what all agents of a user see it lacks the scope `share`"
            self.need("share", why, suggestions)

    def scope(self, needed: str, user_id: str, *, agent_id: str | None = None, session_id: str | None = None) -> Scope:
        """The scope of a request for `user_id`, in the view of the agent that the key is bound to. Raises Forbidden
        when the key lacks `needed` or is bound elsewhere."""
        if needed not in self.scopes:
            raise Forbidden(f"this key lacks the scope `{needed}`")
        if self.user_id is not None and self.user_id != user_id:
            raise Forbidden("this key is bound to another user")
        if self.agent_id is not None and agent_id is not None and self.agent_id != agent_id:
            raise Forbidden("this key is bound to another agent")
        return Scope(
            tenant_id=self.tenant_id,
            user_id=user_id,
            agent_id=agent_id or self.agent_id,
            session_id=session_id,
            view=self.agent_id,
        )

    def whole(self, needed: str, user_id: str) -> Scope:
        """`scope` for what is of all agents of a user. Raises Forbidden for a key that is bound to one, too."""
        scope = self.scope(needed, user_id)
        if scope.view is not None:
            raise Forbidden(
                "this key is bound to an agent, and this is of all agents'",
                suggestions=("Use a key that is bound to no agent.",),
            )
        return scope

    def catalog(
        self, needed: str, user_id: str | None, *, agent_id: str | None = None, session_id: str | None = None
    ) -> Scope:
        """`scope` of `user_id`, or, where none is named, of the user that the key is bound to, else of what all users
        of the tenant share. Raises Forbidden for that without the scope `global`, too."""
        whose = user_id if user_id is not None else self.user_id or ""
        if not whose:
            why = "no user is named, and for what all users share this key lacks the scope `global`"
            self.need("global", why, ("Name the user: `user_id` (--user).", *Forbidden.default_suggestions))
        return self.scope(needed, whose, agent_id=agent_id, session_id=session_id)

    def need(self, scope: str, why: str | None = None, suggestions: tuple[str, ...] = ()) -> None:
        """Raises Forbidden, with `why` and what to do about it, when the key lacks `scope`."""
        if scope not in self.scopes:
            raise Forbidden(why or f"this key lacks the scope `{scope}`", suggestions=suggestions)

    def users(self, needed: str, user_id: str | None = None) -> str | None:
        """Whose things a request without a user in its path may concern: `user_id` or the key's own; None for every
        user's of the tenant. Raises Forbidden as `scope` does."""
        if user_id is not None or self.user_id is not None:
            return self.scope(needed, user_id or self.user_id or "").user_id
        if needed not in self.scopes:
            raise Forbidden(f"this key lacks the scope `{needed}`")
        return None


def see_it_may_share(scopes: Collection[str], agent_id: str | None, visibility: Visibility | None) -> None:
    """Raises InvalidInput for a key that is bound to an agent and that each write without a `visibility` of would be
    refused: what is written with it is to be for all agents, and it may not share."""
    if agent_id is not None and visibility == "shared" and "share" not in scopes:
        raise InvalidInput.of_field(
            "visibility",
            "is shared, and a key that is bound to an agent shares with the scope `share` alone",
            "Give it the scope `share`, too (--scopes read,write,forget,share).",
        )


@dataclass(frozen=True)
class NewKey:
    """A key just made: `text` is shown once and kept by its holder, `row` is what is stored."""

    text: str
    prefix: str
    row: KeyRow


def make_key(
    tenant_id: str,
    scopes: frozenset[str],
    *,
    user_id: str | None = None,
    agent_id: str | None = None,
    visibility: Visibility | None = None,
) -> NewKey:
    """A new random key: 12 characters of look-up prefix and 256 bits of secret."""
    prefix = secrets.token_hex(6)
    text = f"rp_{prefix}_{secrets.token_urlsafe(32)}"
    row = KeyRow(
        key_id=f"key_{prefix}",
        secret_hash=_hash(text),
        tenant_id=tenant_id,
        scopes=scopes,
        user_id=user_id,
        agent_id=agent_id,
        visibility=visibility,
    )
    return NewKey(text, prefix, row)


def _hash(text: str) -> bytes:
    """SHA-256: the secret has 256 random bits, so a slow hash would protect nothing more."""
    return hashlib.sha256(text.encode()).digest()


def prefix_of(authorization: str | None) -> str:
    """The prefix of the key in an `Authorization` header, by which it is looked up and told apart; empty where there is
    none. Of what is no key nothing is told: it may be a part of one."""
    match = _KEY.match(_bearer(authorization))
    return match[1] if match else ""


def _bearer(authorization: str | None) -> str:
    scheme, _, text = (authorization or "").strip().partition(" ")
    return text.strip() if scheme.lower() == "bearer" else ""


class KeyStore(Protocol):
    """Where keys are looked up."""

    async def find_key(self, prefix: str, *, timeout_s: float) -> KeyRow | None:
        """The valid key with this prefix; raises TierUnavailable."""
        ...


@dataclass(frozen=True)
class _Verified:
    row: KeyRow
    at: float


class Identity:
    """Verifies keys, with a cache of seconds; `monotonic` answers seconds. A look-up takes `timeout_s` at most."""

    def __init__(self, store: KeyStore, monotonic: Callable[[], float], *, timeout_s: float = 1.0) -> None:
        self._store, self._monotonic, self._timeout_s = store, monotonic, timeout_s
        self._verified: dict[str, _Verified] = {}
        self._running: dict[str, asyncio.Task[KeyRow | None]] = {}

    async def verify(self, authorization: str | None, *, reading: bool) -> Principal:
        """The principal of an `Authorization` header.

        Raises Unauthenticated; TierUnavailable when the key store is down and this key was not verified in the last
        ten minutes, or the request is not `reading`.
        """
        text = _bearer(authorization)
        match = _KEY.match(text)
        if match is None:
            raise Unauthenticated(
                "this is not an API key" if text else "no API key was sent as `Authorization: Bearer <key>`"
            )
        prefix, now = match[1], self._monotonic()
        known = self._verified.get(prefix)
        is_fresh = known is not None and now - known.at <= FRESH_S
        cache_asked("keys", hits=is_fresh, misses=not is_fresh)
        if not is_fresh:
            known = await self._look_up(prefix, known, now, reading=reading)
        if known is None or not hmac.compare_digest(known.row.secret_hash, _hash(text)):
            raise Unauthenticated("the API key is unknown, revoked or expired")
        row = known.row
        return Principal(row.key_id, row.tenant_id, row.scopes, row.user_id, row.agent_id, row.visibility)

    def knows(self, prefix: str) -> bool:
        """True where the latest look-up of this prefix found a valid key."""
        return prefix in self._verified

    async def _look_up(self, prefix: str, known: _Verified | None, now: float, *, reading: bool) -> _Verified | None:
        usable = known is not None and now - known.at <= STALE_READ_S
        try:
            row = await self._shared_look_up(
                prefix, min(0.1, self._timeout_s) if usable and reading else self._timeout_s
            )
        except MemorySystemError:
            if usable and reading:
                return known
            raise
        if row is None:
            self._verified.pop(prefix, None)
            return None
        if len(self._verified) >= _MAX_CACHED:
            self._verified.pop(next(iter(self._verified)))
        verified = _Verified(row, now)
        self._verified[prefix] = verified
        return verified

    async def _shared_look_up(self, prefix: str, timeout_s: float) -> KeyRow | None:
        """One look-up a key at a time, however many requests wait for it."""
        task = self._running.get(prefix)
        if task is None:
            task = asyncio.ensure_future(self._store.find_key(prefix, timeout_s=timeout_s))
            self._running[prefix] = task
            task.add_done_callback(lambda done: self._finished(prefix, done))
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
        if not done:  # a hung server: the look-up goes on for whoever comes next
            raise TierUnavailable("the key store did not answer in time")
        return task.result()

    def _finished(self, prefix: str, task: asyncio.Task[KeyRow | None]) -> None:
        self._running.pop(prefix, None)
        if not task.cancelled():
            task.exception()  # marks it as seen, for the case that every waiter has left
