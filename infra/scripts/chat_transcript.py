"""Print a conversation with the governor over three sessions, a day between them; the third uses what the first said.

    python infra/scripts/chat_transcript.py [--home .ragpp]

Starts the embedded stack where it does not run, and stops again what it started. Each session is a process of its own
(`ragpp chat --echo`): what is remembered comes from the memory alone.
"""

import argparse
import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import uuid4

from ragpp_infra.cli.digesting import wait_until_digested
from ragpp_infra.cli.foreground import bring_up, stop_what_was_started
from ragpp_infra.embedded.lifecycle import Lifecycle

SESSIONS: Final = (
    (
        "My daughter Iris is allergic to walnuts.",
        "We keep the spare key in the blue pot behind the shed.",
    ),
    (
        "I baked bread today and it did not rise.",
        "Please always answer me in short sentences.",
    ),
    (
        "I am baking a cake for Iris: what must I leave out?",
        "And where is the spare key?",
        "What is my favourite film?",
    ),
)
NAME: Final = "Mira"
DEADLINE_MS: Final = 2_000
PATIENCE_S: Final = 900.0


def main() -> int:
    """Run the three sessions; 1 when the third did not use what the first said."""
    parser = argparse.ArgumentParser(description="A conversation with the governor over three days.")
    parser.add_argument("--home", type=Path, default=Path(".ragpp"), help="folder of the embedded stack")
    lifecycle = Lifecycle(parser.parse_args().home)
    ran_before = lifecycle.running()
    user = f"chat-{uuid4().hex[:8]}"
    said = ""
    try:
        bring_up(lifecycle)
        first = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=len(SESSIONS))
        for day, lines in enumerate(SESSIONS):
            moment = first + timedelta(days=day)
            print(f"\n=== Session {day + 1}, {moment:%A, %Y-%m-%d %H:%M} UTC", flush=True)
            said = _session(lifecycle.home.path, user, moment, lines)
            print(said, end="", flush=True)
            asyncio.run(_digested(lifecycle, user))
    finally:
        stop_what_was_started(lifecycle, ran_before)
    used = "allergic to walnuts" in said and "blue pot" in said
    print(f"\nThe third session {'used' if used else 'did not use'} what the first said.")
    return int(not used)


def _session(home: Path, user: str, moment: datetime, lines: tuple[str, ...]) -> str:
    command = [sys.executable, "-m", "ragpp_infra.cli.main", "chat", "--echo", "--user", user, "--name", NAME]
    command += ["--at", moment.isoformat(), "--deadline", str(DEADLINE_MS), "--home", str(home)]
    done = subprocess.run(
        command, input="\n".join(lines), capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    return done.stdout


async def _digested(lifecycle: Lifecycle, user: str) -> None:
    async with lifecycle.home.client() as client:
        await wait_until_digested(client, user, patience_s=PATIENCE_S)


if __name__ == "__main__":
    sys.exit(main())
