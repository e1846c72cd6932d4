"""Recalls beside many users: latencies for one client and for more at once, with few users in the stores and with all.

    python -m benchmarks.prove_growth [--users 10000] [--messages 100] [--moulds 100] [--few 100] [--tenants]
                                      [--clients 1,2,4,8,16,32] [--recalls 300] [--home FOLDER]

The first MOULDS users are written over HTTP and digested; the others are cast from them (`benchmarks.seeding`): first
as many as make FEW, then the rest. With `--tenants` each user is a tenant of its own, with its own key. At both sizes
recalls are timed over HTTP, of random users: of each tier alone by one client, beside what document 004 asks for, and
of all tiers by each number of clients that wait for their answers; RECALLS at each step after a warm-up. Shown are p50,
p95, recalls a second, and how many were partial or refused. A folder that is kept has its users; what is there is not
made again. Exit code 1 where a recall is refused, or where p95 of one client is over 1.3 times that beside few.
"""

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg
import httpx
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.proof import Proving, proving, quantile
from benchmarks.prove_scale import QUERIES, memory_mb, processes
from benchmarks.seeding.casting import Mould
from benchmarks.seeding.reading import read_memory
from benchmarks.seeding.settling import SESSION, looked_at_once, settle, write
from benchmarks.seeding.writing import seed
from ragpp.models import Scope, TierName
from ragpp_infra.backup.places import Place, kept_alive
from ragpp_infra.cli.places import embedded
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_services.gateway.keys import create_key

TENANT: Final = "default"
GROWTH: Final = 1.3
"""p95 of one client beside all users may be so many times that beside few (design, budgets)."""
WARMING: Final = 100
ASKED_MS: Final[dict[TierName, int]] = {"short_term": 10, "episodic": 100, "semantic": 200, "procedural": 50}
"""The latencies that document 004 asks for, of each tier; 500 ms of all."""
WHOLE_MS: Final = 500
USERS: Final = "SELECT tenant_id, user_id FROM ledger.upkeep ORDER BY tenant_id, user_id"
COUNT_OF_USERS: Final = "SELECT count(*) FROM ledger.upkeep"


@dataclass(frozen=True)
class Given:
    """The command line."""

    users: int
    messages: int
    moulds: int
    few: int
    tenants: bool
    clients: tuple[int, ...]
    recalls: int


@dataclass(frozen=True)
class Step:
    """Recalls by so many clients at once, of one tier or of all. `taken`: ms of each; `ended`: by status of the answer,
    or of HTTP."""

    tier: TierName | None
    clients: int
    taken: list[float]
    rate: float
    ended: Counter[str]


def scope_of(number: int, given: Given) -> Scope:
    """The user of that number. Moulds are the stack's own tenant's."""
    own = given.tenants and number >= given.moulds
    return Scope(tenant_id=f"tenant-{number}" if own else TENANT, user_id=f"user-{number}")


async def make_moulds(place: Place, home: Path, connection: asyncpg.Connection, given: Given) -> list[Mould]:
    """The users that the others are cast from, written and digested unless they are there."""
    scopes = [scope_of(number, given) for number in range(given.moulds)]
    names = [scope.user_id for scope in scopes]
    if await connection.fetchval(COUNT_OF_USERS) < given.moulds:
        async with Home(home).client(timeout_s=120) as client, kept_alive(connection):
            rate = await write(client, {name: number for number, name in enumerate(names)}, given.messages)
        print(f"{given.moulds} × {given.messages} messages written, {rate:.0f}/s acknowledged", flush=True)
        print(f"all learned {await settle(connection, TENANT, names):.0f} s later", flush=True)
    return [Mould(await read_memory(place, connection, scope)) for scope in scopes]


async def grow(place: Place, connection: asyncpg.Connection, moulds: Sequence[Mould], to: int, given: Given) -> None:
    """Cast users until there are so many."""
    there: int = await connection.fetchval(COUNT_OF_USERS)
    scopes = [scope_of(number, given) for number in range(there, to)]
    if not scopes:
        return
    began = time.perf_counter()
    with Progress(console=Console(width=110)) as progress:
        task = progress.add_task("cast", total=len(scopes))
        await seed(place, connection, moulds, scopes, lambda count: progress.advance(task, count))
    print(f"{len(scopes):,} users cast in {time.perf_counter() - began:.0f} s", flush=True)


async def keys_of(home: Path, scopes: Sequence[Scope], place: Place) -> dict[str, str]:
    """A key of each tenant."""
    keys = {TENANT: Home(home).path.joinpath("key").read_text(encoding="utf-8").strip()}
    dsn = place.endpoints.postgres_owner_dsn.get_secret_value()
    for tenant in {scope.tenant_id for scope in scopes} - keys.keys():
        keys[tenant] = str((await create_key(dsn, tenant, frozenset({"read"})))["key"])
    return keys


async def ask(
    http: httpx.AsyncClient,
    scopes: Sequence[Scope],
    keys: dict[str, str],
    count: int,
    clients: int = 1,
    tier: TierName | None = None,
) -> Step:
    """Recalls of random users by so many clients at once, of that tier alone or of all."""
    chance = random.Random(f"{tier} {clients} {count}")
    jobs = iter([(chance.choice(scopes), chance.choice(QUERIES)) for _ in range(count)])
    taken, ended = list[float](), Counter[str]()

    async def client() -> None:
        for scope, query in jobs:
            body: dict[str, object] = {"user_id": scope.user_id, "session_id": SESSION, "query": query}
            if tier:
                body["tiers"] = [tier]
            began = time.perf_counter()
            answer = await http.post(
                "/v1/recall", json=body, headers={"authorization": f"Bearer {keys[scope.tenant_id]}"}
            )
            taken.append((time.perf_counter() - began) * 1_000)
            told = answer.json() if answer.is_success else {}
            ended[str(told.get("status", f"refused, {answer.status_code}"))] += 1

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return Step(tier, clients, taken, count / (time.perf_counter() - began), ended)


async def ladder(home: Path, place: Place, scopes: Sequence[Scope], given: Given) -> list[Step]:
    """Every step beside these users, who are all that there are; prints a table."""
    beside = f"{len(scopes):,} users of {len({scope.tenant_id for scope in scopes}):,} tenants"
    if given.tenants:
        scopes = [scope for scope in scopes if scope.tenant_id != TENANT] or scopes
    chosen = random.Random(5).sample(scopes, min(len(scopes), max(given.recalls, 1_000)))
    keys = await keys_of(home, chosen, place)
    url = f"http://127.0.0.1:{Home(home).recall('gateway_port')}"
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_connections=64)) as http:
        await ask(http, chosen, keys, WARMING)
        steps = [await ask(http, chosen, keys, given.recalls, tier=tier) for tier in ASKED_MS]
        steps += [await ask(http, chosen, keys, given.recalls, clients) for clients in given.clients]
    title = f"recalls of all tiers over HTTP beside {beside}, {given.messages} messages each (ms)"
    table = Table("", "n", "p50", "p95", "asked", "a second", "ended", title=title, title_justify="left")
    for step in steps:
        ended = ", ".join(f"{name} {count}" for name, count in sorted(step.ended.items()))
        cells = [f"{quantile(step.taken, share):.1f}" for share in (0.5, 0.95)]
        asked = ASKED_MS[step.tier] if step.tier else WHOLE_MS
        table.add_row(
            step.tier or f"all, {step.clients} at once",
            str(len(step.taken)),
            *cells,
            f"< {asked}",
            f"{step.rate:.0f}",
            ended,
        )
    Console(width=110).print(table)
    return steps


def judge(stack: Proving, steps: dict[int, list[Step]]) -> None:
    """No recall was refused, and the latency of all tiers for one client did not grow by more than GROWTH."""
    ended = sum((step.ended for of in steps.values() for step in of), Counter[str]())
    failed = sum(count for name, count in ended.items() if name.startswith("refused"))
    stack.check(not failed, f"{failed} of {ended.total():,} recalls were refused, {ended['partial']} were partial")
    few, many = (
        quantile(next(step.taken for step in steps[size] if step.tier is None), 0.95)
        for size in (min(steps), max(steps))
    )
    stack.check(many <= GROWTH * few, f"p95 beside {max(steps):,} is {many / few:.2f} times that beside {min(steps):,}")


async def run(home: Path, given: Given) -> None:
    """Write, cast, ask; twice."""
    looked_at_once()
    with proving(home) as stack:
        place, steps = embedded(Lifecycle(home)), dict[int, list[Step]]()
        async with place.postgres() as connection:
            moulds = await make_moulds(place, home, connection, given)
            for users in sorted({given.few, given.users}):
                await grow(place, connection, moulds, users, given)
                scopes = [Scope(tenant_id=row[0], user_id=row[1]) for row in await connection.fetch(USERS)]
                before = os.getloadavg()[0]
                async with kept_alive(connection):
                    steps[len(scopes)] = await ladder(home, place, scopes, given)
                print(f"load of {os.cpu_count()} cores: {before:.1f} before, {os.getloadavg()[0]:.1f} after")
            size = await connection.fetchval("SELECT pg_size_pretty(pg_database_size(current_database()))")
        memory = {name: memory_mb(process) for name, process in processes(home).items()}
        print(f"PostgreSQL has {size}; memory, MB:", ", ".join(f"{name} {mb:.0f}" for name, mb in memory.items()))
        judge(stack, steps)
        stack.verdict()


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--moulds", type=int, default=100)
    parser.add_argument("--few", type=int, default=100)
    parser.add_argument("--tenants", action="store_true", help="each user is a tenant of its own, with a key")
    parser.add_argument("--clients", default="1,2,4,8,16,32", help="how many at once, at each step")
    parser.add_argument("--recalls", type=int, default=300, help="at each step")
    parser.add_argument("--home", type=Path, help="the stack's folder; a temporary one, if absent")
    said = parser.parse_args()
    given = Given(
        said.users,
        said.messages,
        min(said.moulds, said.few, said.users),
        min(said.few, said.users),
        said.tenants,
        tuple(int(one) for one in said.clients.split(",")),
        said.recalls,
    )
    if said.home:
        asyncio.run(run(said.home.resolve(), given))
        return
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        asyncio.run(run(Path(folder), given))


if __name__ == "__main__":
    main()
