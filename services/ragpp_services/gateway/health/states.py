"""The state of each store, as checks: its version, its schema, its clock, the room that it has."""

from pathlib import Path
from typing import Final

from ragpp.disk import room_at
from ragpp.health import StoreState
from ragpp.models import TierName
from ragpp.tiers import MemoryTier
from ragpp_services.gateway.health.checks import Checks, Wrong

CLOCK_MS: Final = 1_000.0
"""How far two clocks may be apart: leases are of some ten seconds, receipts and expiry of whole ones."""
MOST_MEMORY_SHARE: Final = 0.9


async def reach(checks: Checks, tiers: dict[TierName, MemoryTier]) -> dict[TierName, StoreState]:
    """Ask every store how it is."""
    states: dict[TierName, StoreState] = {}
    for name, tier in tiers.items():

        async def ask(tier: MemoryTier = tier) -> StoreState:
            health = await tier.health_check()
            if not health.ok:
                raise Wrong(health.detail)
            return await tier.state()

        state = await checks.make(
            f"reach {name}", ask, tier=name, told=lambda found: f"{found.product} {found.version}"
        )
        if state is not None:
            states[name] = state
    return states


def look_at(checks: Checks, states: dict[TierName, StoreState], version: str, folder: Path) -> None:
    """Check what the stores told, and the disk that the gateway writes its journal to. `version`: the gateway's."""
    checks.look("schema", lambda: _schemas(states))
    checks.look("versions", lambda: _versions(states, version))
    checks.look("clock", lambda: _clocks(states))
    checks.look("memory", lambda: _memory(states), needs=("reach short_term",))
    checks.look("disk", lambda: _disk(folder))


def _schemas(states: dict[TierName, StoreState]) -> str:
    behind, seen = [], {}
    for state in states.values():
        for schema in state.schemas:
            seen[schema.part] = schema.applied
            if schema.applied != schema.known:
                behind.append(f"{schema.part} is at migration {schema.applied}, its service knows {schema.known}")
    if behind:
        raise Wrong("; ".join(dict.fromkeys(behind)))
    return ", ".join(f"{part} {applied}" for part, applied in seen.items())


def _versions(states: dict[TierName, StoreState], version: str) -> str:
    others = {name: state.service_version for name, state in states.items() if state.service_version != version}
    if others:
        listed = ", ".join(f"{name} {other}" for name, other in others.items())
        raise Wrong(f"the gateway is {version}, and other services are not: {listed}")
    return f"ragpp {version}"


def _clocks(states: dict[TierName, StoreState]) -> str:
    wrong = [
        f"{state.product}'s clock is {state.ahead_ms / 1_000:+.1f} s from that of the service {name}"
        for name, state in states.items()
        if abs(state.ahead_ms) > CLOCK_MS + state.asked_ms
    ]
    if wrong:
        raise Wrong("; ".join(wrong))
    furthest = max((abs(state.ahead_ms) for state in states.values()), default=0.0)
    return f"at most {furthest:.0f} ms apart"


def _memory(states: dict[TierName, StoreState]) -> str:
    limited = {
        name: state.bytes / state.limit_bytes
        for name, state in states.items()
        if state.bytes is not None and state.limit_bytes
    }
    full = [f"{states[name].product} has {share:.0%} of its memory in use" for name, share in limited.items()
            if share > MOST_MEMORY_SHARE]  # fmt: skip
    if full:
        raise Wrong("; ".join(full))
    return (
        ", ".join(f"{states[name].product} {share:.0%} of its limit" for name, share in limited.items()) or "no limit"
    )


def _disk(folder: Path) -> str:
    room = room_at(folder)
    if not room.enough:
        raise Wrong(f"the gateway's disk is nearly full: {room.told}")
    return room.told
