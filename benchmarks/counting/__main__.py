"""Counts what fixed requests cost, beside what was recorded.

    python -m benchmarks.counting [--write] [--runs 5] [--sizes 100,1000] [--out FILE]

On a stack of its own and with the hashing embedder. A relay before PostgreSQL counts SQL statements, transactions,
round trips and bytes of answers; Python's profiler counts Cypher statements, Redis commands, calls and objects. The
median of several runs is shown and recorded, the least of them compared, so that a busy machine is no growth. Exit code
1 where a count has grown.
"""

import argparse
import asyncio
import io
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import structlog
from pydantic import SecretStr
from rich.console import Console
from rich.table import Table

from benchmarks.counting.counts import (
    CONNECTIONS,
    MEASURES,
    RECORDED,
    RUNS,
    Counts,
    count,
    grown,
    least,
    read,
    usual,
    write,
)
from benchmarks.counting.profiled import Profiles
from benchmarks.counting.relay import relaying
from benchmarks.counting.requests import NOW, Users, requests
from ragpp_infra.embedded.stack import Endpoints, Stack
from tests.support.real_gateway import open_gateway
from tests.support.scopes import new_scope

SIZES = (100, 1_000)


async def counted(
    endpoints: Endpoints, folder: Path, sizes: tuple[int, ...], runs: int, against: Mapping[str, Counts] | None
) -> dict[str, list[Counts]]:
    """The counts of every request, of each run; `against` as in `count`."""
    profiles, found = Profiles(), {}
    with relaying(endpoints.postgres_app_dsn.get_secret_value()) as relay:
        structlog.configure(logger_factory=structlog.PrintLoggerFactory(io.StringIO()))  # what is logged costs as ever
        through = replace(
            endpoints,
            postgres_app_dsn=SecretStr(relay.through(endpoints.postgres_app_dsn.get_secret_value())),
            postgres_relay_dsn=SecretStr(relay.through(endpoints.postgres_relay_dsn.get_secret_value())),
        )
        settings = {"POSTGRES_POOL_MIN": str(CONNECTIONS), "POSTGRES_POOL_MAX": str(CONNECTIONS)}
        async with open_gateway(through, folder, clock=lambda: NOW, more=settings) as gateway:
            await gateway.parts.audit.stop()  # its entries move when a request settles, and not by the clock
            tenant = new_scope().tenant_id
            async with gateway.client(await gateway.key(tenant)) as api:
                users = Users(gateway, api, tenant, profiles)
                async for request in requests(users, sizes):
                    found[request.name] = await count(request, users.settle, profiles, relay, runs, against)
    return found


def count_all(
    endpoints: Endpoints,
    folder: Path,
    sizes: tuple[int, ...],
    runs: int = RUNS,
    against: Mapping[str, Counts] | None = None,
) -> dict[str, list[Counts]]:
    """The same for a process that does nothing else: threads that are there already are not seen by the profile."""
    return asyncio.run(counted(endpoints, folder, sizes, runs, against))


def table(found: dict[str, list[Counts]]) -> Table:
    """The usual run of each request, and how far others were from it."""
    shown = Table(title="what a request costs (the median of its runs, -least +most)", title_justify="left")
    shown.add_column("request")
    for measure in MEASURES:
        shown.add_column(measure, justify="right")
    for name, runs in found.items():
        cells = []
        for measure, middle in usual(runs).totals.items():
            every = [run.totals[measure] for run in runs]
            spread = (f" -{middle - min(every):,}", f" +{max(every) - middle:,}") if min(every) < max(every) else ()
            cells.append(f"{middle:,}{''.join(spread)}")
        shown.add_row(name, *cells)
    return shown


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="record the counts: say in the commit why they changed")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--out", type=Path, default=RECORDED, help="the file of recorded counts")
    arguments = parser.parse_args()
    sizes = tuple(int(size) for size in arguments.sizes.split(","))
    with tempfile.TemporaryDirectory() as home:
        stack = Stack(Path(home) / "stack", short_lived=True)
        stack.up()
        try:
            found = count_all(stack.endpoints(), Path(home), sizes, arguments.runs)
        finally:
            stack.down(fast=True)
    Console(width=170).print(table(found))
    recorded = read(arguments.out) if arguments.out.exists() else {}
    more = grown({name: least(runs) for name, runs in found.items()}, recorded)
    print("\n".join(more) or "no count has grown")
    if arguments.write:
        write(recorded | {name: usual(runs) for name, runs in found.items()}, arguments.out)
    elif more:
        sys.exit(1)


if __name__ == "__main__":
    main()
