"""Learning from the LoCoMo conversations, stored day by day with a reflection each night, to be judged by hand.

    python -m benchmarks.learn_locomo --out ../learned          # starts the embedded stack, or attaches to it
    python -m benchmarks.learn_locomo --out ../learned --user conv-26

Each conversation is one user. Its messages are stored a day at a time, at the time they were said; then that night is
reflected upon with POST /v1/users/{user}/reflect. Printed is what `ragpp inspect` shows of one user at the end of the
conversation. Into --out go a random sample of relationships and of preferences, each with the messages it rests on,
and one page of JSON a user; nothing of it belongs into the project.
"""

import argparse
import asyncio
import json
import random
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

from rich.console import Console

from benchmarks import locomo
from benchmarks.evaluation import DATA, Conversation
from benchmarks.stack import running_gateway
from benchmarks.waiting import digested
from ragpp.api import MessageIn, ReflectIn, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.learned import Reflection
from ragpp_infra.cli.inspect_command import Known, known_of, known_view

SAMPLE = 50
SEED = 4
Told = tuple[str, MessageIn]


def days_of(conversation: Conversation) -> list[list[Told]]:
    """The messages with their sessions, day by day in the conversation's own time (UTC)."""
    told = [(session, message) for session, messages in conversation.sessions.items() for message in messages]
    told.sort(key=lambda item: _at(item[1]))
    return [list(day) for _, day in groupby(told, key=lambda item: _at(item[1]).date())]


async def live(client: AsyncMemoryClient, conversation: Conversation, user: str) -> tuple[list[Reflection], datetime]:
    """Tell `conversation` and reflect each night; answers the reports, and when the last day ended."""
    reports = []
    end = datetime.min.replace(tzinfo=UTC)
    for day in days_of(conversation):
        for session, messages in groupby(day, key=lambda item: item[0]):
            stored = StoreRequest(user_id=user, session_id=session, messages=tuple(message for _, message in messages))
            await client.remember(stored)
        await digested(client, user)
        date = _at(day[0][1]).date()
        job = await client.reflect(user, ReflectIn(kind="daily", date=date))
        job = await client.ended_job(job.id, timeout_s=120)
        if job.result is None:
            raise RuntimeError(f"the night of {date} is {job.state}: {job.error}")
        reports.append(Reflection.model_validate(job.result))
        end = _at(day[-1][1]) + timedelta(minutes=1)
    return reports, end


def sample_of(everyone: Sequence[tuple[Known, Conversation]], seed: int) -> dict[str, list[dict[str, object]]]:
    """SAMPLE relationships and SAMPLE preferences of all users, drawn evenly, each with the messages it rests on."""
    rng = random.Random(seed)

    def said(conversation: Conversation, sources: Sequence[str]) -> list[str]:
        names = {m.id: m.name for messages in conversation.sessions.values() for m in messages}
        return [f"{names.get(source)}: {conversation.texts.get(source, '?')}" for source in sources[:3]]

    relationships: list[dict[str, object]] = [
        {
            "user": known.user_id,
            "says": f"{one.source} {one.type} {one.target}",
            "confidence": round(one.confidence, 3),
            "valid_to": one.valid_to.isoformat() if one.valid_to else None,
            "context": one.context,
            "said": said(conversation, one.sources),
        }
        for known, conversation in everyone
        for one in known.relationships
    ]
    preferences: list[dict[str, object]] = [
        {
            "user": known.user_id,
            "says": f"{one.category} / {one.key} = {one.value}",
            "confidence": round(one.confidence, 3),
            "stated": one.stated,
            "said": said(conversation, one.sources),
        }
        for known, conversation in everyone
        for one in known.preferences
    ]
    return {
        "relationships": rng.sample(relationships, min(SAMPLE, len(relationships))),
        "preferences": rng.sample(preferences, min(SAMPLE, len(preferences))),
    }


async def run(arguments: argparse.Namespace, console: Console) -> None:
    """Live through every conversation, print one user, write the sample."""
    run_id = uuid.uuid4().hex[:8]
    everyone: list[tuple[Known, Conversation]] = []
    async with running_gateway() as client:
        for conversation in locomo.load(arguments.data):
            user = f"learn-{run_id}-{conversation.id}"
            started = time.perf_counter()
            reports, end = await live(client, conversation, user)
            seconds = time.perf_counter() - started
            known = await known_of(client, user, as_of=end)
            everyone.append((known, conversation))
            nights = sum(report.duration_ms for report in reports) / len(reports)
            failed = sorted({name for report in reports for name in report.failed})
            console.print(
                f"{conversation.id}: {conversation.messages} messages on {len(reports)} days in {seconds:.1f} s, "
                f"a night {nights:.0f} ms; {len(known.entities)} entities, {len(known.relationships)} relationships, "
                f"{len(known.preferences)} preferences, {len(known.rules)} rules, {len(known.findings)} findings"
                f"{f'; failed: {failed}' if failed else ''}"
            )
            if conversation.id == arguments.user:
                console.print(known_view(known, limit=arguments.limit))
    arguments.out.mkdir(parents=True, exist_ok=True)
    for known, conversation in everyone:
        (arguments.out / f"{conversation.id}.json").write_text(known.model_dump_json(indent=1), encoding="utf-8")
    sample = arguments.out / "sample.json"
    sample.write_text(json.dumps(sample_of(everyone, arguments.seed), indent=1, ensure_ascii=False), encoding="utf-8")
    console.print(f"the sample to be judged: {sample}")


def _at(message: MessageIn) -> datetime:
    if message.occurred_at is None:
        raise ValueError(f"{message.id} has no time")
    return message.occurred_at


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with locomo-dev.json")
    parser.add_argument("--out", type=Path, required=True, help="a folder outside the project")
    parser.add_argument("--user", default="", help="the conversation that is printed; default: the first")
    parser.add_argument("--limit", type=int, default=40, help="rows of each table")
    parser.add_argument("--seed", type=int, default=SEED, help="of the sample")
    arguments = parser.parse_args()
    if not (arguments.data / "locomo-dev.json").exists():
        raise SystemExit(f"no locomo-dev.json in {arguments.data}; name its folder with --data")
    arguments.user = arguments.user or locomo.load(arguments.data)[0].id
    asyncio.run(run(arguments, Console(width=200)))


if __name__ == "__main__":
    main()
