"""A backup is taken while people write, put into containers, and from there back into another embedded stack.

    python -m benchmarks.prove_backup [--users 6] [--messages 150] [--writers 4] [--seconds 20] [--embedded]

Some users have a memory that is digested. Writers write, one message at a time over HTTP, before backups and while some
are taken; the time of each acknowledgement is measured. Then a message, a session, a preference and a user are
forgotten, and a file of forgettings is taken. The last backup is restored with it into the stores of
docker-compose.yml, started on the Docker engine that answers (`--embedded`: into a second embedded stack instead), a
gateway and a worker run there, and 100 recalls, asked of both at the same time, the counts of whoever was left alone,
and what was forgotten are compared; a backup of that is restored into an embedded stack, and compared again.
"""

import argparse
import asyncio
import difflib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import asyncpg
import httpx
import neo4j
import redis.asyncio

from benchmarks.proof import Proving, conversation, proving, quantile
from ragpp.api import MessageIn, PreferenceIn, RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import NotFound
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack
from tests.support.containers import running
from tests.support.services import free_port
from tests.support.stacks import StoreStack

BATCH: Final = 50
PACE_S: Final = 0.2
RECALLS: Final = 100
BACKUPS: Final = 3
"""Taken one after the other while writers write: some seconds of one have too few acknowledgements to tell a p95."""
SLOWER: Final = 2.0
FLOOR_MS: Final = 50.0
DIGEST_S: Final = 1_800.0
QUESTIONS: Final = (
    "Where does my sister live?",
    "What do I prefer to drink?",
    "Who works at Porto Hospital?",
    "What did we say of the winter market?",
    "Which numbers matter, and what of the broken lamp?",
)
COUNTED: Final = (
    *("episodic.interactions", "episodic.chunks", "episodic.sentences", "procedural.preferences", "procedural.rules"),
    *("procedural.preference_versions", "procedural.findings", "catalog.items", "ledger.events"),
)

KNOWN_AGAIN: Final = {"neo4j User", "redis st:epoch", "redis st:marks"}
"""The kinds of rows that keep late writers out, as docs/erasure.md says."""
TO_DO: Final = """
SELECT EXISTS (SELECT FROM ledger.work WHERE state IN ('pending', 'leased') AND user_id = ANY ($1::text[]))
       OR EXISTS (SELECT FROM ledger.debounce WHERE user_id = ANY ($1::text[]))"""


@dataclass
class Latency:
    """Milliseconds of the writers' acknowledgements, by what went on beside them."""

    phase: str = "before"
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def p95(self, *phases: str) -> float:
        return quantile([one for phase in phases for one in self.taken[phase]] or [0.0], 0.95)

    def count(self, *phases: str) -> int:
        return sum(len(self.taken[phase]) for phase in phases)


def ragpp(*arguments: str, settings: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A command's answer, read from JSON. Raises CalledProcessError, after printing what the command said."""
    command = [sys.executable, "-m", "ragpp_infra.cli.main", *arguments, "--json"]
    done = subprocess.run(command, env=os.environ | dict(settings or {}), capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-2_000:], done.stderr[-4_000:])
        done.check_returncode()
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


async def fill(client: AsyncMemoryClient, user: str, seed: int, total: int) -> None:
    """Give a user a memory."""
    said = conversation(seed, total, "m")
    for start in range(0, total, BATCH):
        part = tuple(said[start : start + BATCH])
        await client.remember(StoreRequest(user_id=user, session_id=f"s{start // BATCH}", messages=part))
    await client.set_preference(PreferenceIn(user_id=user, category="drinks", key="evening", value="tea at nine"))


async def digested(client: AsyncMemoryClient, users: Sequence[str]) -> float:
    """Wait until nothing of theirs waits; the seconds. Raises RuntimeError."""
    began = time.perf_counter()
    while any([await client.pending(user) for user in users]):
        if time.perf_counter() - began > DIGEST_S:
            raise RuntimeError("not digested in time")
        await asyncio.sleep(0.5)
    return time.perf_counter() - began


async def settled(stores: StoreStack, users: Sequence[str]) -> None:
    """Wait until nothing is to be done for them, not even unasked. Raises RuntimeError."""
    deadline = time.monotonic() + DIGEST_S
    connection = await asyncpg.connect(stores.postgres_superuser_dsn().get_secret_value())
    try:
        while await connection.fetchval(TO_DO, users):
            if time.monotonic() > deadline:
                raise RuntimeError("not settled in time")
            await asyncio.sleep(1)
    finally:
        await connection.close()


async def write(client: AsyncMemoryClient, user: str, latency: Latency, stopping: asyncio.Event) -> list[str]:
    """Write for a user of its own until told to stop; the ids that were acknowledged."""
    ids: list[str] = []
    while not stopping.is_set():
        message = MessageIn(id=f"w{len(ids)}", content=f"My neighbour Nr{len(ids)} Okoro lives in Oslo.")
        began, phase = time.perf_counter(), latency.phase
        await client.remember(StoreRequest(user_id=user, session_id="s", messages=(message,)))
        latency.taken[phase].append((time.perf_counter() - began) * 1_000)
        ids.append(str(message.id))
        await asyncio.sleep(PACE_S)
    return ids


async def answers(clients: Sequence[AsyncMemoryClient], users: Sequence[str]) -> list[list[list[str]]]:
    """Each client's answers to RECALLS recalls: the lines of the context, then the memories, in their order. All are
    asked at the same time, since what fades, fades everywhere, and not everything as fast."""
    found = []
    for number in range(RECALLS):
        user, question = users[number % len(users)], QUESTIONS[number // len(users) % len(QUESTIONS)]
        session = f"s{number % 3}"
        asked = RecallRequest(user_id=user, session_id=session, query=question, token_budget=600, deadline_ms=20_000)
        answered = await asyncio.gather(*(client.recall(asked) for client in clients))
        for answer in answered:
            if answer.status != "complete":
                raise RuntimeError(f"a recall is {answer.status}")
        found.append([[*one.context.split("\n"), *(memory.id for memory in one.memories)] for one in answered])
    return found


async def counts(stack: StoreStack, users: Sequence[str]) -> dict[str, int]:
    """How much there is of these users, by table, label and kind of key."""
    connection = await asyncpg.connect(stack.postgres_superuser_dsn().get_secret_value())
    try:
        found = {
            table: await connection.fetchval(f"SELECT count(*) FROM {table} WHERE user_id = ANY ($1::text[])", users)  # noqa: S608 - of COUNTED
            for table in COUNTED
        }
    finally:
        await connection.close()
    endpoints = stack.endpoints()
    scopes = [f"user-graph:default/{user}" for user in users]
    auth = (endpoints.neo4j_user, endpoints.neo4j_password.get_secret_value())
    async with neo4j.AsyncGraphDatabase.driver(endpoints.neo4j_uri, auth=auth) as driver:
        nodes = await driver.execute_query(
            "MATCH (n) WHERE n.scope IN $scopes RETURN labels(n)[0] AS kind, count(*) AS n", scopes=scopes
        )
        edges = await driver.execute_query(
            "MATCH (n)-[r]->() WHERE n.scope IN $scopes RETURN type(r) AS kind, count(*) AS n", scopes=scopes
        )
    found |= {f"neo4j {row['kind']}": row["n"] for row in (*nodes.records, *edges.records)}
    client = redis.asyncio.Redis.from_url(endpoints.redis_url.get_secret_value(), decode_responses=True)
    async with client:
        for user in users:
            async for key in client.scan_iter(match=f"ragpp:st:*default/{user}}}*", count=1_000):
                area = ":".join(key.split(":")[1:3])
                found[f"redis {area}"] = found.get(f"redis {area}", 0) + 1
    return found


@contextmanager
def serving(stack: StoreStack, key: str, folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A gateway and a worker on stores in containers: the address, and the settings that they have."""
    port = free_port()
    settings = {
        **stack.endpoints().settings(),
        "FORGETTING_KEY": key,
        "GATEWAY_AUDIT_SPOOL": str(folder / "audit-spool.jsonl"),
        "GATEWAY_PORT": str(port),
    }
    modules = (["ragpp_services.all_in_one"], ["ragpp_services.workers"])
    logs = [(folder / f"{name}.log").open("w") for name in ("gateway", "workers")]
    processes = [
        subprocess.Popen([sys.executable, "-m", *module], env=os.environ | settings, cwd=folder, stdout=log, stderr=log)
        for module, log in zip(modules, logs, strict=True)
    ]
    try:
        yield f"http://127.0.0.1:{port}", settings
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)
        for log in logs:
            log.close()


async def ready(url: str) -> None:
    """Wait until the gateway is. Raises RuntimeError."""
    deadline = time.monotonic() + 180
    async with httpx.AsyncClient(trust_env=False) as client:
        while time.monotonic() < deadline:
            try:
                if (await client.get(f"{url}/health/ready")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.5)
    raise RuntimeError("the gateway is not ready")


@dataclass
class Memory:
    """Whose is what, and how much there was of it where the backup was taken."""

    origin: AsyncMemoryClient
    quiet: list[str]
    forgetful: str
    left: str
    writers: list[str]
    counts: dict[str, int] = field(default_factory=dict)
    forgotten: str = "m10"
    session: str = "s1"

    @property
    def compared(self) -> list[str]:
        return [*self.quiet, self.forgetful]


async def forget(client: AsyncMemoryClient, memory: Memory) -> None:
    """Forget, and erase, what is to go between the backup and the restore."""
    await client.forget_interaction(memory.forgetful, memory.forgotten)
    preference = next(one for one in (await client.preferences(memory.forgetful)).items if one.value == "tea at nine")
    await client.forget_preference(memory.forgetful, preference.id)
    for job in (await client.forget_session(memory.forgetful, memory.session), await client.erase_user(memory.left)):
        ended = await client.ended_job(job.id, timeout_s=DIGEST_S)
        if ended.state != "done":
            raise RuntimeError(f"a forgetting is {ended.state}")
    await digested(client, [memory.forgetful])


async def judged(stack: Proving, client: AsyncMemoryClient, stores: StoreStack, memory: Memory, where: str) -> None:
    """Check that the memory is the same in `where`."""
    await digested(client, memory.writers)
    await settled(stores, memory.compared)
    found = await counts(stores, memory.quiet)
    wrong = {
        name: (memory.counts.get(name), found.get(name))
        for name in {*found, *memory.counts}
        if memory.counts.get(name) != found.get(name)
    }
    stack.check(
        not wrong, f"{where}: the same counts of {len(memory.quiet)} users in {len(found)} places {wrong or ''}"
    )
    answered = await answers((memory.origin, client), memory.compared)
    same = sum(there == here for there, here in answered)
    stack.check(same == RECALLS, f"{where}: {same} of {RECALLS} recalls answer the same context and memories")
    for number, (there, here) in enumerate(answered):
        if there != here:
            print(*difflib.unified_diff(there, here, f"there, {number}", "here", lineterm="", n=1), sep="\n")
    try:
        await client.interaction(memory.forgetful, memory.forgotten)
    except NotFound:
        gone = True
    else:
        gone = False
    stack.check(gone, f"{where}: the message that was forgotten is gone")
    again = MessageIn(id=memory.forgotten, content="It is sent again.")
    sent = await client.remember(StoreRequest(user_id=memory.forgetful, session_id="x", messages=(again,)))
    stack.check(sent.stored[0].forgotten, f"{where}: sent again, it stays forgotten")
    rest = [
        one
        for one in (await client.interactions(memory.forgetful, limit=200)).items
        if one.session_id == memory.session
    ]
    stack.check(not rest, f"{where}: nothing is left of the session that was forgotten")
    values = [one.value for one in (await client.preferences(memory.forgetful)).items]
    stack.check("tea at nine" not in values, f"{where}: the preference that was deleted is gone")
    left = {name: count for name, count in (await counts(stores, [memory.left])).items() if count}
    stack.check(left.keys() <= KNOWN_AGAIN, f"{where}: of the user who was erased there is {left}")
    for user in memory.writers:
        await learned_once(stack, stores, user, where)


async def learned_once(stack: Proving, stores: StoreStack, user: str, where: str) -> None:
    """Check that each message of a writer's in the backup taught something exactly once."""
    connection = await asyncpg.connect(stores.postgres_superuser_dsn().get_secret_value())
    try:
        ids = [
            row["id"] for row in await connection.fetch("SELECT id FROM episodic.interactions WHERE user_id = $1", user)
        ]
        done = await connection.fetchval(
            "SELECT bool_and(state = 'done') FROM ledger.work"
            " WHERE user_id = $1 AND stage IN ('observe', 'short_term')",
            user,
        )
    finally:
        await connection.close()
    endpoints = stores.endpoints()
    auth = (endpoints.neo4j_user, endpoints.neo4j_password.get_secret_value())
    async with neo4j.AsyncGraphDatabase.driver(endpoints.neo4j_uri, auth=auth) as driver:
        scope = f"user-graph:default/{user}"
        observed = await driver.execute_query(
            "MATCH (a:Applied {scope: $scope}) WHERE a.event_id STARTS WITH 'o:' UNWIND a.sources AS id RETURN id",
            scope=scope,
        )
        named = await driver.execute_query(
            "MATCH (e:Entity {scope: $scope}) WHERE e.name STARTS WITH 'Nr' RETURN count(*) AS n", scope=scope
        )
    seen = sorted(row["id"] for row in observed.records)
    stack.check(
        bool(done) and seen == sorted(ids) and named.records[0]["n"] == len(ids),
        f"{where}: {len(ids)} messages of {user} were each learned from once",
    )


async def run(home: Path, folder: Path, given: argparse.Namespace) -> None:
    """Take, restore, compare, and once more."""
    with proving(home) as stack:
        run = uuid4().hex[:4]  # a stack that is there may have a memory of an earlier run
        copy, forgotten = folder / "memory.ragpp", folder / "forgotten.ragpp"
        own = {"RAGPP_HOME": str(home)}
        async with Home(home).client(timeout_s=120) as client:
            memory = Memory(
                client,
                [f"quiet{number}-{run}" for number in range(given.users)],
                f"forgetful-{run}",
                f"left-{run}",
                [f"writer{number}-{run}" for number in range(given.writers)],
            )
            for seed, user in enumerate([*memory.quiet, memory.forgetful, memory.left]):
                await fill(client, user, seed, given.messages)
            seconds = await digested(client, [*memory.quiet, memory.forgetful, memory.left])
            print(f"{given.users + 2} users with {given.messages} messages each, digested in {seconds:.0f} s more")
            await settled(Stack(home), [*memory.quiet, memory.forgetful, memory.left])
            latency, stopping = Latency(), asyncio.Event()
            writing = [asyncio.create_task(write(client, user, latency, stopping)) for user in memory.writers]
            await asyncio.sleep(given.seconds)
            phases = [f"backup {number + 1}" for number in range(BACKUPS)]
            for phase in phases:
                latency.phase = phase
                taken = await asyncio.to_thread(ragpp, "backup", str(copy), "--replace", settings=own)
                latency.phase = "between"
                await asyncio.sleep(3)
            stopping.set()
            written = sum(map(len, await asyncio.gather(*writing)))
            rows = sum(taken["rows"].values())
            print(
                f"backup: {taken['seconds']:.1f} s, {rows} rows and lines, {taken['bytes'] / 1e6:.1f} MB"
                f" of {taken['bytes_before_compression'] / 1e6:.1f}; learning waited {taken['learning_waited_s']:.1f}"
                f" s, {taken['of_that_for_workers_s']:.1f} s of it for what was begun; {written} messages were written"
            )
            before, during = latency.p95("before"), latency.p95(*phases)
            each = ", ".join(f"{latency.p95(phase):.1f}" for phase in phases)
            stack.check(
                during <= max(SLOWER * before, FLOOR_MS),
                f"acknowledgements of {given.writers} writers: p95 {before:.1f} ms before ({latency.count('before')}),"
                f" {during:.1f} ms while {BACKUPS} backups are taken ({latency.count(*phases)}; of each {each}:"
                " Neo4j plans for the first one)",
            )
            await digested(client, memory.writers)
            await forget(client, memory)
            await asyncio.sleep(2)  # the audit is moved twice a second
            ragpp("backup", "--forgettings-only", str(forgotten), settings=own)
            print(f"forgettings: {forgotten.stat().st_size} bytes")
            await settled(Stack(home), memory.compared)
            memory.counts = await counts(Stack(home), memory.quiet)
            secret, key = Home(home).passwords().forgetting_key, str(Home(home).key())
            await elsewhere(stack, memory, folder, secret, key, embedded=given.embedded)
        stack.verdict()


async def elsewhere(stack: Proving, memory: Memory, folder: Path, secret: str, key: str, *, embedded: bool) -> None:
    """Restore into the other shape, compare, and back into this one."""
    copy, forgotten, second = folder / "memory.ragpp", folder / "forgotten.ragpp", folder / "second.ragpp"
    if not embedded:
        with running(f"prove-backup-{os.getpid()}") as contained:
            settings = {
                **contained.endpoints().settings(),
                "FORGETTING_KEY": secret,
                "PROVISION_POSTGRES_DSN": contained.postgres_superuser_dsn().get_secret_value(),
            }
            told = ragpp("restore", str(copy), "--forgettings", str(forgotten), settings=settings)
            print(f"restored into containers in {told['seconds']:.1f} s; forgotten again: {told['forgotten']}")
            with serving(contained, secret, folder) as (url, _):
                await ready(url)
                async with AsyncMemoryClient(url, key, timeout_s=120) as client:
                    await judged(stack, client, contained, memory, "in containers")
                    taken = await asyncio.to_thread(ragpp, "backup", str(second), settings=settings)
            print(f"backup of the containers: {taken['seconds']:.1f} s, {taken['bytes'] / 1e6:.1f} MB")
        copy = second
    async with another_home(folder / "other", secret) as home:
        more = ["--nothing-forgotten-since"] if copy is second else ["--forgettings", str(forgotten)]
        told = ragpp("restore", str(copy), *more, "--home", str(home))
        print(f"restored into an embedded stack in {told['seconds']:.1f} s; forgotten again: {told['forgotten']}")
        ragpp("up", "--home", str(home))
        async with AsyncMemoryClient(str(Home(home).url()), key, timeout_s=120) as client:
            await judged(stack, client, Stack(home), memory, "in an embedded stack")


@asynccontextmanager
async def another_home(home: Path, secret: str) -> AsyncIterator[Path]:
    """A folder of another embedded stack with the same FORGETTING_KEY; stopped afterwards."""
    own = Home(home)
    own.create()
    own.ensure_passwords(initialised=False)
    secrets = home / "secrets.json"
    secrets.write_text(json.dumps(json.loads(secrets.read_text()) | {"forgetting_key": secret}))
    try:
        yield home
    finally:
        ragpp("down", "--home", str(home))


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=6, help="who are left alone; two more are not")
    parser.add_argument("--messages", type=int, default=150, help="of each")
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long the writers are measured before")
    parser.add_argument("--embedded", action="store_true", help="without containers")
    parser.add_argument("--home", type=Path, help="the first stack's folder; a temporary one, if absent")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragpp-prove-") as folder:
        home = given.home.resolve() if given.home else Path(folder) / "home"
        asyncio.run(run(home, Path(folder), given))


if __name__ == "__main__":
    main()
